//! When a part of the profile is written, so that a recording that is killed loses no more than what came since. Each
//! part has its own tables of names, so that many small ones take more room: they become rarer as the recording goes
//! on.

use std::time::{Duration, Instant};

/// The first part is written after this long.
const FIRST: Duration = Duration::from_secs(10);
/// How much longer the time between parts may become.
const MOST: u32 = 6;

/// The times of parts.
#[derive(Debug)]
pub(super) struct Parts {
    every: Duration,
    most: Duration,
    due: Instant,
}

impl Parts {
    pub(super) fn new(first: Option<Duration>) -> Self {
        let every = first.unwrap_or(FIRST);
        Self { every, most: every * MOST, due: Instant::now() + every }
    }

    /// Whether it is time for one.
    pub(super) fn is_due(&self) -> bool {
        Instant::now() >= self.due
    }

    /// One has been written.
    pub(super) fn written(&mut self) {
        self.every = (self.every * 2).min(self.most);
        self.due = Instant::now() + self.every;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_become_rarer_up_to_a_minute() {
        let mut parts = Parts::new(None);
        let seconds: Vec<u64> = (0..5)
            .map(|_| {
                let every = parts.every.as_secs();
                parts.written();
                every
            })
            .collect();
        assert_eq!(seconds, [10, 20, 40, 60, 60]);
    }
}
