//! What reaches the view, from whichever thread or the terminal: it sleeps until something does. Keys are read by the
//! thread that draws, since every thread that has to wake first makes an answer later on a machine that is busy.

use std::fs::File;
use std::io::{self, IsTerminal, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, Event};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::feed::Look;

/// Another size of the terminal may be told to another thread; it is looked for so often.
const LOOK: Duration = Duration::from_millis(250);

/// One thing that happened.
#[derive(Debug)]
pub(super) enum News {
    /// A key, or another size of the terminal.
    Input(Event),
    /// Another round of the recording.
    Look(Box<Look>),
    /// The recording cannot go on.
    Failed(String),
    /// A profile was written, with its size, or was not.
    Saved(Result<(PathBuf, u64), String>),
    /// Somebody asked this process to end, or the time is up.
    Leave,
}

/// Where news come in.
pub(super) struct Mailbox {
    news: Receiver<News>,
    bell: PipeReader,
    /// The terminal, where standard input is something else.
    terminal: Option<File>,
}

/// Where others leave them.
#[derive(Debug)]
pub(super) struct Sent {
    news: Sender<News>,
    bell: PipeWriter,
}

/// A mailbox and who puts news into it.
pub(super) fn mailbox() -> io::Result<(Sent, Mailbox)> {
    let (sender, news) = channel();
    let (reader, bell) = io::pipe()?;
    let terminal = if io::stdin().is_terminal() { None } else { Some(File::open("/dev/tty")?) };
    Ok((Sent { news: sender, bell }, Mailbox { news, bell: reader, terminal }))
}

impl Sent {
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { news: self.news.clone(), bell: self.bell.try_clone()? })
    }

    /// Tells something.
    pub(super) fn tell(&self, news: News) {
        // Nobody is left to hear it when the view was left in the meantime.
        let _ = self.news.send(news).map(|()| (&self.bell).write_all(&[0]));
    }
}

impl Mailbox {
    /// Waits for news; there may be none after a while, or when the time is up.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub(super) fn wait(&mut self, until: Option<Instant>) -> io::Result<Vec<News>> {
        let left = until.map_or(LOOK, |until| until.saturating_duration_since(Instant::now()).min(LOOK));
        let (is_rung, is_gone) = self.sleep(left)?;
        if is_gone {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if is_rung {
            // One round of news is read at a time; the bell rings again for more.
            let _ = self.bell.read(&mut [0; 64])?;
        }
        let mut news: Vec<News> = self.news.try_iter().collect();
        while event::poll(Duration::ZERO)? {
            news.push(News::Input(event::read()?));
        }
        Ok(news)
    }

    fn sleep(&self, at_most: Duration) -> io::Result<(bool, bool)> {
        let stdin = io::stdin();
        let keys: BorrowedFd<'_> = self.terminal.as_ref().map_or(stdin.as_fd(), AsFd::as_fd);
        let mut both = [PollFd::new(&keys, PollFlags::IN), PollFd::new(&self.bell, PollFlags::IN)];
        let at_most = Timespec::try_from(at_most).map_err(|_| io::ErrorKind::InvalidInput)?;
        match poll(&mut both, Some(&at_most)) {
            // A signal came, perhaps that the terminal has another size.
            Err(rustix::io::Errno::INTR) => return Ok((false, false)),
            outcome => outcome?,
        };
        let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        Ok((both[1].revents().contains(PollFlags::IN), both[0].revents().intersects(gone)))
    }
}
