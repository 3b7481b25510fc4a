//! A barrier that tells who came last, for whom the others waited.

use std::sync::{BarrierWaitResult, Mutex, PoisonError};

use calor_model::LinkKind;

use crate::link::{self, Signal};

/// As [`std::sync::Barrier`].
#[derive(Debug)]
pub struct Barrier {
    inner: std::sync::Barrier,
    n_threads: u64,
    arrivals: Mutex<Arrivals>,
}

/// Who arrived last in this round and in the one before: nobody arrives in the next but one before all have looked.
#[derive(Debug, Default)]
struct Arrivals {
    n_arrived: u64,
    last: [Signal; 2],
}

impl Barrier {
    /// A barrier for so many threads.
    #[must_use]
    pub const fn new(n: usize) -> Self {
        let arrivals = Arrivals { n_arrived: 0, last: [Signal::NONE; 2] };
        let n_threads = if n == 0 { 1 } else { n as u64 };
        Self { inner: std::sync::Barrier::new(n), n_threads, arrivals: Mutex::new(arrivals) }
    }

    /// Waits until as many threads have arrived as the barrier is for.
    pub fn wait(&self) -> BarrierWaitResult {
        // Not under the lock: an experiment may have this thread pause here, which must not keep the others.
        let arrived = link::signal();
        let wait = link::wait();
        let round = {
            let mut arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
            let round = (arrivals.n_arrived / self.n_threads % 2) as usize;
            // The first of a round forgets the round before the last.
            let earlier = if arrivals.n_arrived.is_multiple_of(self.n_threads) {
                Signal::NONE
            } else {
                arrivals.last[round]
            };
            arrivals.n_arrived += 1;
            arrivals.last[round] = earlier.later_of(arrived);
            round
        };
        let result = self.inner.wait();
        let last = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner).last[round];
        wait.end_as(LinkKind::Barrier, 0, last);
        result
    }
}
