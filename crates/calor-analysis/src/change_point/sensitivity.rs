//! What a series without a change could have hidden: "no change" of five runs that differ by a tenth says next to nothing.

use super::evidence::best_split;
use super::segments::ChangePointOptions;

/// The fewest points in which a change can be found, with the usual options. However far apart they are, two kinds of values come
/// in order too often by chance if there are fewer.
pub const FEWEST_POINTS: usize = 10;

/// Beyond this nobody asks: twenty times as much.
const MOST: f64 = 3.0;

/// The smallest change, as a share of the level, that would have been found had it come in the middle of these measurements.
/// `None` where none would, since they are too few or no measurements. Meant for a series in which no change was found.
#[must_use]
pub fn smallest_change(values: &[f64], options: &ChangePointOptions) -> Option<f64> {
    if values.iter().any(|value| !(*value > 0.0 && value.is_finite())) {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let up = smallest_step(&logs, 1.0, options)?;
    // A change that is there, but was not found, makes one of the two too small.
    let down = smallest_step(&logs, -1.0, options)?;
    Some(up.max(down).exp_m1())
}

fn smallest_step(logs: &[f64], way: f64, options: &ChangePointOptions) -> Option<f64> {
    let is_found = |step: f64| {
        let mut logs = logs.to_vec();
        let middle = logs.len() / 2;
        logs[middle..].iter_mut().for_each(|log| *log += way * step);
        best_split(&logs, options.fewest.max(2)).is_some_and(|split| split.p_value <= options.p_value)
    };
    let (mut low, mut high) = (0.0, 0.001);
    while !is_found(high) {
        if high >= MOST {
            return None;
        }
        (low, high) = (high, (1.5 * high).min(MOST));
    }
    for _ in 0..5 {
        let middle = f64::midpoint(low, high);
        if is_found(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::noise::Noise;

    fn smallest(n: usize, deviation: f64) -> Option<f64> {
        let logs = Noise::Independent.series(n, deviation, &mut Chance::new(n as u64));
        let values: Vec<f64> = logs.iter().map(|log| 1e9 * log.exp()).collect();
        smallest_change(&values, &ChangePointOptions::default())
    }

    #[test]
    fn fewer_runs_and_more_scatter_hide_more() {
        let changes = [(200, 0.01), (60, 0.02), (20, 0.03), (FEWEST_POINTS, 0.03)].map(|(n, deviation)| {
            smallest(n, deviation).unwrap_or_else(|| panic!("{n} points can tell something"))
        });
        assert!(changes.is_sorted() && changes[0] < 0.02 && changes[3] > 0.1, "{changes:?}");
    }

    #[test]
    fn too_few_points_tell_nothing() {
        assert_eq!(smallest(FEWEST_POINTS - 1, 0.01), None);
        assert_eq!(smallest_change(&[], &ChangePointOptions::default()), None);
        assert_eq!(smallest_change(&[0.0; 40], &ChangePointOptions::default()), None);
    }
}
