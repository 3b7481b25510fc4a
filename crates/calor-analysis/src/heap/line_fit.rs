//! A straight line through points, and how sure its slope is.

use crate::t_975;

/// The line of least squares through points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LineFit {
    /// By how much y grows for one x.
    pub slope: f64,
    /// Where the slope truly lies, with 95 % certainty, if points lie around a line by chance and independently.
    pub interval: [f64; 2],
}

impl LineFit {
    /// The line through (x, y); `None` for fewer than three points, which have no spread to be judged by, and for points
    /// that all have one x.
    #[must_use]
    pub fn of(points: &[(f64, f64)]) -> Option<Self> {
        let n = points.len() as f64;
        let quantile = t_975(points.len().checked_sub(2)?)?;
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
        let (mean_x, mean_y) = (mean(|point| point.0), mean(|point| point.1));
        let square_x: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
        if square_x <= 0.0 || !square_x.is_finite() {
            return None;
        }
        let slope = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / square_x;
        let residual: f64 =
            points.iter().map(|(x, y)| (y - mean_y - slope * (x - mean_x)).powi(2)).sum::<f64>();
        let reach = quantile * (residual / (n - 2.0) / square_x).sqrt();
        Some(Self { slope, interval: [slope - reach, slope + reach] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slope_and_interval_are_those_of_the_books() {
        // y = 2.2, 2.8, 4.5, 3.7, 5.5 at x = 1..5: slope 0.75, residual variance 0.43567, its error 0.20873.
        let points: Vec<_> = (1..).map(f64::from).zip([2.2, 2.8, 4.5, 3.7, 5.5]).collect();
        let fit = LineFit::of(&points).unwrap();
        assert!((fit.slope - 0.75).abs() < 1e-12, "{fit:?}");
        assert!((fit.interval[1] - fit.slope - 3.182 * 0.208_726).abs() < 1e-4, "{fit:?}");
    }

    #[test]
    fn points_on_a_line_leave_no_doubt_and_few_or_upright_ones_have_no_slope() {
        let points: Vec<_> = (0..9).map(|x| (f64::from(x), 5.0 - 2.0 * f64::from(x))).collect();
        let fit = LineFit::of(&points).unwrap();
        assert!((fit.slope + 2.0).abs() < 1e-12 && fit.interval[1] - fit.interval[0] < 1e-9);
        assert_eq!(LineFit::of(&points[..2]), None);
        assert_eq!(LineFit::of(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(LineFit::of(&[]), None);
    }

    #[test]
    fn quantiles_go_on_where_the_table_ends() {
        for (degrees, expected) in [(1, 12.706), (30, 2.042), (31, 2.0395), (60, 2.0003), (1000, 1.9623)] {
            assert!((t_975(degrees).unwrap() - expected).abs() < 2e-3, "{degrees}");
        }
    }
}
