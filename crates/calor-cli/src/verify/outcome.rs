//! What was promised against what was measured.

use calor_analysis::{Doubt, Metric};
use calor_store::Verification;

use super::prediction::Prediction;
use crate::ab::Compared;

/// What it came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kept {
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
    pub(super) fn word(self) -> &'static str {
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
pub(super) struct Measured {
    pub(super) gain: f64,
    pub(super) interval: [f64; 2],
}

/// All of it.
pub(super) struct Outcome {
    pub(super) kept: Kept,
    /// What was promised of what was measured: at least and at most.
    pub(super) promised: [f64; 2],
    /// `None` where too few pairs were measured.
    pub(super) measured: Option<Measured>,
    /// Whether the gain is at least the one that was measured: what is left is too little to be.
    pub(super) is_bound: bool,
}

impl Outcome {
    pub(super) fn of(prediction: &Prediction, compared: &Compared) -> Self {
        let comparison = &compared.comparison;
        let promised = prediction.promised(comparison.metric, compared.before);
        let measured = comparison.change.map(|change| Measured {
            gain: 1.0 / (1.0 + change.effect),
            interval: [1.0 / (1.0 + change.interval[1]), 1.0 / (1.0 + change.interval[0])],
        });
        let kept = measured.map_or(Kept::Undecided, |measured| judged(promised, measured));
        let kept = sure(kept, comparison.doubt);
        let kept = if compared.is_bound { at_least(kept) } else { kept };
        Self { kept, promised, measured, is_bound: compared.is_bound }
    }

    /// What is kept of it; `None` where nothing was measured.
    pub(super) fn verification(&self, prediction: &Prediction, metric: Metric) -> Option<Verification> {
        let measured = self.measured?;
        let mut kept = Verification::default();
        kept.rule.clone_from(&prediction.finding.rule);
        kept.version = prediction.finding.version;
        kept.place = prediction.place();
        kept.metric = metric.word().to_owned();
        kept.predicted = self.promised;
        kept.measured = measured.gain;
        kept.measured_interval = measured.interval;
        kept.outcome = self.kept.word().to_owned();
        Some(kept)
    }
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
fn judged([low, high]: [f64; 2], measured: Measured) -> Kept {
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

    #[test]
    fn a_gain_is_beside_the_interval_only_when_that_is_sure() {
        let kept = |gain, interval| judged([1.2, 1.5], Measured { gain, interval });
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
}
