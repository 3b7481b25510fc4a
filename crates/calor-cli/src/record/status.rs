//! How far a recording is, in one line of the terminal. The program writes to the same terminal, so the line is
//! short, rare and wiped before the last words.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use calor_record::Progress;
use calor_report::quantity::{count, counted};

use crate::news;

const SILENCE: Duration = Duration::from_secs(1);
/// On a terminal, where each line takes the place of the one before.
const ON_TERMINAL: Duration = Duration::from_secs(1);
/// Elsewhere, where lines stay.
const IN_LOG: Duration = Duration::from_secs(30);

/// The line.
pub(super) struct Status {
    is_terminal: bool,
    next: Instant,
    is_shown: bool,
}

impl Status {
    pub(super) fn new() -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let next = Instant::now() + if is_terminal { SILENCE } else { IN_LOG };
        Self { is_terminal, next, is_shown: false }
    }

    /// Shows it if it is time.
    pub(super) fn show(&mut self, progress: &Progress) {
        if news::is_quiet() || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + if self.is_terminal { ON_TERMINAL } else { IN_LOG };
        let line = line(progress);
        let mut err = std::io::stderr();
        // Progress that cannot be shown is no reason to stop.
        let _ = if self.is_terminal {
            write!(err, "\r\x1b[K{line}").and_then(|()| err.flush())
        } else {
            writeln!(err, "{line}")
        };
        self.is_shown = true;
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        if self.is_shown && self.is_terminal {
            let mut err = std::io::stderr();
            let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
        }
    }
}

fn line(progress: &Progress) -> String {
    let waits =
        if progress.waits > 0 { format!(", {}", counted(progress.waits, "wait")) } else { String::new() };
    let lost =
        if progress.lost > 0 { format!(", {} LOST", count(progress.lost)) } else { ", none lost".to_owned() };
    format!(
        "recording: {:.0} s, {}{waits} of {}{lost}",
        progress.elapsed.as_secs_f64(),
        counted(progress.samples, "sample"),
        counted(progress.threads as u64, "thread"),
    )
}
