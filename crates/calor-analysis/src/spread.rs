//! How values differ from run to run, and how well their mean is known.

use crate::t_975;

/// The values of one figure.
#[derive(Clone, PartialEq, Debug)]
pub struct Spread {
    /// How many.
    pub n: usize,
    /// Their mean.
    pub mean: f64,
    /// Their median.
    pub median: f64,
    /// The least.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// Their standard deviation; `None` of a single value.
    pub stddev: Option<f64>,
}

impl Spread {
    /// The spread of values; `None` of nothing.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (n, min, max) = (sorted.len(), *sorted.first()?, *sorted.last()?);
        let mean = sorted.iter().sum::<f64>() / n as f64;
        let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
        let median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0;
        let stddev = (n > 1).then(|| (squares / (n - 1) as f64).sqrt());
        Some(Self { n, mean, median, min, max, stddev })
    }

    /// The standard deviation as a share of the mean; `None` also where the mean is 0.
    #[must_use]
    pub fn relative(&self) -> Option<f64> {
        self.stddev.filter(|_| self.mean != 0.0).map(|stddev| stddev / self.mean)
    }

    /// The 95 % interval of the mean, by Student's distribution: a mean of five runs is less well known than its
    /// standard deviation makes believe. It ends at the least and at 0, since nothing counts below.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        let half = t_975(self.n.checked_sub(1)?)? * self.stddev? / (self.n as f64).sqrt();
        Some(((self.mean - half).max(0.0), self.mean + half))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_median_and_deviation_are_those_of_the_books() {
        let spread = Spread::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((spread.mean, spread.median, spread.min, spread.max), (5.0, 4.5, 2.0, 9.0));
        assert!((spread.stddev.unwrap() - 2.138_09).abs() < 1e-5);
        let (low, high) = spread.interval().unwrap();
        assert!((low - 3.2123).abs() < 1e-3 && (high - 6.7877).abs() < 1e-3, "{low} {high}");
    }

    #[test]
    fn one_run_has_no_spread_and_none_has_nothing() {
        let one = Spread::of(&[3.0]).unwrap();
        assert_eq!((one.stddev, one.interval(), one.relative()), (None, None, None));
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[0.0, 0.0]).unwrap().relative(), None);
    }

    #[test]
    fn quantiles_go_on_where_the_table_ends() {
        for (degrees, expected) in [(1, 12.706), (30, 2.042), (31, 2.0395), (60, 2.0003), (1000, 1.9623)] {
            assert!((t_975(degrees).unwrap() - expected).abs() < 1e-3, "{degrees}");
        }
        assert_eq!(t_975(0), None);
    }
}
