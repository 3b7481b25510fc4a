//! The recorder's thread: it reads the samples, and hands over what it has seen once a round. Nobody waits for it, and
//! it waits for nobody, so that neither a slow terminal nor a large library costs samples or holds up a key.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use calor_analysis::live::ProcessMemory;
use calor_model::Profile;
use calor_record::{Ended, Progress, Recording};
use rustix::process::{Pid, Signal, kill_process};

use super::memory;
use super::news::{News, Sent};

/// The longest the rings are left alone, and so the longest that an order takes to be heard.
const STEP: Duration = Duration::from_millis(100);
/// How long a program is given to end when it was asked to.
const GRACE: Duration = Duration::from_secs(3);

/// What was seen in one round.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) part: Arc<Profile>,
    pub(super) progress: Progress,
    /// How long the round was.
    pub(super) wall: Duration,
    /// CPU time of the program in it.
    pub(super) cpu_nanos: u64,
    pub(super) processes: Vec<ProcessMemory>,
    /// How the program ended, in the last of all.
    pub(super) ended: Option<Ended>,
}

/// What the thread needs.
pub(super) struct Feed {
    pub(super) recording: Recording,
    pub(super) refresh: Duration,
    /// Whether the program was started here, and so is ended with the view.
    pub(super) is_own: bool,
    /// Set when the view is left.
    pub(super) is_left: Arc<AtomicBool>,
    /// Set while a round is on its way: where a terminal takes long to draw on, rounds become longer, not many.
    pub(super) is_unread: Arc<AtomicBool>,
    pub(super) news: Sent,
}

impl Feed {
    /// Follows the program to its end, or until the view is left. How it ended, unless it goes on, and how far the
    /// recording came.
    pub(super) fn run(mut self) -> (Option<Ended>, Progress) {
        let ended = self.follow();
        (ended, self.recording.progress())
    }

    fn follow(&mut self) -> Option<Ended> {
        let now = Instant::now();
        let mut state = Rounds {
            last: now,
            elapsed: Duration::ZERO,
            cpu_nanos: 0,
            processes: Vec::new(),
            looked: Some(now),
        };
        loop {
            let due = state.last + self.refresh;
            let left = due.saturating_duration_since(Instant::now());
            let ended = match self.recording.step(left.min(STEP)) {
                Ok(ended) => ended,
                Err(error) => {
                    self.recording.stop();
                    self.news.tell(News::Failed(error.to_string()));
                    Some(Ended::Asked)
                }
            };
            state.note_memory(&self.recording);
            if self.is_left.load(Relaxed) && ended.is_none() {
                return self.leave();
            }
            let is_due = Instant::now() >= due && !self.is_unread.load(Relaxed);
            if ended.is_some() || is_due || self.recording.is_large() {
                self.is_unread.store(true, Relaxed);
                let look = self.look(&mut state, ended);
                self.news.tell(News::Look(Box::new(look)));
            }
            if ended == Some(Ended::Asked) || self.recording.is_asked() {
                self.news.tell(News::Leave);
            }
            if ended.is_some() {
                self.stand_by();
                return ended;
            }
        }
    }

    fn look(&mut self, state: &mut Rounds, ended: Option<Ended>) -> Look {
        let mut processes = memory::look(self.recording.processes());
        if processes.is_empty() {
            // All have ended since they were looked at.
            processes = std::mem::take(&mut state.processes);
        }
        let part = self.recording.take();
        let cpu_nanos = part.runs.first().and_then(|run| run.cpu_nanos).unwrap_or(0);
        let (now, progress) = (Instant::now(), self.recording.progress());
        let look = Look {
            part: Arc::new(part),
            progress,
            wall: progress.elapsed.saturating_sub(state.elapsed),
            cpu_nanos: cpu_nanos.saturating_sub(state.cpu_nanos),
            processes,
            ended,
        };
        (state.last, state.elapsed) = (now, progress.elapsed);
        (state.cpu_nanos, state.looked) = (cpu_nanos, None);
        look
    }

    /// What was recorded may be looked at for long after the end; signals that ask this process to end still count.
    fn stand_by(&mut self) {
        while !self.is_left.load(Relaxed) {
            match self.recording.wait_until_asked(STEP) {
                Ok(false) => {}
                Ok(true) | Err(_) => return self.news.tell(News::Leave),
            }
        }
    }

    /// Ends the program if it was started here, and gives it time to.
    fn leave(&mut self) -> Option<Ended> {
        if !self.is_own {
            self.recording.stop();
            return None;
        }
        if let Some(pid) = Pid::from_raw(self.recording.pid()) {
            // The program is our child and has not been waited for, so that the number is still its own.
            let _ = kill_process(pid, Signal::TERM);
        }
        let until = Instant::now() + GRACE;
        while Instant::now() < until {
            if let Ok(Some(ended)) = self.recording.step(STEP) {
                return Some(ended).filter(|ended| *ended != Ended::Asked);
            }
        }
        self.recording.stop();
        None
    }
}

/// When the last round ended, and what the program had used by then.
struct Rounds {
    last: Instant,
    /// How long was recorded before: the first round begins with the program, which may be before the first look.
    elapsed: Duration,
    cpu_nanos: u64,
    /// In the first round, the memory of processes that may have ended when it does, and when it was looked at.
    processes: Vec<ProcessMemory>,
    looked: Option<Instant>,
}

impl Rounds {
    /// Later on, what was seen in the round before is good enough.
    fn note_memory(&mut self, recording: &Recording) {
        if self.looked.is_some_and(|looked| looked.elapsed() >= STEP / 2) {
            let processes = memory::look(recording.processes());
            if !processes.is_empty() {
                self.processes = processes;
            }
            self.looked = Some(Instant::now());
        }
    }
}
