//! The median of a few values, and where the median of all such values lies: by order statistics, which ask nothing of how
//! the values are spread.

/// A median with its interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Median {
    /// The value in the middle; of an even number, the mean of the two.
    pub value: f64,
    /// The low end of the interval that holds the true median 95 times in 100. Of fewer than six values no such interval
    /// exists, and both ends are those of the values.
    pub low: f64,
    /// The high end.
    pub high: f64,
}

/// The values below which there is no interval of 95 %: of five, both ends miss the median once in 16.
const LEAST: usize = 6;

/// The part of all such intervals that may miss the median on one side.
const ONE_SIDE: f64 = 0.025;

impl Median {
    /// Of values in any order; `None` without any, or with one that is no number.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| value.is_nan()) {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let value = f64::midpoint(sorted[(n - 1) / 2], sorted[n / 2]);
        let from_end = if n < LEAST { 0 } else { left_out(n) };
        Some(Self { value, low: sorted[from_end], high: sorted[n - 1 - from_end] })
    }
}

/// How many values at each end lie outside the interval: the largest number k with P(fewer than k + 1 of n values below the
/// median) at most 2.5 %, a sum of binomial chances.
fn left_out(n: usize) -> usize {
    // In logarithms, because 0.5 to the power of n is 0 from n = 1,075 on.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut sum = log_term.exp();
    let mut k = 0;
    while k < n / 2 {
        log_term += ((n - k) as f64).ln() - ((k + 1) as f64).ln();
        sum += log_term.exp();
        if sum > ONE_SIDE {
            break;
        }
        k += 1;
    }
    k
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(n: usize, low: f64, high: f64) {
        let values: Vec<f64> = (1..=n).rev().map(|value| value as f64).collect();
        let found = Median::of(&values).unwrap();
        assert_eq!((found.low, found.high), (low, high), "of {n} values");
        assert_eq!(found.value, (n + 1) as f64 / 2.0);
    }

    #[test]
    fn the_ends_are_those_of_the_tables() {
        // Of fewer than six values, all of them.
        check(1, 1.0, 1.0);
        check(5, 1.0, 5.0);
        // From the tables of the sign test at 5 %, two-sided.
        check(6, 1.0, 6.0);
        check(9, 2.0, 8.0);
        check(10, 2.0, 9.0);
        check(20, 6.0, 15.0);
        check(50, 18.0, 33.0);
        check(100, 40.0, 61.0);
    }

    #[test]
    fn thousands_of_values_are_no_trouble() {
        let values: Vec<f64> = (0..5000).map(f64::from).collect();
        let found = Median::of(&values).unwrap();
        assert!((2425.0..2435.0).contains(&found.low) && (2564.0..2574.0).contains(&found.high), "{found:?}");
    }

    #[test]
    fn without_values_there_is_no_median() {
        assert_eq!(Median::of(&[]), None);
        assert_eq!(Median::of(&[1.0, f64::NAN]), None);
    }
}
