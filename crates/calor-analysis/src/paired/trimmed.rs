//! The middle of a list of differences, and how well it is known, when some of them are far off.
//!
//! On a shared machine a few runs in a hundred are disturbed, and a mean follows them. The mean of the middle three fifths
//! does not, and for undisturbed differences it is nearly as good as the whole mean; its error follows from the differences
//! with the cut-off ends moved to the cut (Tukey and McLaughlin, 1963).

use crate::distribution::{normal, t_quantile, t_upper_tail};

/// The part that is usually cut off at each end.
const CUT: f64 = 0.2;

/// A probability below which nothing is told apart: it never happens.
const NEVER: f64 = 1e-30;

/// A trimmed mean with its error.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Trimmed {
    /// How many differences there were.
    pub(crate) n: usize,
    /// Their trimmed mean.
    pub(crate) centre: f64,
    /// Its standard error; 0 where all differences are the same.
    pub(crate) error: f64,
    /// The degrees of freedom of that error.
    pub(crate) degrees: f64,
}

impl Trimmed {
    /// `None` for fewer than two differences, which have no spread.
    pub(crate) fn of(differences: &[f64]) -> Option<Self> {
        Self::with_cut(differences, CUT)
    }

    /// With another part cut off.
    pub(crate) fn with_cut(differences: &[f64], cut: f64) -> Option<Self> {
        let mut sorted = differences.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let cut = (cut * sorted.len() as f64) as usize;
        let trimmed = Self::of_sorted(&sorted, cut)?;
        // Where most differences are the same, as with a coarse clock, what is cut off is all that differs.
        if trimmed.error > 0.0 { Some(trimmed) } else { Self::of_sorted(&sorted, 0) }
    }

    fn of_sorted(sorted: &[f64], cut: usize) -> Option<Self> {
        let n = sorted.len();
        let kept = &sorted[cut..n - cut];
        let degrees = kept.len().checked_sub(1).filter(|degrees| *degrees > 0)?;
        let (n_all, n_kept) = (n as f64, kept.len() as f64);
        let centre = kept.iter().sum::<f64>() / n_kept;
        let ends = cut as f64 * (kept[0] + kept[kept.len() - 1]);
        let moved_mean = (centre * n_kept + ends) / n_all;
        let square = |value: &f64| (value - moved_mean).powi(2);
        let squares = kept.iter().map(square).sum::<f64>()
            + cut as f64 * (square(&kept[0]) + square(&kept[kept.len() - 1]));
        let deviation = (squares / (n_all - 1.0)).sqrt();
        let error = deviation / (n_kept / n_all * n_all.sqrt());
        Some(Self { n, centre, error, degrees: degrees as f64 })
    }

    /// How far the centre lies above `value`, in standard deviations of a normal distribution. Never further than the signs
    /// of so many differences alone could tell: a spread that happens to be tiny proves nothing.
    pub(crate) fn deviations_above(&self, value: f64) -> f64 {
        let distance = self.centre - value;
        if distance == 0.0 {
            return 0.0;
        }
        let tail = t_upper_tail(distance.abs() / self.error, self.degrees);
        let least = 0.5_f64.powf(self.n as f64).max(NEVER);
        normal::upper_quantile(tail.max(least)).copysign(distance)
    }

    /// How far from the centre a bound lies that is so many standard deviations of a normal distribution away.
    pub(crate) fn reach(&self, deviations: f64) -> f64 {
        t_quantile(normal::upper_tail(deviations), self.degrees) * self.error
    }

    /// The probability of a centre at least as far from 0 if there were no difference.
    pub(crate) fn p_value(&self) -> f64 {
        2.0 * normal::upper_tail(self.deviations_above(0.0).abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centre_and_error_are_those_of_the_books() {
        // Ten values of which two are cut off at each end: the mean of 3..=8, and of 3,3,3,4,..,8,8,8 the deviation.
        let values = [1.0, -50.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 900.0];
        let trimmed = Trimmed::of(&values).unwrap();
        assert_eq!((trimmed.centre, trimmed.degrees), (5.5, 5.0));
        let moved = [3.0, 3.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 8.0, 8.0_f64];
        let deviation = (moved.map(|value| (value - 5.5).powi(2)).iter().sum::<f64>() / 9.0).sqrt();
        assert!((trimmed.error - deviation / 0.6 / 10_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn what_differs_in_few_places_alone_is_not_cut_off() {
        let mut values = vec![0.0; 20];
        values[3] = 0.1;
        let trimmed = Trimmed::of(&values).unwrap();
        assert!((trimmed.centre - 0.005).abs() < 1e-12 && trimmed.error > 0.0);
        let same = Trimmed::of(&[0.25; 5]).unwrap();
        assert_eq!((same.centre, same.error, same.reach(2.0)), (0.25, 0.0, 0.0));
        // Five equal signs come by chance one time in 16.
        assert!((same.p_value() - 1.0 / 16.0).abs() < 1e-9);
        assert_eq!(Trimmed::of(&[0.0; 5]).unwrap().p_value(), 1.0);
        assert_eq!(Trimmed::of(&[1.0]), None);
    }
}
