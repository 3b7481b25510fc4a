//! What came and went between two looks at one process whose blocks were sampled. Both looks know the same samples: a block
//! that both hold is in neither side's error, and only those that one of them holds make the difference uncertain.

use calor_model::{HeapSite, Profile};

/// What a place allocated and freed until a look.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Flow {
    allocated: f64,
    freed: f64,
    /// That of `allocated`.
    variance: f64,
}

impl Flow {
    pub(super) fn of(site: &HeapSite) -> Self {
        Self {
            allocated: site.allocated_bytes as f64,
            freed: site.freed_bytes as f64,
            variance: site.allocated_variance,
        }
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self {
            allocated: self.allocated + other.allocated,
            freed: self.freed + other.freed,
            variance: self.variance + other.variance,
        }
    }

    /// The variance of what is held more, or less, at another look.
    ///
    /// How much of what was freed in between had come in between as well is not counted. Where that decides, it is taken to
    /// be as little as it can be: then more blocks are held by one look alone, and the interval is rather too wide.
    pub(super) fn variance_until(self, other: Self) -> f64 {
        let (first, last) = if self.allocated <= other.allocated { (self, other) } else { (other, self) };
        let (came, went) = (last.allocated - first.allocated, (last.freed - first.freed).abs());
        let came_and_went = (went - (first.allocated - first.freed).max(0.0)).clamp(0.0, came);
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let of_new = (last.variance - first.variance).max(0.0) * share(came - came_and_went, came);
        // Blocks of one path are much alike, so that what went has its part of the variance.
        let of_old = first.variance * share(went - came_and_went, first.allocated).min(1.0);
        of_new + of_old
    }
}

/// Whether two profiles are of one process, at two moments of its life.
pub(super) fn is_one_process(one: &Profile, other: &Profile) -> bool {
    matches!((&one.runs[..], &other.runs[..]), ([one], [other]) if one.id == other.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(allocated: f64, freed: f64) -> Flow {
        // A variance of 10 for each byte.
        Flow { allocated, freed, variance: 10.0 * allocated }
    }

    #[test]
    fn only_what_one_look_holds_alone_is_uncertain() {
        for (before, after, bytes) in [
            // Nothing happened, whatever is held.
            ((900.0, 100.0), (900.0, 100.0), 0.0),
            // What came is held by the second look alone.
            ((900.0, 100.0), (1000.0, 100.0), 100.0),
            // What went was held by the first alone.
            ((900.0, 100.0), (900.0, 400.0), 300.0),
            // Nothing was held before, so what went had come in between.
            ((900.0, 900.0), (5900.0, 5700.0), 200.0),
            // Some of both, as much of it as can be.
            ((900.0, 100.0), (1000.0, 150.0), 150.0),
            ((900.0, 800.0), (5900.0, 5800.0), 200.0),
        ] {
            let (before, after) = (flow(before.0, before.1), flow(after.0, after.1));
            let variance = before.variance_until(after);
            assert!((variance - 10.0 * bytes).abs() < 1e-6, "{before:?} {after:?}: {variance}");
            assert_eq!(variance, after.variance_until(before));
        }
    }
}
