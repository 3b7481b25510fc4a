//! Heap and resident memory over time, of all processes together, until they go into a profile.

use calor_model::Profile;

/// A look at all processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Point {
    at_nanos: u64,
    live_bytes: u64,
    resident_bytes: u64,
}

/// More are thinned out: every other one goes.
const MOST: usize = 2048;

/// Looks that were not written yet.
#[derive(Debug, Default)]
pub(super) struct Points {
    points: Vec<Point>,
    most_bytes: u64,
}

impl Points {
    pub(super) fn add(&mut self, at_nanos: u64, live_bytes: u64, resident_bytes: u64) {
        if self.points.len() >= MOST {
            let mut keep = false;
            self.points.retain(|_| {
                keep = !keep;
                keep
            });
        }
        self.most_bytes = self.most_bytes.max(live_bytes);
        self.points.push(Point { at_nanos, live_bytes, resident_bytes });
    }

    /// The most that was held at any look so far.
    pub(super) fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    /// Puts them into a profile, once.
    pub(super) fn write(&mut self, profile: &mut Profile) {
        for point in self.points.drain(..) {
            profile.push_heap_point(point.at_nanos, Some(point.live_bytes), Some(point.resident_bytes));
        }
    }
}
