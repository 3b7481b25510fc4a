//! The rank sum test of Mann and Whitney, by which benchstat (5 %) and asv (0.2 %, and a factor of 1.1) compare two blocks.

use super::normal_p;

/// The two-sided p-value, by the normal distribution.
pub(crate) fn p_value(a: &[f64], b: &[f64]) -> f64 {
    let mut all: Vec<(f64, bool)> =
        a.iter().map(|value| (*value, false)).chain(b.iter().map(|value| (*value, true))).collect();
    all.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
    let (na, nb) = (a.len() as f64, b.len() as f64);
    let (mut from, mut sum, mut ties) = (0, 0.0, 0.0);
    for group in all.chunk_by(|x, y| x.0 == y.0) {
        let n = group.len() as f64;
        let rank = from as f64 + (n + 1.0) / 2.0;
        sum += rank * group.iter().filter(|(_, is_b)| *is_b).count() as f64;
        ties += n * n * n - n;
        from += group.len();
    }
    let n = na + nb;
    let variance = na * nb / 12.0 * (n + 1.0 - ties / (n * (n - 1.0)));
    let distance = ((sum - nb * (n + 1.0) / 2.0).abs() - 0.5).max(0.0);
    normal_p(distance / variance.sqrt())
}

pub(crate) fn benchstat_differs(a: &[f64], b: &[f64]) -> bool {
    p_value(a, b) < 0.05
}

pub(crate) fn asv_differs(a: &[f64], b: &[f64]) -> bool {
    let median = |side: &[f64]| {
        let mut sorted = side.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0
    };
    let ratio = median(b) / median(a);
    p_value(a, b) < 0.002 && !(1.0 / 1.1..=1.1).contains(&ratio)
}
