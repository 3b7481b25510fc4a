//! hyperfine runs all of A, then all of B, and prints the ratio of means with a deviation by propagation of errors. It names
//! no winner; the reader does, where 1 lies outside. Its repository has a script that runs Welch's test.

use super::{mean, variance, welch_p};

/// Whether 1 lies outside the ratio and its deviation.
pub(crate) fn ratio_differs(a: &[f64], b: &[f64]) -> bool {
    let ratio = mean(b) / mean(a);
    let relative = variance(a) / mean(a).powi(2) + variance(b) / mean(b).powi(2);
    (ratio - 1.0).abs() > ratio * relative.sqrt()
}

/// Its script, at 5 %.
pub(crate) fn welch_differs(a: &[f64], b: &[f64]) -> bool {
    welch_p(a, b) < 0.05
}
