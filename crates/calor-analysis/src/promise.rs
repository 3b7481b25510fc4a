//! What a finding promised against what was measured: `calor verify` holds predictions to their word.

use crate::findings::Gain;
use crate::{Comparison, Doubt, Metric};

/// A process keeps at least this part of its memory, whatever is removed from its heap.
const LEAST_LEFT: f64 = 0.01;

/// What it came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// The gain lies in the interval.
    Delivered,
    /// It is less, for sure.
    Less,
    /// It is more, for sure.
    More,
    /// It may be either.
    Undecided,
}

impl Kept {
    /// The word for it in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Less => "less",
            Self::More => "more",
            Self::Undecided => "undecided",
        }
    }
}

/// A measured gain: how many times less it takes after the change.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MeasuredGain {
    /// The best guess.
    pub gain: f64,
    /// Where it truly lies, in 95 of 100 such comparisons.
    pub interval: [f64; 2],
}

/// A promise and what became of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Promise {
    /// What became of it.
    pub kept: Kept,
    /// What was promised of what was measured: at least and at most.
    pub promised: [f64; 2],
    /// `None` where too few pairs were measured.
    pub measured: Option<MeasuredGain>,
    /// Whether the gain is at least the one that was measured: what is left is too little to be.
    pub is_bound: bool,
}

impl Promise {
    /// From commands before and after the change, which took turns.
    #[must_use]
    pub fn of(promised: [f64; 2], comparison: &Comparison, is_bound: bool) -> Self {
        let measured = comparison.change.map(|change| MeasuredGain {
            gain: 1.0 / (1.0 + change.effect),
            interval: [1.0 / (1.0 + change.interval[1]), 1.0 / (1.0 + change.interval[0])],
        });
        let kept = measured.map_or(Kept::Undecided, |measured| judged(promised, measured));
        let kept = sure(kept, comparison.doubt);
        let kept = if is_bound { at_least(kept) } else { kept };
        Self { kept, promised, measured, is_bound }
    }
}

/// The interval that a gain promises of what is measured, which takes so much `before` the change; `heap` is what the heap held at
/// its peak.
#[must_use]
pub fn promised(gain: &Gain, metric: Metric, before: Option<f64>, heap: Option<u64>) -> [f64; 2] {
    match (gain.memory, before, heap) {
        (Some(factors), Some(process), Some(heap)) if metric == Metric::Rss => {
            of_process(factors, heap as f64, process)
        }
        (Some((low, high)), _, _) if metric == Metric::Rss => [low, high],
        _ => [gain.low, gain.high],
    }
}

/// How many times less the process holds if its heap holds that many times less at its peak. Code, stacks and libraries stay;
/// and what was asked for and never touched is no memory of the process, so that none is saved with it.
fn of_process((low, high): (f64, f64), heap: f64, process: f64) -> [f64; 2] {
    let saved = |factor: f64| heap * (1.0 - 1.0 / factor.max(1.0));
    let untouched = (heap - process).max(0.0);
    let factor = |saved: f64| process / (process - saved).max(process * LEAST_LEFT);
    [factor((saved(low) - untouched).max(0.0)), factor(saved(high).min(process))]
}

/// What is left of it where the comparison has its doubts. Where it is not even clear that something changed nothing was
/// delivered yet, though it may be clear that it is less than promised.
fn sure(kept: Kept, doubt: Option<Doubt>) -> Kept {
    match (kept, doubt) {
        (kept, None) | (kept @ (Kept::Less | Kept::More), Some(Doubt::NotClear)) => kept,
        _ => Kept::Undecided,
    }
}

/// What is left of it where the gain may be larger than measured: that it is less than promised is not known then.
fn at_least(kept: Kept) -> Kept {
    match kept {
        Kept::Less => Kept::Undecided,
        kept => kept,
    }
}

/// A gain that seems to lie in the interval is taken to. One that seems to lie beside it is only told to where its own interval
/// is clear of it.
fn judged([low, high]: [f64; 2], measured: MeasuredGain) -> Kept {
    let [from, to] = measured.interval;
    match measured.gain {
        gain if (low..=high).contains(&gain) => Kept::Delivered,
        _ if to < low => Kept::Less,
        _ if from > high => Kept::More,
        _ => Kept::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Share;

    #[test]
    fn a_gain_is_beside_the_interval_only_when_that_is_sure() {
        let kept = |gain, interval| judged([1.2, 1.5], MeasuredGain { gain, interval });
        assert_eq!(kept(1.3, [1.0, 1.6]), Kept::Delivered);
        assert_eq!(kept(1.2, [1.1, 1.3]), Kept::Delivered);
        assert_eq!(kept(1.1, [1.05, 1.19]), Kept::Less);
        assert_eq!(kept(1.1, [1.05, 1.25]), Kept::Undecided);
        assert_eq!(kept(1.7, [1.6, 1.8]), Kept::More);
        assert_eq!(kept(1.55, [1.4, 1.7]), Kept::Undecided);
    }

    #[test]
    fn a_gain_of_at_least_so_much_may_be_more() {
        let kept = [Kept::Less, Kept::Delivered, Kept::More, Kept::Undecided].map(at_least);
        assert_eq!(kept, [Kept::Undecided, Kept::Delivered, Kept::More, Kept::Undecided]);
    }

    #[test]
    fn what_the_comparison_doubts_is_not_delivered() {
        assert_eq!(sure(Kept::Delivered, None), Kept::Delivered);
        for doubt in [Doubt::TooFewPairs, Doubt::NotClear, Doubt::UnstableMachine] {
            assert_eq!(sure(Kept::Delivered, Some(doubt)), Kept::Undecided);
        }
        assert_eq!(sure(Kept::Less, Some(Doubt::NotClear)), Kept::Less);
        assert_eq!(sure(Kept::Less, Some(Doubt::TooFewPairs)), Kept::Undecided);
    }

    #[test]
    fn less_heap_is_not_as_much_less_memory_of_the_process() {
        let rounded = |factors: [f64; 2]| factors.map(|factor| (factor * 100.0).round() / 100.0);
        // A heap of 100 that becomes 50 to 25 in a process of 150, 50 of which stay.
        assert_eq!(rounded(of_process((2.0, 4.0), 100.0, 150.0)), [1.5, 2.0]);
        // Of a heap of 100 the process holds 80: at least 30 of the 50 were touched.
        assert_eq!(rounded(of_process((2.0, 4.0), 100.0, 80.0)), [1.6, 16.0]);
        // A process that holds nearly nothing promises nothing for sure.
        assert_eq!(rounded(of_process((2.0, 4.0), 100.0, 10.0))[0], 1.0);
        assert_eq!(of_process((1.0, f64::INFINITY), 100.0, 100.0), [1.0, 1.0 / LEAST_LEFT]);
    }

    #[test]
    fn a_promise_is_of_what_is_measured() {
        let gain = Gain::memory(Share::exact(0.5), (1.0, 1.0), "");
        assert_eq!(promised(&gain, Metric::Rss, Some(200.0), Some(100)), [200.0 / 150.0; 2]);
        assert_eq!(promised(&gain, Metric::Rss, None, Some(100)), [2.0; 2]);
        assert_eq!(promised(&gain, Metric::Cpu, Some(7.0), Some(100)), [1.0; 2]);
    }
}
