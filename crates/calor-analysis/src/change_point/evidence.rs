//! The best place to split a series in two, and how likely chance alone would split it as well.

use super::gap::gap;
use super::long_run;
use crate::distribution::normal;

/// The best split of a series.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Split {
    /// How many points are before it.
    pub(super) at: usize,
    /// The probability that a series without a change has one as good.
    pub(super) p_value: f64,
    /// By how much longer a series of neighbours that resemble each other must be to tell as much as one of strangers, as a
    /// factor on standard errors.
    pub(super) stretch: f64,
}

/// The best split with at least `margin` points on either side; `None` for too short a series and for one of equal values.
pub(super) fn best_split(values: &[f64], margin: usize) -> Option<Split> {
    let n = values.len();
    if n < 2 * margin || n < 4 {
        return None;
    }
    let scores = scores(values);
    let deviation = (scores.iter().map(|score| score * score).sum::<f64>() / (n - 1) as f64).sqrt();
    if deviation <= 1e-9 {
        return None;
    }
    let (mut sum, mut best) = (0.0, (0, 0.0));
    for (before, score) in scores.iter().enumerate() {
        let distance = f64::abs(sum) / deviation / (before as f64 * (n - before) as f64 / n as f64).sqrt();
        if (margin..=n - margin).contains(&before) && distance > best.1 {
            best = (before, distance);
        }
        sum += score;
    }
    let (at, distance) = best;
    if at == 0 {
        return None;
    }
    let stretch = long_run::stretch(&scores, at);
    let p_value = chance_of_split(distance / stretch, n, margin);
    let gap = gap(values, margin, at);
    if gap.p_value < p_value {
        let stretch = long_run::stretch(&scores, gap.at);
        return Some(Split { at: gap.at, p_value: gap.p_value, stretch });
    }
    Some(Split { at, p_value, stretch })
}

/// The probability that the best split of a series of strangers is at least so far from the middle, in standard deviations
/// (Siegmund, 1988, with the usual correction for a series of points).
fn chance_of_split(distance: f64, n: usize, margin: usize) -> f64 {
    if distance < 1.0 {
        return 1.0;
    }
    let n = n as f64;
    let part = |before: usize| {
        let share = before as f64 / n;
        let both = share * (1.0 - share);
        (-0.583 * distance / (n * both).sqrt()).exp() / both
    };
    let sum: f64 = (margin..=n as usize - margin).map(part).sum::<f64>() / n;
    (distance * normal::density(distance) * sum).min(1.0)
}

/// What values would be if they had the same order but were of a normal distribution; equal values are the same. So single
/// values that are far off count no more than the last of any series.
fn scores(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut scores = vec![0.0; values.len()];
    let mut from = 0;
    for group in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let middle = from as f64 + group.len() as f64 / 2.0;
        let score = -normal::upper_quantile(middle / values.len() as f64);
        group.iter().for_each(|place| scores[*place] = score);
        from += group.len();
    }
    // Equal values put the middle elsewhere.
    let mean = scores.iter().sum::<f64>() / values.len() as f64;
    scores.iter_mut().for_each(|score| *score -= mean);
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_one_score() {
        let found = scores(&[5.0, 1.0, 5.0, 9.0]);
        assert!(found[0] == found[2] && found[0].abs() < 1e-12 && (found[1] + found[3]).abs() < 1e-12);
        assert!((found[3] - 1.150_35).abs() < 1e-4);
        assert_eq!(best_split(&[3.0; 20], 3), None);
        assert_eq!(best_split(&[1.0, 2.0, 3.0], 3), None);
    }

    #[test]
    fn a_clear_step_is_split_where_it_is() {
        let values: Vec<f64> =
            (0..40).map(|at| f64::from(at * 7 % 5) + if at < 25 { 0.0 } else { 10.0 }).collect();
        let split = best_split(&values, 3).unwrap();
        assert!(split.at == 25 && split.p_value < 1e-4, "{split:?}");
    }
}
