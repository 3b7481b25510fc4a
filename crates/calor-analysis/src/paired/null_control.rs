//! The first variant against itself. Its runs differ by nothing but the machine, so a difference between every other one of
//! them and the rest says how far the machine can be trusted just then.

use super::Trimmed;
use crate::verdict::Change;

/// Chance alone is called unstable in one of so many experiments.
const ONE_IN: f64 = 100.0;
/// The usual 95 %.
const DEVIATIONS: f64 = 1.959_964;

/// What the comparison of the first variant with itself came to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NullControl {
    /// How many pairs of its own runs there were.
    pub n_pairs: usize,
    /// By how much its later runs differ from those just before.
    pub change: Change,
    /// Whether that is more than chance explains.
    pub is_stable: bool,
}

impl NullControl {
    /// From logarithms of its measurements in the order of time; `None` for fewer than eight, which say little.
    pub(super) fn of(logs: &[f64]) -> Option<Self> {
        let differences: Vec<f64> = logs.chunks_exact(2).map(|pair| pair[1] - pair[0]).collect();
        let trimmed = Trimmed::of(&differences).filter(|_| differences.len() >= 4)?;
        let reach = trimmed.reach(DEVIATIONS);
        Some(Self {
            n_pairs: differences.len(),
            change: Change::from_logs(trimmed.centre, trimmed.centre - reach, trimmed.centre + reach),
            is_stable: trimmed.p_value() * ONE_IN >= 1.0,
        })
    }

    /// The word used in files.
    #[must_use]
    pub fn word(&self) -> &'static str {
        if self.is_stable { "ok" } else { "unstable" }
    }

    /// Whether a change is larger than what the machine alone does: the least that it can be is more than the most that this
    /// can be.
    pub(super) fn is_exceeded_by(&self, change: &Change) -> bool {
        let least = change.interval[0].max(-change.interval[1]).max(0.0);
        let most = self.change.interval[1].max(-self.change.interval[0]);
        self.is_stable || least > most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_alternate_between_two_speeds_are_unstable() {
        let wobble = |at: usize| 0.001 * (at * 7 % 5) as f64;
        let logs: Vec<f64> = (0..40).map(|at| wobble(at) + if at % 2 == 0 { 0.0 } else { 0.05 }).collect();
        let control = NullControl::of(&logs).unwrap();
        assert!(!control.is_stable && control.word() == "unstable", "{control:?}");
        let change = |low: f64, high: f64| Change { effect: (low + high) / 2.0, interval: [low, high] };
        assert!(control.is_exceeded_by(&change(0.2, 0.3)) && control.is_exceeded_by(&change(-0.3, -0.2)));
        assert!(!control.is_exceeded_by(&change(0.01, 0.3)) && !control.is_exceeded_by(&change(-0.3, 0.2)));
    }

    #[test]
    fn few_runs_have_no_control() {
        assert_eq!(NullControl::of(&[0.0; 7]), None);
        assert!(NullControl::of(&[0.0; 8]).unwrap().is_stable);
    }
}
