//! What else was measured of the runs of an experiment. An experiment is decided by one metric; of the others it is told how
//! they changed, without a verdict.

use super::Trimmed;
use crate::verdict::Change;

/// By how much the second of each pair differs from the first: the middle of the ratios with the usual 95 % interval. Pairs of
/// which one was not measured are left out; `None` for fewer than two others.
#[must_use]
pub fn paired_change(first: &[f64], second: &[f64]) -> Option<Change> {
    let is_measured = |value: &f64| *value > 0.0 && value.is_finite();
    let pairs = first.iter().zip(second).filter(|(first, second)| is_measured(first) && is_measured(second));
    let differences: Vec<f64> = pairs.map(|(first, second)| (second / first).ln()).collect();
    let trimmed = Trimmed::of(&differences)?;
    let reach = trimmed.reach(1.959_964);
    Some(Change::from_logs(trimmed.centre, trimmed.centre - reach, trimmed.centre + reach))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_compared_and_what_was_not_measured_is_left_out() {
        let first = [10.0, 20.0, 0.0, 40.0, 80.0, f64::NAN];
        let second = [11.0, 22.2, 5.0, 43.6, 88.0, 1.0];
        let change = paired_change(&first, &second).unwrap();
        assert!((change.effect - 0.1).abs() < 0.01 && !change.holds_none(), "{change}");
        assert_eq!(paired_change(&first[..1], &second), None);
        assert_eq!(paired_change(&[], &[]), None);
    }
}
