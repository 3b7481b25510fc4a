//! Tells people who wait how far a workload is, and the workload whether somebody asked for its end.

use std::io::{IsTerminal, Write};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use calor_workloads::Watch;
use unicode_width::UnicodeWidthStr;

use crate::failure::INTERRUPTED;
use crate::{news, terminal};

/// What is over by then needs no news.
const SILENCE: Duration = Duration::from_secs(1);
/// How often we look whether somebody asked for the end; on a terminal also how often the line is drawn.
const LOOK: Duration = Duration::from_millis(200);
/// Elsewhere, where lines stay.
const IN_LOG: Duration = Duration::from_secs(5);
/// Characters of the bar.
const BAR: usize = 20;

struct State {
    now: Mutex<Now>,
    is_stopped: AtomicBool,
    begin: Instant,
}

#[derive(Clone, Default)]
struct Now {
    done: usize,
    total: usize,
    what: String,
}

impl Watch for State {
    fn at(&self, done: usize, total: usize, what: &str) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = Now { done, total, what: what.to_owned() };
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Relaxed)
    }
}

/// Runs work that is watched; also says whether somebody asked for its end.
pub(super) fn watched<T>(name: &str, work: impl FnOnce(&dyn Watch) -> T) -> (T, bool) {
    let state = State { now: Mutex::default(), is_stopped: AtomicBool::new(false), begin: Instant::now() };
    // Before any thread is started: signals are held back from those, too.
    let signals = Signals::hold();
    let (finished, wait) = channel::<()>();
    let outcome = std::thread::scope(|scope| {
        let (state, signals) = (&state, &signals);
        // Without a thread to spare, the work is done all the same.
        let _ = Builder::new().name("progress".to_owned()).spawn_scoped(scope, move || {
            look(name, state, signals, &wait);
        });
        let outcome = work(state);
        drop(finished);
        outcome
    });
    (outcome, state.is_stopped())
}

/// Does work that cannot be ended half way, other than all at once: says `message` when somebody asks for the end, and ends. For work
/// that leaves nothing half written but what `message` tells.
pub(crate) fn ended_by_signals<T>(message: &str, work: impl FnOnce() -> T) -> T {
    let signals = Signals::hold();
    let (finished, wait) = channel::<()>();
    std::thread::scope(|scope| {
        let signals = &signals;
        // Without a thread to spare, the work is done all the same.
        let _ = Builder::new().name("signals".to_owned()).spawn_scoped(scope, move || {
            while wait.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if signals.n_heard() > 0 {
                    clear(std::io::stderr().is_terminal());
                    news::say_wrapped(message);
                    std::process::exit(INTERRUPTED.into());
                }
            }
        });
        let outcome = work();
        drop(finished);
        outcome
    })
}

/// Looks after the work until the sender of `wait` is gone.
fn look(name: &str, state: &State, signals: &Signals, wait: &Receiver<()>) {
    let is_terminal = std::io::stderr().is_terminal();
    let mut next = SILENCE;
    let mut is_shown = false;
    while wait.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
        if signals.n_heard() > 0 && state.is_stopped.swap(true, Relaxed) {
            // Asked twice: nothing is half written, because all that is written comes after the work.
            clear(is_shown && is_terminal);
            std::process::exit(INTERRUPTED.into());
        }
        if state.begin.elapsed() < next || news::is_quiet() {
            continue;
        }
        next = state.begin.elapsed() + if is_terminal { LOOK } else { IN_LOG };
        // A terminal's line is drawn over; elsewhere a line may be as long as it is.
        let line = state.line(name, is_terminal.then(|| terminal::width_of_news().saturating_sub(1)));
        // Progress that cannot be shown is no reason to stop.
        let mut err = std::io::stderr();
        let _ = if is_terminal {
            write!(err, "\r\x1b[K{line}").and_then(|()| err.flush())
        } else {
            writeln!(err, "{line}")
        };
        is_shown = true;
    }
    clear(is_shown && is_terminal);
}

