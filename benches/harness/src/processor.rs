//! One processor for everyone who is compared. Those of a machine are not alike: here one was 5 % slower than the other for
//! hours, and whoever happened to be put on it looked slower by that.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The processors that this thread may use, as they were before it took turns.
#[derive(Debug)]
pub struct Processors {
    all: CpuSet,
    numbers: Vec<usize>,
}

impl Processors {
    /// Those of this thread; none where the system does not tell.
    #[must_use]
    pub fn of_thread() -> Self {
        let all = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
        Self { numbers: (0..CpuSet::MAX_CPU).filter(|number| all.is_set(*number)).collect(), all }
    }

    /// Keeps this thread, and what it starts from now on, on the processor of a round: the next one in each.
    pub fn of_round(&self, round: usize) {
        if let Some(at) = round.checked_rem(self.numbers.len()) {
            let mut one = CpuSet::new();
            one.set(self.numbers[at]);
            // Where it is refused, all may use all, as before.
            let _ = sched_setaffinity(None, &one);
        }
    }
}

impl Drop for Processors {
    fn drop(&mut self) {
        if !self.numbers.is_empty() {
            let _ = sched_setaffinity(None, &self.all);
        }
    }
}
