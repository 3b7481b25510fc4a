//! nanobench compares pairs by an exact interval of the median of their ratios, which is the sign test.

/// Whether the 95 % interval of the median of differences leaves out 0.
pub(crate) fn differs(differences: &[f64]) -> bool {
    let n = differences.len();
    let n_above = differences.iter().filter(|difference| **difference > 0.0).count();
    let fewer = n_above.min(n - n_above);
    // The probability of so few or fewer, on either side.
    let mut term = 0.5_f64.powi(n as i32);
    let mut sum = 0.0;
    for k in 0..=fewer {
        sum += term;
        term *= (n - k) as f64 / (k + 1) as f64;
    }
    2.0 * sum < 0.05
}
