//! A live view at work, in a terminal of 80 by 24 that this process holds the other end of: what it costs, and how soon it
//! answers a key.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use harness::watched::{Program, calor, child};
use harness::{Figures, median_of_sorted};
use nix::pty::{Winsize, openpty};

use crate::case::RATE;
use crate::environment;

const SIZE: Winsize = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
/// So long it has for its first view.
const BEGINNING: Duration = Duration::from_secs(3);
/// So long its CPU is counted.
const WATCHING: Duration = Duration::from_secs(10);
/// Keys that change the view of either tool, in turns.
const KEYS: [&[u8]; 10] = [b"2", b"3", b"2", b"1", b"2", b"3", b"2", b"1", b"2", b"1"];
/// Control and C.
const INTERRUPT: &[u8] = &[3];
/// Who does not answer in this time does not answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Has a tool watch the program.
pub(crate) fn watch(tool: &str, program: &Program) -> Result<Figures, String> {
    let mut target = Ended(
        program
            .command()
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start the program: {error}"))?,
    );
    let said = target.0.stdout.take().map(BufReader::new).and_then(|mut said| {
        let mut line = String::new();
        said.read_line(&mut line).ok().map(|_| line)
    });
    if said.as_deref() != Some("ready\n") {
        return Err(format!("the program did not get ready: {said:?}"));
    }
    let terminal = openpty(&SIZE, None).map_err(|error| format!("cannot make a terminal: {error}"))?;
    let side = || terminal.slave.try_clone().map(Stdio::from).map_err(|error| error.to_string());
    // It makes the terminal that of the command, as a shell would.
    let mut command = Command::new("setsid");
    command.arg("--ctty").args(words(tool, target.0.id())).env("TERM", "xterm-256color");
    command.stdin(side()?).stdout(side()?).stderr(side()?);
    let mut live = Ended(command.spawn().map_err(|error| format!("cannot start {tool}: {error}"))?);
    drop(terminal.slave);
    let mut master = File::from(terminal.master);
    let screen = listen(master.try_clone().map_err(|error| error.to_string())?);
    thread::sleep(BEGINNING);
    let before = cpu_s(live.0.id())?;
    let begin = Instant::now();
    thread::sleep(WATCHING);
    // A terminal without a program echoes keys, which would look like an answer.
    if let Ok(Some(status)) = live.0.try_wait() {
        return Err(format!("{tool} has no live view, or left it with {status}"));
    }
    let cpu_pct = (cpu_s(live.0.id())? - before) / begin.elapsed().as_secs_f64() * 1e2;
    let mut answers = Vec::new();
    for key in KEYS {
        answers.push(answer_ms(&mut master, &screen, key)?);
    }
    answers.sort_by(f64::total_cmp);
    // It may have left already, which is seen below.
    let _ = master.write_all(if tool == "calor" { b"q" } else { INTERRUPT });
    let left = (0..20).any(|_| {
        thread::sleep(Duration::from_millis(100));
        live.0.try_wait().is_ok_and(|status| status.is_some())
    });
    let longest = answers.last().copied().unwrap_or_default();
    let figures = Figures::default()
        .with("cpu_pct", cpu_pct)
        .with("key_ms", median_of_sorted(&answers))
        .with("longest_key_ms", longest);
    if left { Ok(figures) } else { Err(format!("{tool} did not leave when asked to")) }
}

fn words(tool: &str, pid: u32) -> Vec<String> {
    let (program, options): (_, &[&str]) = match tool {
        "calor" => (calor::command().get_program().to_string_lossy().into_owned(), &["top"]),
        "py-spy" => (environment::PEERS.program("py-spy").to_string_lossy().into_owned(), &["top"]),
        _ => (environment::PEERS.program("py-spy").to_string_lossy().into_owned(), &["top", "--native"]),
    };
    let options = options.iter().map(|option| (*option).to_owned());
    let rest = ["--rate".to_owned(), RATE.to_string(), "--pid".to_owned(), pid.to_string()];
    [program].into_iter().chain(options).chain(rest).collect()
}

/// Tells of every piece that is written to the terminal.
fn listen(mut terminal: File) -> Receiver<Instant> {
    let (sender, screen) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = [0; 65_536];
        while terminal.read(&mut bytes).is_ok_and(|n| n > 0) && sender.send(Instant::now()).is_ok() {}
    });
    screen
}

/// How long after a key something is written.
fn answer_ms(terminal: &mut File, screen: &Receiver<Instant>, key: &[u8]) -> Result<f64, String> {
    // Away from the regular turns of the view, which come every second.
    thread::sleep(Duration::from_millis(337));
    while screen.try_recv().is_ok() {}
    let pressed = Instant::now();
    terminal.write_all(key).map_err(|error| format!("cannot press a key: {error}"))?;
    let answered = screen.recv_timeout(PATIENCE).map_err(|_| "no answer to a key".to_owned())?;
    Ok(answered.saturating_duration_since(pressed).as_secs_f64() * 1e3)
}

/// CPU time of a process that runs.
fn cpu_s(pid: u32) -> Result<f64, String> {
    child::cpu_s_of(pid).ok_or_else(|| "the live view has ended by itself".to_owned())
}

/// A child that is ended when it is not needed any more.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // Gone already is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
