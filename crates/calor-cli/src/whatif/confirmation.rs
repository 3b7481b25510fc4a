//! What experiments say beside what was predicted.

use calor::causal::Outcome;
use calor_analysis::{Change, paired_change};

use super::candidate::Candidate;

/// A prediction that is off by so much of the run's time is still a good one.
const TOLERANCE: f64 = 0.05;

/// What the experiments say to a prediction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Agreement {
    /// The same.
    Confirmed,
    /// The run would gain less.
    Less,
    /// The run would gain more.
    More,
    /// The experiments differ too much to tell, or there are too few.
    Undecided,
    /// Nothing was predicted.
    Unpredicted,
}

impl Agreement {
    /// The word in JSON.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Less => "less",
            Self::More => "more",
            Self::Undecided => "undecided",
            Self::Unpredicted => "unpredicted",
        }
    }

    /// The words for people.
    pub(super) fn sentence(self) -> &'static str {
        match self {
            Self::Confirmed => "as predicted",
            Self::Less => "less than predicted",
            Self::More => "more than predicted",
            Self::Undecided => "undecided: try more --rounds",
            Self::Unpredicted => "",
        }
    }
}

/// A candidate and what was found of it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Confirmation {
    pub(super) candidate: Candidate,
    /// How many times as fast the run would be, with the interval of that; `None` for too few experiments.
    pub(super) tried: Option<(f64, [f64; 2])>,
    pub(super) n_pairs: usize,
    pub(super) agreement: Agreement,
}

impl Confirmation {
    pub(super) fn of(candidate: &Candidate, outcome: &Outcome) -> Self {
        let pairs = outcome.pairs(&candidate.scope, candidate.factor);
        let (without, with): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let change = paired_change(&without, &with);
        let overall = |effect: f64| 1.0 / (1.0 + effect);
        let tried = change
            .map(|Change { effect, interval: [low, high] }| (overall(effect), [overall(high), overall(low)]));
        let agreement = match (candidate.predicted, change) {
            (None, _) => Agreement::Unpredicted,
            (Some(_), None) => Agreement::Undecided,
            (Some(predicted), Some(change)) => agreement(1.0 / predicted - 1.0, change),
        };
        Self { candidate: candidate.clone(), tried, n_pairs: pairs.len(), agreement }
    }
}

/// Both as parts of the run's time.
fn agreement(predicted: f64, change: Change) -> Agreement {
    let [low, high] = change.interval;
    match (change.effect - predicted).abs() <= TOLERANCE {
        true => Agreement::Confirmed,
        // The prediction lies outside of what is possible, and by more than it may.
        false if low > predicted + TOLERANCE => Agreement::Less,
        false if high < predicted - TOLERANCE => Agreement::More,
        false => Agreement::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prediction_is_confirmed_or_not_or_neither() {
        let judged = |predicted: f64, effect: f64, reach: f64| {
            agreement(1.0 / predicted - 1.0, Change { effect, interval: [effect - reach, effect + reach] })
        };
        // 2 x as fast is half the time: -50 %.
        assert_eq!(judged(2.0, -0.48, 0.01), Agreement::Confirmed);
        assert_eq!(judged(2.0, -0.20, 0.05), Agreement::Less);
        assert_eq!(judged(1.0, -0.20, 0.05), Agreement::More);
        assert_eq!(judged(2.0, -0.42, 0.10), Agreement::Undecided);
        assert_eq!(judged(f64::INFINITY, -0.99, 0.01), Agreement::Confirmed);
    }
}
