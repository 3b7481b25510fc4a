//! What experiments say beside what was predicted.

use super::WhatIfCandidate;
use crate::{Change, paired_change};

/// A prediction that is off by so much of the run's time is still a good one.
const TOLERANCE: f64 = 0.05;

/// What the experiments say to a prediction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhatIfAgreement {
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

/// A candidate and what was found of it.
#[derive(Clone, PartialEq, Debug)]
pub struct WhatIfConfirmation {
    /// What was tried.
    pub candidate: WhatIfCandidate,
    /// How many times as fast the run would be, with the interval of that; `None` for too few experiments.
    pub tried: Option<(f64, [f64; 2])>,
    /// How many pairs of experiments there were, with and without the speed-up.
    pub n_pairs: usize,
    /// What they say to the prediction.
    pub agreement: WhatIfAgreement,
}

impl WhatIfConfirmation {
    /// What pairs of experiments, without and with the speed-up, say to a candidate.
    #[must_use]
    pub fn of(candidate: &WhatIfCandidate, pairs: &[(f64, f64)]) -> Self {
        let (without, with): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let change = paired_change(&without, &with);
        let overall = |effect: f64| 1.0 / (1.0 + effect);
        let tried = change
            .map(|Change { effect, interval: [low, high] }| (overall(effect), [overall(high), overall(low)]));
        let agreement = match (candidate.predicted, change) {
            (None, _) => WhatIfAgreement::Unpredicted,
            (Some(_), None) => WhatIfAgreement::Undecided,
            (Some(predicted), Some(change)) => agreement(1.0 / predicted - 1.0, change),
        };
        Self { candidate: candidate.clone(), tried, n_pairs: pairs.len(), agreement }
    }
}

/// Both as parts of the run's time.
fn agreement(predicted: f64, change: Change) -> WhatIfAgreement {
    let [low, high] = change.interval;
    match (change.effect - predicted).abs() <= TOLERANCE {
        true => WhatIfAgreement::Confirmed,
        // The prediction lies outside of what is possible, and by more than it may.
        false if low > predicted + TOLERANCE => WhatIfAgreement::Less,
        false if high < predicted - TOLERANCE => WhatIfAgreement::More,
        false => WhatIfAgreement::Undecided,
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
        assert_eq!(judged(2.0, -0.48, 0.01), WhatIfAgreement::Confirmed);
        assert_eq!(judged(2.0, -0.20, 0.05), WhatIfAgreement::Less);
        assert_eq!(judged(1.0, -0.20, 0.05), WhatIfAgreement::More);
        assert_eq!(judged(2.0, -0.42, 0.10), WhatIfAgreement::Undecided);
        assert_eq!(judged(f64::INFINITY, -0.99, 0.01), WhatIfAgreement::Confirmed);
    }
}
