//! Threads that came into being while events were being opened, by a thread whose events were not open yet: they
//! inherited nothing and would never be seen. A thread that uses CPU time without giving a sample is one of them.

use std::time::{Duration, Instant};

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use crate::process;
use crate::recording::session::Recording;
use crate::timers::thread_cpu_nanos;

/// How often threads are looked through.
const EVERY: Duration = Duration::from_millis(500);
/// A thread that has run for so many periods without a sample gives none.
const PERIODS: u64 = 50;

/// The search for them.
#[derive(Debug)]
pub(super) struct Latecomers {
    /// Threads that have events: opened on them, or inherited, as their samples show.
    covered: HashSet<i32, RandomState>,
    /// The others, and the CPU time they had when they were first met.
    suspects: HashMap<i32, u64, RandomState>,
    unseen_nanos: u64,
    next: Instant,
}

impl Latecomers {
    /// `before` are threads that were there before events were opened.
    pub(super) fn new(before: Vec<i32>, rate: u32) -> Self {
        let unseen_nanos = PERIODS * 1_000_000_000 / u64::from(rate.max(1));
        let covered = before.into_iter().chain([process::own_tid()]).collect();
        Self { covered, suspects: HashMap::default(), unseen_nanos, next: Instant::now() }
    }

    /// A thread that gives no samples because nobody wants them.
    pub(super) fn leave_out(&mut self, tid: i32) {
        self.suspects.remove(&tid);
        self.covered.insert(tid);
    }

    /// Opens events on threads that turn out to have none.
    pub(super) fn look(&mut self, recording: &mut Recording) {
        if Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + EVERY;
        let tids = process::threads_of(process::own_pid());
        let is_there: HashSet<i32, RandomState> = tids.iter().copied().collect();
        self.covered.retain(|tid| is_there.contains(tid));
        self.suspects.retain(|tid, _| is_there.contains(tid));
        for tid in tids {
            if self.covered.contains(&tid) {
                continue;
            }
            if recording.has_seen(tid) {
                self.suspects.remove(&tid);
                self.covered.insert(tid);
                continue;
            }
            let Some(cpu_nanos) = thread_cpu_nanos(tid) else { continue };
            let first = *self.suspects.entry(tid).or_insert(cpu_nanos);
            if cpu_nanos.saturating_sub(first) > self.unseen_nanos {
                recording.watch_too(tid);
                self.suspects.remove(&tid);
                self.covered.insert(tid);
            }
        }
    }
}
