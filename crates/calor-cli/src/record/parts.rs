//! When a part of the profile is written, so that a recording that is killed loses no more than what came since. Each
//! part has its own tables of names, so that many small ones take more room: they become rarer as the recording goes
//! on.

use std::time::{Duration, Instant};

/// The first part is written after this long, so that a recorder that is killed soon leaves something.
const FIRST: Duration = Duration::from_secs(1);
/// How much longer each part waits than the one before, and the longest than the first. A part takes 10 to 15 ms of CPU
/// and a tenth of the file of a short recording of Python and NumPy; with this, 8 s have two parts before the last.
const LONGER: u32 = 3;
const MOST: u32 = 60;

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
        self.every = (self.every * LONGER).min(self.most);
        self.due = Instant::now() + self.every;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_become_rarer_up_to_a_minute() {
        let mut parts = Parts::new(None);
        let seconds: Vec<u64> = (0..6)
            .map(|_| {
                let every = parts.every.as_secs();
                parts.written();
                every
            })
            .collect();
        assert_eq!(seconds, [1, 3, 9, 27, 60, 60]);
    }
}
