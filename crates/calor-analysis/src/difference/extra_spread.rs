//! What scatters functions from build to build or from one state of the machine to the next, and shows in no run by itself.
//!
//! A busy neighbour slows code that waits for memory more than code that counts; another build puts functions elsewhere. All
//! runs of one side share that, so their spread does not tell. But most functions were not changed: if those differ by more
//! than their runs explain, this much of a difference is not a finding for any function (Efron's empirical null, 2004).

use super::shift::{Shift, median};
use crate::distribution::t_quantile;

/// With fewer functions than this, changed ones would pass for usual.
const FEWEST: usize = 20;
/// The same where most are known to have moved together: what moved them is likely to have moved some by more.
const FEWEST_MOVED: usize = 10;

/// The variance that most functions have beyond that of their runs, when `are_moved` together or not.
pub(super) fn extra_variance(shifts: &[Shift], are_moved: bool) -> f64 {
    let fewest = if are_moved { FEWEST_MOVED } else { FEWEST };
    let mut known: Vec<(f64, f64, f64)> = shifts
        .iter()
        .filter_map(|shift| Some((shift.centre.abs(), shift.variance?, t_quantile(0.25, shift.degrees))))
        .collect();
    if known.len() < fewest {
        return 0.0;
    }
    // The steadiest tell: of those that differ by much more, a little error in how much would pass for all that is missing.
    known.sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
    let widest = 2.0 * known[fewest.max(known.len() / 4) - 1].1;
    known.retain(|(_, variance, _)| *variance <= widest);
    // Half of all distances are below the quantile if nothing is missing; a median of so many differs by chance.
    let expected = 1.0 + 1.0 / (known.len() as f64).sqrt();
    let is_enough = |extra: f64| {
        let mut distances: Vec<f64> = known
            .iter()
            .map(|(distance, variance, quantile)| {
                distance / ((variance + extra).sqrt() * quantile).max(1e-300)
            })
            .collect();
        median(&mut distances).is_none_or(|median| median <= expected)
    };
    if is_enough(0.0) {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1e-9);
    while !is_enough(high) && high < 1e6 {
        low = high;
        high *= 4.0;
    }
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if is_enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// What single runs say of the spread of functions: nothing but how far most of them are apart. `None` for too few.
pub(super) fn spread_of_single_runs(centres: &[f64]) -> Option<f64> {
    let mut distances: Vec<f64> = centres.iter().map(|centre| centre.abs()).collect();
    let deviation = median(&mut distances).filter(|_| centres.len() >= FEWEST)? / 0.674_49;
    Some(deviation * deviation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::noise::gauss;

    fn shifts(extra: f64, n_changed: usize) -> Vec<Shift> {
        let mut chance = Chance::new(9);
        (0..200)
            .map(|at| {
                let error = if at % 2 == 0 { 0.01 } else { 0.03 };
                let changed = if at < n_changed { 0.5 } else { 0.0 };
                let centre = changed + error * gauss(&mut chance) + extra * gauss(&mut chance);
                Shift { centre, variance: Some(error * error), degrees: 1e4 }
            })
            .collect()
    }

    #[test]
    fn what_runs_do_not_explain_is_found_whatever_a_few_functions_do() {
        for n_changed in [0, 20] {
            let found = extra_variance(&shifts(0.04, n_changed), false).sqrt();
            assert!((0.03..0.055).contains(&found), "{found}");
        }
        assert!(extra_variance(&shifts(0.0, 0), false).sqrt() < 0.004);
        assert_eq!(extra_variance(&shifts(0.04, 0)[..15], false), 0.0);
        assert!(extra_variance(&shifts(0.04, 0)[..15], true).sqrt() > 0.02);
    }
}
