//! What a fix would give the whole program, as an interval with its reason. A part of the time that becomes `k` times
//! faster makes the whole `1 / (1 - s + s / k)` times faster (Amdahl), and neither `s` nor `k` is known exactly.

use super::Share;

/// No gain is told above this: a part that takes nearly all of the time leaves a rest that nobody has measured.
const MOST: f64 = 1_000.0;

/// The gain of the whole program.
#[derive(Clone, PartialEq, Debug)]
pub struct Gain {
    /// At least so many times faster; 1 where it is not about time.
    pub low: f64,
    /// At most so many times faster.
    pub high: f64,
    /// At least so many times faster at the place itself; `None` where the place would be gone.
    pub local_low: Option<f64>,
    /// At most so many times faster at the place itself.
    pub local_high: Option<f64>,
    /// How many times less memory would be held where the heap is largest, from and to; `None` where it is not about memory.
    pub memory: Option<(f64, f64)>,
    /// The part of the whole that the place takes: of the time, or of the memory.
    pub share: Share,
    /// Why, in words that end a sentence: "if the loop reaches half to all of the measured peak".
    pub reason: String,
}

impl Gain {
    /// A part of the time that becomes between `local.0` and `local.1` times faster.
    #[must_use]
    pub fn faster(share: Share, local: (f64, f64), reason: impl Into<String>) -> Self {
        let (local_low, local_high) = ordered(local);
        Self {
            low: whole(share.low, local_low),
            high: whole(share.high, local_high),
            local_low: Some(local_low).filter(|local| local.is_finite()),
            local_high: Some(local_high).filter(|local| local.is_finite()),
            memory: None,
            share,
            reason: reason.into(),
        }
    }

    /// A part of the time of which between `removed.0` and `removed.1` would not be spent at all.
    #[must_use]
    pub fn removed(share: Share, removed: (f64, f64), reason: impl Into<String>) -> Self {
        let speed_up = |removed: f64| 1.0 / (1.0 - removed.clamp(0.0, 1.0));
        Self::faster(share, (speed_up(removed.0), speed_up(removed.1)), reason)
    }

    /// A part of the memory at the peak of which between `removed.0` and `removed.1` would not be held.
    #[must_use]
    pub fn memory(share: Share, removed: (f64, f64), reason: impl Into<String>) -> Self {
        let Self { low, high, .. } = Self::removed(share, removed, "");
        Self {
            low: 1.0,
            high: 1.0,
            local_low: None,
            local_high: None,
            memory: Some((low, high)),
            share,
            reason: reason.into(),
        }
    }

    /// What severity and order follow from: the least that is gained, be it time or memory.
    #[must_use]
    pub fn least(&self) -> f64 {
        self.memory.map_or(self.low, |(low, _)| self.low.max(low))
    }

    /// The most that is gained.
    #[must_use]
    pub fn most(&self) -> f64 {
        self.memory.map_or(self.high, |(_, high)| self.high.max(high))
    }
}

fn ordered((one, other): (f64, f64)) -> (f64, f64) {
    // A fix that makes a place slower is none.
    let bounded = |local: f64| if local.is_nan() { 1.0 } else { local.max(1.0) };
    let (one, other) = (bounded(one), bounded(other));
    (one.min(other), one.max(other))
}

fn whole(share: f64, local: f64) -> f64 {
    (1.0 / (1.0 - share + share / local)).clamp(1.0, MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(gain: &Gain) -> (f64, f64) {
        ((gain.low * 1000.0).round() / 1000.0, (gain.high * 1000.0).round() / 1000.0)
    }

    #[test]
    fn half_of_the_time_twice_as_fast_is_a_third_more_speed() {
        let gain = Gain::faster(Share::exact(0.5), (2.0, 4.0), "");
        assert_eq!(rounded(&gain), (1.333, 1.6));
        assert_eq!((gain.local_low, gain.local_high), (Some(2.0), Some(4.0)));
        assert_eq!((gain.least(), gain.most()), (gain.low, gain.high));
    }

    #[test]
    fn the_least_is_of_the_least_share_and_the_most_of_the_most() {
        let gain = Gain::removed(Share::between(0.1, 0.2, 0.3), (0.5, 1.0), "");
        assert_eq!(rounded(&gain), (1.053, 1.429));
        assert_eq!((gain.local_low, gain.local_high), (Some(2.0), None));
    }

    #[test]
    fn nothing_makes_the_whole_slower_or_infinitely_fast() {
        let gain = Gain::faster(Share::exact(1.0), (f64::NAN, f64::INFINITY), "");
        assert_eq!((gain.low, gain.high), (1.0, MOST));
        assert_eq!(rounded(&Gain::faster(Share::exact(0.9), (8.0, 0.1), "")), (1.0, 4.706));
    }

    #[test]
    fn memory_is_no_time() {
        let gain = Gain::memory(Share::exact(0.5), (0.5, 1.0), "");
        assert_eq!(
            (rounded(&gain), gain.memory.map(|(low, high)| (low > 1.33, high))),
            ((1.0, 1.0), Some((true, 2.0)))
        );
        assert_eq!(gain.most(), 2.0);
    }
}
