//! Many tests at once. Of two hundred functions that did not change, ten differ by a chance of one in twenty; whoever lists
//! those has a list of nothing. The rule of Benjamini and Hochberg (1995) bounds the part of a list that is there by chance.

/// For each p-value the least share of chance findings of a list that it stands on, if the list is cut off behind it. Those
/// with at most 0.05 make a list of which at most 5 % are there by chance.
#[must_use]
pub fn q_values(p_values: &[f64]) -> Vec<f64> {
    let n = p_values.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| p_values[*b].total_cmp(&p_values[*a]));
    let mut q_values = vec![1.0; n];
    let mut least = 1.0_f64;
    for (n_larger, place) in order.into_iter().enumerate() {
        least = least.min(p_values[place] * n as f64 / (n - n_larger) as f64);
        q_values[place] = least;
    }
    q_values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_those_of_the_paper_in_any_order() {
        // The fifteen of Benjamini and Hochberg's example, of which the first four are found at 5 %.
        let p_values = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
            0.6528, 0.7590, 1.0,
        ];
        let found = q_values(&p_values);
        assert_eq!(found.iter().filter(|q| **q <= 0.05).count(), 4);
        assert!((found[3] - 0.0095 * 15.0 / 4.0).abs() < 1e-12 && found[14] == 1.0);
        assert!(found.is_sorted());
        let mut turned = p_values;
        turned.reverse();
        let mut found_turned = q_values(&turned);
        found_turned.reverse();
        assert_eq!(found, found_turned);
        assert!(q_values(&[]).is_empty());
    }
}
