//! How far something is, for people who wait: silent for the first second, because what is over by then needs no
//! news.

use std::io::{IsTerminal, Write};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

use crate::news;

const SILENCE: Duration = Duration::from_secs(1);
/// On a terminal, where each line takes the place of the one before.
const ON_TERMINAL: Duration = Duration::from_millis(200);
/// Elsewhere, where lines stay.
const IN_LOG: Duration = Duration::from_secs(5);

/// Does some work and tells standard error how far it is. The work is given the counter of steps done; without
/// `steps`, nobody knows how many there will be.
pub(crate) fn shown<T>(what: &str, steps: Option<usize>, work: impl FnOnce(&AtomicUsize) -> T) -> T {
    let done = &AtomicUsize::new(0);
    if news::is_quiet() {
        return work(done);
    }
    let (finished, wait) = channel::<()>();
    std::thread::scope(|scope| {
        // Without a thread to spare, the work is done all the same.
        let _ = Builder::new().name(String::from("progress")).spawn_scoped(scope, move || {
            show(what, steps, done, &wait);
        });
        let outcome = work(done);
        drop(finished);
        outcome
    })
}

/// Does some work of a single step.
pub(crate) fn waited<T>(what: &str, work: impl FnOnce() -> T) -> T {
    shown(what, None, |_| work())
}

/// Shows the counter until the sender of `wait` is gone.
fn show(what: &str, steps: Option<usize>, done: &AtomicUsize, wait: &Receiver<()>) {
    let mut err = std::io::stderr();
    let is_terminal = err.is_terminal();
    let mut pause = SILENCE;
    let mut is_shown = false;
    while wait.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        let line = match steps {
            Some(steps) => format!("{what}: {} %", 100 * done.load(Relaxed).min(steps) / steps.max(1)),
            None => format!("{what} ..."),
        };
        // Progress that cannot be shown is no reason to stop.
        let _ = if is_terminal {
            write!(err, "\r{line}").and_then(|()| err.flush())
        } else if is_shown && steps.is_none() {
            // The same line again would be no news.
            Ok(())
        } else {
            writeln!(err, "{line}")
        };
        is_shown = true;
        pause = if is_terminal { ON_TERMINAL } else { IN_LOG };
    }
    if is_shown && is_terminal {
        // Back to the beginning of the line, and clear it.
        let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
    }
}