/// Back to the beginning of the line, and clear it.
fn clear(is_shown: bool) {
    if is_shown {
        let mut err = std::io::stderr();
        let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
    }
}

impl State {
    fn line(&self, name: &str, most: Option<usize>) -> String {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let line = now.line(name, self.begin.elapsed(), self.is_stopped());
        most.map_or(line.clone(), |most| within(&line, most))
    }
}

impl Now {
    fn line(&self, name: &str, passed: Duration, is_stopped: bool) -> String {
        if is_stopped {
            return format!("{name}: ending after {} (again to end at once)", self.what);
        }
        let Self { done, total, what } = self;
        if *total == 0 {
            return format!("{name}: {what} ...");
        }
        let part = (*done).min(*total) as f64 / *total as f64;
        let filled = (part * BAR as f64) as usize;
        let bar: String = (0..BAR).map(|at| if at < filled { '#' } else { '.' }).collect();
        // The first steps say little of the others.
        let left = (part >= 0.1).then(|| passed.as_secs_f64() * (1.0 - part) / part);
        let left = left.map(|left| format!(", about {} left", seconds(left))).unwrap_or_default();
        format!("{name} [{bar}] {:.0} %{left}: {what}", 100.0 * part)
    }
}

/// As many whole words of a line as fit: half a number is another number.
fn within(line: &str, most: usize) -> String {
    if line.width() <= most {
        return line.to_owned();
    }
    let mut ends = line.match_indices(' ').map(|(at, _)| &line[..at]);
    let fitting = ends.rfind(|words| words.width() + 2 <= most);
    fitting.map_or_else(|| line.chars().take(most).collect(), |words| format!("{words} …"))
}

fn seconds(seconds: f64) -> String {
    if seconds < 99.5 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) }
}

/// The signals that ask for the end, where they can be held back; elsewhere they end us, and nothing is written.
struct Signals {
    #[cfg(target_os = "linux")]
    held: Option<calor_record::Interrupt>,
}

impl Signals {
    fn hold() -> Self {
        Self {
            #[cfg(target_os = "linux")]
            held: calor_record::Interrupt::hold().ok(),
        }
    }

    fn n_heard(&self) -> usize {
        #[cfg(target_os = "linux")]
        return self.held.as_ref().map_or(0, calor_record::Interrupt::n_heard);
        #[cfg(not(target_os = "linux"))]
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_how_far_it_is_what_is_done_now_and_how_long_it_may_take() {
        let now = |done, total| Now { done, total, what: "matmul 512".to_owned() };
        let ten = Duration::from_secs(10);
        let cases = [
            (now(0, 0), false, "simd: matmul 512 ..."),
            (now(0, 4), false, "simd [....................] 0 %: matmul 512"),
            (now(1, 4), false, "simd [#####...............] 25 %, about 30 s left: matmul 512"),
            (now(9, 4), false, "simd [####################] 100 %, about 0 s left: matmul 512"),
            (now(1, 40), false, "simd [....................] 2 %: matmul 512"),
            (now(1, 4), true, "simd: ending after matmul 512 (again to end at once)"),
        ];
        for (now, is_stopped, expected) in cases {
            assert_eq!(now.line("simd", ten, is_stopped), expected);
        }
    }

    #[test]
    fn a_line_is_cut_between_words_and_nowhere_but_on_a_terminal() {
        let line = "tokenizer [####] 21 %, about 41 s left: inputs of 64 bytes";
        for (most, expected) in [
            (80, line),
            (58, line),
            (57, "tokenizer [####] 21 %, about 41 s left: inputs of 64 …"),
            (52, "tokenizer [####] 21 %, about 41 s left: inputs of …"),
            (4, "toke"),
        ] {
            assert_eq!(within(line, most), expected, "{most}");
        }
        let state =
            State { now: Mutex::default(), is_stopped: AtomicBool::new(false), begin: Instant::now() };
        let what = "inference 126 of 200 ".repeat(10);
        state.at(0, 0, &what);
        assert_eq!(state.line("model", None), format!("model: {what} ..."));
    }
}
