//! Rounds of a single run. What others do on the machine makes some of them slower, at times half of them, and none faster; what a
//! build does is in all. So the faster half is compared.

use super::RunFigures;
use super::shift::Shift;

/// By how much the faster half of some values, chosen for being that, varies too little: the variance of their mean is that of what
/// is left when the others are set to the median, by the variance of the chosen ones among themselves. Of values that are normally
/// distributed.
const CHOSEN: f64 = 1.87;

/// By how much a machine drifts from one run of some seconds to the next, as a standard deviation of logarithms: of pairs of runs of
/// one build on a machine that is shared, 1.0 % less what their rounds explain (benches/runs/2026-11-18-workloads.md).
const DRIFT: f64 = 0.009;

/// The rounds that took least, at least two, in their order.
pub(super) fn faster_half(rounds: &[RunFigures]) -> Vec<RunFigures> {
    let took = |at: &usize| rounds[*at].total() / rounds[*at].work;
    let mut order: Vec<usize> = (0..rounds.len()).collect();
    order.sort_by(|a, b| took(a).total_cmp(&took(b)));
    order.truncate(rounds.len().div_ceil(2).max(2));
    order.sort_unstable();
    order.into_iter().map(|at| rounds[at].clone()).collect()
}

/// Shifts between such halves vary as their choice allows for, and as machines drift between two runs.
pub(super) fn widen<'a>(shifts: impl IntoIterator<Item = &'a mut Shift>) {
    for shift in shifts {
        shift.variance = shift.variance.map(|variance| variance * CHOSEN + DRIFT * DRIFT);
    }
}

#[cfg(test)]
mod tests {
    use super::super::FunctionFigures;
    use super::*;
    use crate::chance::Chance;
    use crate::noise::gauss;

    fn rounds(totals: &[f64]) -> Vec<RunFigures> {
        let round = |total: &f64| {
            RunFigures::new(vec![FunctionFigures { value: *total, ..FunctionFigures::default() }])
        };
        totals.iter().map(round).collect()
    }

    #[test]
    fn the_half_that_took_least_is_kept_in_its_order() {
        let kept =
            |totals: &[f64]| faster_half(&rounds(totals)).iter().map(RunFigures::total).collect::<Vec<_>>();
        assert_eq!(kept(&[5.0, 1.0, 9.0, 2.0]), [1.0, 2.0]);
        assert_eq!(kept(&[5.0, 1.0, 9.0]), [5.0, 1.0]);
        assert_eq!(kept(&[4.0, 4.0, 4.0, 1.0]), [4.0, 1.0]);
        assert_eq!(kept(&[3.0, 2.0]), [3.0, 2.0]);
    }

    #[test]
    fn intervals_of_chosen_halves_miss_no_more_often_than_they_say() {
        let chance = &mut Chance::new(7);
        let n_sets = 2_000;
        let mut n_missed = 0;
        for _ in 0..n_sets {
            let mut side = || -> Vec<f64> {
                let mut logs: Vec<f64> = (0..10).map(|_| gauss(chance)).collect();
                logs.sort_unstable_by(f64::total_cmp);
                logs.truncate(5);
                logs
            };
            let mut shift = Shift::of(&side(), &side(), false);
            widen([&mut shift]);
            n_missed += usize::from(shift.p_value().is_some_and(|p| p < 0.05));
        }
        // One in twenty, and as far above as chance takes it.
        assert!(n_missed * 20 < n_sets * 13 / 10, "{n_missed} of {n_sets}");
    }
}
