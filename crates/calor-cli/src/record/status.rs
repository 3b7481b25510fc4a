//! How far a recording is. A program that writes to the same terminal may have left a line unfinished, or have drawn
//! the whole screen: there, progress is rare, has lines of its own, and keeps silent when the program has taken the
//! terminal over. Only a terminal that is ours alone has a line that is written again and again.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use calor_analysis::quantity::{count, counted};
use calor_record::Progress;
use rustix::termios::{LocalModes, tcgetattr};

use crate::news;

/// Between two looks of a line that takes the place of the one before.
const IN_PLACE: Duration = Duration::from_secs(1);
/// Before the first line between a program's own, and the most between two of them.
const BETWEEN: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(60));
/// Between lines that stay and are read later.
const IN_LOG: Duration = Duration::from_secs(30);

/// Where the words go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// A terminal that nobody else writes to.
    OwnTerminal,
    /// A terminal that the program writes to as well.
    SharedTerminal,
    /// A file or a pipe.
    Log,
}

/// The progress that is shown.
pub(super) struct Status {
    place: Place,
    every: Duration,
    next: Instant,
    is_shown: bool,
}

impl Status {
    /// `attached` is the process that runs already; a program that is started here has our standard error.
    pub(super) fn new(attached: Option<i32>) -> Self {
        let place = if !std::io::stderr().is_terminal() {
            Place::Log
        } else if attached.is_some_and(|pid| !shares_standard_error(pid)) {
            Place::OwnTerminal
        } else {
            Place::SharedTerminal
        };
        let every = match place {
            Place::OwnTerminal => IN_PLACE,
            Place::SharedTerminal => BETWEEN.0,
            Place::Log => IN_LOG,
        };
        Self { place, every, next: Instant::now() + every, is_shown: false }
    }

    /// Shows it if it is time.
    pub(super) fn show(&mut self, progress: &Progress) {
        if news::is_quiet() || Instant::now() < self.next {
            return;
        }
        if self.place == Place::SharedTerminal {
            self.every = (self.every * 2).min(BETWEEN.1);
        }
        self.next = Instant::now() + self.every;
        if self.place == Place::SharedTerminal && is_taken_over() {
            return;
        }
        let mut err = std::io::stderr();
        // Progress that cannot be shown is no reason to stop.
        let _ = err.write_all(framed(self.place, &line(progress)).as_bytes()).and_then(|()| err.flush());
        self.is_shown = true;
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        if self.is_shown && self.place == Place::OwnTerminal {
            let mut err = std::io::stderr();
            let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
        }
    }
}

/// A line as its place needs it. Whether the program has left a line unfinished is not known, so between its lines
/// ours begins anew.
fn framed(place: Place, line: &str) -> String {
    match place {
        Place::OwnTerminal => format!("\r\x1b[K{line}"),
        Place::SharedTerminal => format!("\r\n{line}\r\n"),
        Place::Log => format!("{line}\n"),
    }
}

/// Whether a process writes to the terminal that is our standard error.
fn shares_standard_error(pid: i32) -> bool {
    let file = |path: String| std::fs::read_link(path).ok();
    let Some(own) = file("/proc/self/fd/2".to_owned()) else { return true };
    // What may not be looked at might be.
    (1..=2).any(|number| file(format!("/proc/{pid}/fd/{number}")).is_none_or(|other| other == own))
}

/// Whether a program reads single keys, as those do that draw the whole screen.
fn is_taken_over() -> bool {
    tcgetattr(std::io::stderr()).is_ok_and(|modes| !modes.local_modes.contains(LocalModes::ICANON))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_terminal_of_our_own_has_lines_that_take_the_place_of_others() {
        let text = line(&Progress { elapsed: Duration::from_secs(70), samples: 1, ..Progress::default() });
        assert_eq!(text, "recording: 70 s, 1 sample of 0 threads, none lost");
        for place in [Place::SharedTerminal, Place::Log] {
            let shown = framed(place, &text);
            assert!(!shown.contains('\x1b') && shown.ends_with('\n'), "{shown:?}");
        }
        assert!(framed(Place::SharedTerminal, &text).starts_with("\r\n"), "an unfinished line stays");
    }

    #[test]
    fn a_process_with_our_standard_error_shares_it() {
        let own = i32::try_from(std::process::id()).expect("a pid fits");
        assert!(shares_standard_error(own));
    }
}
