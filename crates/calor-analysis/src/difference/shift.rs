//! By how much logarithms of one side lie above those of the other, and how well that is known.

use crate::distribution::{t_quantile, t_upper_tail};
use crate::paired::Trimmed;
use crate::verdict::Change;

/// The part of differences that is cut off at each end. Runs of profiles are few, so less than an experiment cuts off.
const CUT: f64 = 0.1;
/// Logarithms that are equal have a mean that is not quite theirs: less than this is rounding.
const ROUNDING: f64 = 1e-12;

/// In errors: the reach of an interval that misses by one time in twenty on either side, and on both together.
const ONE_SIDE: f64 = 1.645;
const BOTH_SIDES: f64 = 1.960;
/// In errors: by how much a shift falls short of the truth one time in five, and by how much it is off on either side.
const SHORT: f64 = 0.842;
const SHORT_ON_BOTH: f64 = 1.282;

/// A difference of logarithms with its error.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Shift {
    pub(super) centre: f64,
    /// Its standard error squared; `None` where a single run a side has no spread.
    pub(super) variance: Option<f64>,
    /// The degrees of freedom of the variance.
    pub(super) degrees: f64,
}

impl Shift {
    /// Run by run, where runs of both sides took turns, else side by side.
    pub(super) fn of(before: &[f64], after: &[f64], is_interleaved: bool) -> Self {
        if is_interleaved && before.len() == after.len() {
            let differences: Vec<f64> =
                after.iter().zip(before).map(|(after, before)| after - before).collect();
            if let Some(trimmed) = Trimmed::with_cut(&differences, CUT) {
                let variance = Some(trimmed.error * trimmed.error);
                return Self { centre: trimmed.centre, variance, degrees: trimmed.degrees }
                    .without_rounding();
            }
        }
        Self::of_sides(before, after)
    }

    /// The difference of means, with Welch's degrees of freedom. A side of one run is taken to spread as the other does.
    fn of_sides(before: &[f64], after: &[f64]) -> Self {
        let [before, after] = [before, after].map(|side| (side.len() as f64, mean(side), variance(side)));
        let centre = after.1 - before.1;
        let variances = match (before.2, after.2) {
            (None, None) => return Self { centre, variance: None, degrees: f64::INFINITY },
            (Some(one), None) | (None, Some(one)) => [one; 2],
            (Some(before), Some(after)) => [before, after],
        };
        let parts = [variances[0] / before.0, variances[1] / after.0];
        let sum = parts[0] + parts[1];
        let weighed = [(parts[0], before.0), (parts[1], after.0)]
            .map(|(part, n)| if n > 1.0 { part * part / (n - 1.0) } else { 0.0 });
        let weighed = weighed[0] + weighed[1];
        let degrees = if weighed > 0.0 { sum * sum / weighed } else { before.0 + after.0 - 2.0 };
        let degrees = degrees.clamp(1.0, (before.0 + after.0 - 2.0).max(1.0));
        Self { centre, variance: Some(sum), degrees }.without_rounding()
    }

    fn without_rounding(self) -> Self {
        let centre = if self.centre.abs() < ROUNDING { 0.0 } else { self.centre };
        let variance = self.variance.map(|it| if it < ROUNDING * ROUNDING { 0.0 } else { it });
        Self { centre, variance, ..self }
    }

    pub(super) fn error(&self) -> Option<f64> {
        self.variance.map(f64::sqrt)
    }

    /// The probability of a shift at least as large by chance; `None` without a spread.
    pub(super) fn p_value(&self) -> Option<f64> {
        let error = self.error()?;
        Some(match (self.centre == 0.0, error > 0.0) {
            (true, _) => 1.0,
            (false, false) => 0.0,
            (false, true) => 2.0 * t_upper_tail(self.centre.abs() / error, self.degrees),
        })
    }

    /// The change with an interval that misses the truth with this probability.
    pub(super) fn change(&self, missed: f64) -> Option<Change> {
        let reach = t_quantile(missed / 2.0, self.degrees) * self.error()?;
        Some(Change::from_logs(self.centre, self.centre - reach, self.centre + reach))
    }

    /// Whether it is within a margin, to the usual 5 % on either side.
    pub(super) fn is_within(&self, margin: f64) -> bool {
        let inside = self.change(0.1).map(|change| change.interval);
        let bound = margin.ln_1p();
        inside.is_some_and(|[low, high]| low >= (-bound).exp_m1() && high <= bound.exp_m1())
    }

