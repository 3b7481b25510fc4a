//! Steps that leave a gap. Ranks know that all runs after a place took longer than all before it, not by how much; of few runs
//! that is too little, as slow and quick days make the same order. But slow and quick days do not make a gap of many times what
//! neighbouring runs differ by.

/// A place where nearly all values after it lie apart from nearly all before.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Gap {
    /// How many points are before it.
    pub(super) at: usize,
    /// The probability that a series without a change has as large a gap.
    pub(super) p_value: f64,
}

/// The gap where ranks say, or where the means of both sides are farthest apart: at the one that leaves less scatter. The second
/// is right where only the last few points are beyond a step, the first where single values are far off.
pub(super) fn gap(values: &[f64], margin: usize, by_rank: usize) -> Gap {
    let by_mean = farthest_means(values, margin).unwrap_or(by_rank);
    let by_rank = Sides::of(values, by_rank);
    let by_mean = Sides::of(values, by_mean);
    let sides = if by_mean.scatter < by_rank.scatter { by_mean } else { by_rank };
    Gap { at: sides.before.len(), p_value: sides.chance(margin) }
}

fn farthest_means(values: &[f64], margin: usize) -> Option<usize> {
    let n = values.len();
    let mean = values.iter().sum::<f64>() / n as f64;
    let (mut sum, mut best) = (0.0, (None, 0.0));
    for (before, value) in values.iter().enumerate() {
        let distance = f64::abs(sum) / (before as f64 * (n - before) as f64).sqrt();
        if (margin..=n - margin).contains(&before) && distance > best.1 {
            best = (Some(before), distance);
        }
        sum += value - mean;
    }
    best.0
}

/// Both sides of a place in a series, each in order of size.
struct Sides {
    before: Vec<f64>,
    after: Vec<f64>,
    /// How far values are from the middle of their side, in order.
    distances: Vec<f64>,
    /// The sum of that.
    scatter: f64,
}

impl Sides {
    fn of(values: &[f64], at: usize) -> Self {
        let sorted = |side: &[f64]| {
            let mut side = side.to_vec();
            side.sort_unstable_by(f64::total_cmp);
            side
        };
        let (before, after) = (sorted(&values[..at]), sorted(&values[at..]));
        let mut distances = Vec::with_capacity(values.len());
        for side in [&before, &after] {
            let middle = middle(side);
            distances.extend(side.iter().map(|value| (value - middle).abs()));
        }
        distances.sort_unstable_by(f64::total_cmp);
        let scatter = distances.iter().sum();
        Self { before, after, distances, scatter }
    }

    fn chance(&self, margin: usize) -> f64 {
        let n = self.distances.len();
        // A quarter of all values may be far off, and none of the fewest.
        let kept = n - n / 4;
        let scale = self.distances[..kept].iter().sum::<f64>() / (kept - 2) as f64;
        let distance = self.distance();
        if distance <= 0.0 {
            return 1.0;
        }
        chance_of_gap(distance / scale, n).max(self.chance_of_order(margin))
    }

    /// How far the sides are apart, without the quarter of each that is nearest to the other. Below 0 where they overlap.
    fn distance(&self) -> f64 {
        let [before, after] = [&self.before, &self.after].map(|side| {
            let quarter = side.len() / 4;
            [side[quarter], side[side.len() - 1 - quarter]]
        });
        (after[0] - before[1]).max(before[0] - after[1])
    }

    /// The probability that values of two kinds, each drawn by itself, come as well in order. A program that takes one of two
    /// times, or a clock that ticks, makes gaps of any size.
    fn chance_of_order(&self, margin: usize) -> f64 {
        let n = self.distances.len();
        let between = f64::midpoint(middle(&self.before), middle(&self.after));
        let n_above = |side: &[f64]| side.len() - side.partition_point(|value| *value < between);
        let n_strays = |low: &[f64], high: &[f64]| n_above(low) + high.len() - n_above(high);
        let n_strays = n_strays(&self.before, &self.after).min(n_strays(&self.after, &self.before));
        // The ways to have at most so many strays.
        let (mut ways, mut term) = (1.0, 1.0);
        for stray in 0..n_strays {
            term *= (n - stray) as f64 / (stray + 1) as f64;
            ways += term;
        }
        let share = self.before.len() as f64 / n as f64;
        let orders = (margin..=n - margin).map(|before| {
            let [before, after] = [before as i32, (n - before) as i32];
            share.powi(before) * (1.0 - share).powi(after) + share.powi(after) * (1.0 - share).powi(before)
        });
        (ways * orders.sum::<f64>()).min(1.0)
    }
}

/// Of values in order, the one in the middle.
fn middle(side: &[f64]) -> f64 {
    f64::midpoint(side[(side.len() - 1) / 2], side[side.len() / 2])
}

/// The probability of a gap of so many times the scatter in a series of so many points without a change, each like the one
/// before to a degree of 0.9. The numbers are those of tens of thousands of such series of each of 19 lengths from 6 to 1,000:
/// the gap of one in a hundred, and how those beyond it thin out; of more than a hundred points, skewed series have the larger
/// gaps. A lesser degree has smaller ones, so that for it this is too large: in a short series one cannot be told from another.
fn chance_of_gap(gap: f64, n: usize) -> f64 {
    let n = n as f64;
    let of_one_in_a_hundred = (30.0 * n.powf(-0.39)).max(4.8);
    (0.01 * (of_one_in_a_hundred / gap).powf((0.4 * n).min(5.0))).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::noise::Noise;

    #[test]
    fn a_gap_is_found_where_it_is_also_before_the_last_points() {
        let mut chance = Chance::new(1);
        for at in [3, 9, 15] {
            let mut series = Noise::Independent.series(18, 0.01, &mut chance);
            series[at..].iter_mut().for_each(|value| *value -= 0.2);
            let found = gap(&series, 3, 8);
            assert!(found.at == at && found.p_value < 1e-3, "{found:?}");
        }
    }

    #[test]
    fn one_in_a_hundred_series_of_slow_and_quick_days_has_a_gap() {
        let mut chance = Chance::new(2);
        for n in [12, 16, 30, 60] {
            let found = (0..2_000)
                .filter(|_| {
                    let series = Noise::Correlated(0.9).series(n, 1.0, &mut chance);
                    gap(&series, 3, n / 2).p_value <= 0.01
                })
                .count();
            // Ranks find a better place in some of them.
            assert!((4..=32).contains(&found), "{found} of 2,000 with {n} points");
        }
    }

    #[test]
    fn two_times_in_any_order_are_no_gap() {
        let mut chance = Chance::new(3);
        for n in [8, 10, 12, 16, 20] {
            let found = (0..1_000)
                .filter(|_| {
                    let mut series = Noise::Independent.series(n, 0.01, &mut chance);
                    series.iter_mut().for_each(|value| *value += chance.below(2) as f64);
                    (3..n - 2).any(|at| gap(&series, 3, at).p_value <= 0.01)
                })
                .count();
            assert!(found <= 15, "{found} of 1,000 with {n} points");
        }
    }

    #[test]
    fn counts_that_do_not_scatter_have_a_gap_from_ten_on() {
        let counts = |before: usize, after: usize| {
            let series: Vec<f64> =
                (0..before + after).map(|at| if at < before { 7.0 } else { 8.0 }).collect();
            gap(&series, 3, before).p_value
        };
        assert!(counts(3, 3) > 0.02 && counts(4, 5) > 0.01, "{} {}", counts(3, 3), counts(4, 5));
        assert!(counts(5, 5) < 0.01 && counts(7, 3) < 0.01 && counts(15, 3) < 0.001);
    }
}
