//! A terminal for the command to draw on: what it shows is read as a person would, and keys can be pressed.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

/// Far longer than anything takes, even where many tests share a processor.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(20);

/// A command in a terminal.
pub(crate) struct Terminal {
    keys: File,
    /// The side that the command has, kept open so that what it wrote last can be read.
    side: File,
    screen: Arc<Mutex<vt100::Parser>>,
    pub(crate) child: Child,
}

impl Terminal {
    /// Starts a command in a terminal of a size.
    pub(crate) fn start(command: &mut Command, (columns, rows): (u16, u16)) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there are terminals");
        grantpt(&master).expect("it is ours");
        unlockpt(&master).expect("it is ours");
        let name = ptsname(&master, Vec::new()).expect("it has a name");
        let name = name.to_str().expect("names of terminals are text");
        let flags = i32::try_from(OFlags::NOCTTY.bits()).expect("flags are few");
        let side = File::options().read(true).write(true).custom_flags(flags).open(name);
        let side = side.expect("its other side can be opened");
        let keys = File::from(master);
        resize(&keys, columns, rows);
        let copy = || side.try_clone().expect("a file can be shared");
        command.stdin(copy()).stdout(copy()).stderr(copy());
        let child = command.spawn().expect("the command can be started");
        let screen = Arc::new(Mutex::new(vt100::Parser::new(some(rows), some(columns), 0)));
        let (mut output, shown) = (keys.try_clone().expect("a file can be shared"), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = output.read(&mut bytes) {
                shown.lock().expect("nobody panics with it").process(&bytes[..length]);
            }
        });
        Self { keys, side, screen, child }
    }

    /// What is on the screen, a line a row.
    pub(crate) fn text(&self) -> String {
        self.screen.lock().expect("nobody panics with it").screen().contents()
    }

    /// Whether the command has taken over the whole screen.
    pub(crate) fn is_taken_over(&self) -> bool {
        let is_alternate = self.screen.lock().expect("nobody panics with it").screen().alternate_screen();
        let modes = tcgetattr(&self.side).expect("a terminal has modes").local_modes;
        is_alternate || !modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }

    /// Waits until the screen is as it was before: what is written last may still be on its way when a command has ended.
    pub(crate) fn wait_until_given_back(&self) {
        self.wait_until("the screen from before", |_| !self.is_taken_over());
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        self.screen.lock().expect("nobody panics with it").screen_mut().set_size(some(rows), some(columns));
        resize(&self.keys, columns, rows);
    }

    /// Waits until the screen shows something.
    pub(crate) fn wait_for(&self, wanted: &str) -> String {
        self.wait_until(wanted, |text| text.contains(wanted))
    }

    pub(crate) fn wait_until(&self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let text = self.text();
            if is_there(&text) {
                return text;
            }
            assert!(Instant::now() < until, "never seen: {what}; the screen shows:\n{text}");
            std::thread::sleep(LOOK);
        }
    }

    /// Waits for the command to end.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("it is our child") {
                return status;
            }
            assert!(Instant::now() < until, "it does not end; the screen shows:\n{}", self.text());
            std::thread::sleep(LOOK);
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn some(cells: u16) -> NonZero<u16> {
    NonZero::new(cells).expect("a terminal has a size")
}

fn resize(terminal: &File, columns: u16, rows: u16) {
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).expect("a terminal can be resized");
}