    /// About how many runs a side would decide four times in five, if it truly is as it seems now, with so many: whether it lies
    /// within the margin or is a change. `None` where it lies so near to the margin that no number of runs would.
    pub(super) fn needs_runs(&self, margin: f64, is_interleaved: bool, n_runs: usize) -> Option<usize> {
        let (error, moved, bound) = (self.error()?, self.centre.abs(), margin.ln_1p());
        // What the error may be at most, so that the end that decides lies where it has to.
        let most = match (moved < bound, is_interleaved) {
            (true, _) => ((bound - moved) / (ONE_SIDE + SHORT)).min(bound / (ONE_SIDE + SHORT_ON_BOTH)),
            (false, true) => (moved / (BOTH_SIDES + SHORT)).min((moved - bound) / SHORT),
            (false, false) => (moved - bound) / (BOTH_SIDES + SHORT),
        };
        let n = (error / most).powi(2) * n_runs as f64;
        (n < 1e6).then(|| (n.ceil() as usize).max(n_runs + 1))
    }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// `None` of a single value.
fn variance(values: &[f64]) -> Option<f64> {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| squares / (values.len() - 1) as f64)
}

pub(super) fn median(values: &mut [f64]) -> Option<f64> {
    let n = values.len();
    values.sort_unstable_by(f64::total_cmp);
    Some((values.get(n.checked_sub(1)? / 2)? + values.get(n / 2)?) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_compared_as_welch_does() {
        // The example of many books: 27.5, 21.0, 19.0, 23.6, 17.0, 17.9 against 27.1, 22.0, 20.8, 23.4, 23.4, 23.5.
        let before = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9];
        let after = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5];
        let shift = Shift::of(&before, &after, false);
        assert!((shift.centre - 2.366_667).abs() < 1e-5 && (shift.degrees - 7.4).abs() < 0.5, "{shift:?}");
        assert!((shift.centre / shift.error().unwrap() - 1.2896).abs() < 1e-3, "{shift:?}");
    }

    #[test]
    fn runs_that_are_all_the_same_have_no_spread_and_no_shift() {
        for n in 2..30_usize {
            let log = (n as f64 * 1234.567).ln();
            for is_interleaved in [false, true] {
                let shift = Shift::of(
                    &vec![log; n],
                    &vec![log; if is_interleaved { n } else { 2 * n }],
                    is_interleaved,
                );
                assert_eq!((shift.centre, shift.variance), (0.0, Some(0.0)), "{n}");
            }
        }
    }

    #[test]
    fn runs_in_turns_leave_out_what_both_sides_share() {
        let before = [1.0, 5.0, 2.0, 9.0, 4.0];
        let after = [1.11, 5.09, 2.1, 9.12, 4.08];
        let p_value = |is_interleaved| Shift::of(&before, &after, is_interleaved).p_value().unwrap();
        assert!(p_value(true) < 0.01 && p_value(false) > 0.9);
    }

    #[test]
    fn so_many_runs_as_are_needed_leave_the_deciding_end_beyond_the_margin_or_within_it() {
        let (margin, n_now) = (0.05_f64, 8);
        let bound = margin.ln_1p();
        for (effect, error, is_interleaved, expected) in [
            // Eight and eight runs with +5.7 % (+4.1 to +7.2 %), +2.6 % (-0.6 to +5.9 %), and nothing at all.
            (0.057_f64, 0.0071, false, 60..100),
            (0.026, 0.0149, false, 18..28),
            (0.0, 0.0149, false, 9..10),
            (-0.057, 0.0071, false, 28..40),
            (0.3, 0.2, true, 35..45),
        ] {
            let centre = effect.ln_1p();
            let shift = Shift { centre, variance: Some(error * error), degrees: 14.0 };
            let n = shift.needs_runs(margin, is_interleaved, n_now).unwrap();
            assert!(expected.contains(&n), "{effect}: {n}");
            let error = error * (n_now as f64 / n as f64).sqrt();
            match centre.abs() < bound {
                true => assert!(centre.abs() + 1.645 * error < bound, "{effect}: {n}"),
                false if is_interleaved => assert!(centre.abs() - 1.96 * error > 0.0, "{effect}: {n}"),
                false => assert!(centre.abs() - 1.96 * error > bound, "{effect}: {n}"),
            }
        }
        let on_the_margin = Shift { centre: bound, variance: Some(1e-4), degrees: 14.0 };
        assert_eq!(on_the_margin.needs_runs(margin, false, n_now), None);
    }

    #[test]
    fn one_run_a_side_has_no_spread_and_equal_runs_have_none_either() {
        let one = Shift::of(&[1.0], &[1.5], true);
        assert_eq!((one.centre, one.p_value(), one.change(0.05)), (0.5, None, None));
        let exact = Shift::of(&[1.0; 3], &[1.5; 3], false);
        assert_eq!(exact.p_value(), Some(0.0));
        assert!(Shift::of(&[1.0; 3], &[1.0; 3], true).is_within(0.01));
        assert_eq!(Shift::of(&[1.0, 1.2], &[1.3], false).degrees, 1.0);
    }
}
