//! What else was measured of the runs of an experiment. An experiment is decided by one metric; of the others it is told how
//! they changed, without a verdict.

use super::experiment::MISSED;
use super::{Comparison, Trimmed};
use crate::verdict::Change;

/// By how much the second of each pair differs from the first: the middle of the ratios with the usual 95 % interval. Pairs of
/// which one was not measured are left out; `None` for fewer than two others.
#[must_use]
pub fn paired_change(first: &[f64], second: &[f64]) -> Option<Change> {
    let trimmed = Trimmed::of(&differences(first, second))?;
    let reach = trimmed.reach(1.959_964);
    Some(Change::from_logs(trimmed.centre, trimmed.centre - reach, trimmed.centre + reach))
}

/// The least change that as many pairs, scattered as these, find four times in five: what an experiment says of itself, for
/// pairs of unchanged code. `None` for fewer than two pairs.
#[must_use]
pub fn smallest_paired_change(first: &[f64], second: &[f64]) -> Option<f64> {
    let trimmed = Trimmed::of(&differences(first, second))?;
    Some(Comparison::smallest_detectable(&trimmed, MISSED))
}

/// Ratios of pairs as logarithms.
fn differences(first: &[f64], second: &[f64]) -> Vec<f64> {
    let is_measured = |value: &f64| *value > 0.0 && value.is_finite();
    let pairs = first.iter().zip(second).filter(|(first, second)| is_measured(first) && is_measured(second));
    pairs.map(|(first, second)| (second / first).ln()).collect()
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

    #[test]
    fn the_more_pairs_scatter_the_larger_a_change_has_to_be() {
        let scattered = |part: f64| {
            let second: Vec<f64> = (0..25).map(|at| 1.0 + part * f64::from(at % 5 - 2)).collect();
            smallest_paired_change(&[1.0; 25], &second)
        };
        let (calm, loud) = (scattered(0.01).unwrap(), scattered(0.1).unwrap());
        assert!(calm > 0.002 && calm < 0.02, "{calm}");
        assert!(loud > 5.0 * calm, "{loud}");
        assert_eq!(smallest_paired_change(&[1.0], &[1.0]), None);
    }
}
