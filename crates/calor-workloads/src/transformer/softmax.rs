//! From scores to shares that add up to one.

use super::reduction;

/// Operations a score: compared, shifted, exponentiated, added up, scaled.
pub(super) const FLOPS: u64 = 5;

/// Turns a row of scores into shares.
pub(super) fn apply(row: &mut [f32]) {
    // Shifted by the largest, so that no exponential is too large for a float.
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for score in row.iter_mut() {
        *score = (*score - largest).exp();
    }
    let scale = 1.0 / reduction::sum(row);
    for share in row {
        *share *= scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_one_and_keep_the_order_of_the_scores() {
        for scores in [&[0.0][..], &[1.0, 2.0, 3.0], &[-1e4, 0.0, 1e4], &[3e38, 3e38], &[-0.5; 33]] {
            let mut shares = scores.to_vec();
            apply(&mut shares);
            assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{shares:?}");
            assert!(
                shares.is_sorted() && shares.iter().all(|share| (0.0..=1.0).contains(share)),
                "{shares:?}"
            );
        }
    }

    #[test]
    fn a_score_that_is_larger_by_one_has_a_share_larger_by_e() {
        let mut shares = [4.0, 5.0];
        apply(&mut shares);
        assert!((shares[1] / shares[0] - std::f32::consts::E).abs() < 1e-5);
    }
}
