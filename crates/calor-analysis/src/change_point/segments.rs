//! Splits of splits, until no part of the series changes any more.

use super::evidence::{Split, best_split};
use super::long_run;
use crate::Error;
use crate::distribution::t_quantile;
use crate::paired::Trimmed;
use crate::verdict::Change;

/// What counts as a change.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChangePointOptions {
    /// The allowed probability of finding a change in a series without any.
    pub p_value: f64,
    /// The fewest points between two changes.
    pub fewest: usize,
}

impl Default for ChangePointOptions {
    fn default() -> Self {
        Self { p_value: 0.01, fewest: 3 }
    }
}

/// A place where a series changed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChangePoint {
    /// The number of the first point after the change.
    pub at: usize,
    /// From the level before to the level after, up to the changes next to it.
    pub change: Change,
    /// The probability that a series without a change has one as clear.
    pub p_value: f64,
}

/// Where a series of measurements changed, in order. Changes are relative, as of times.
///
/// # Errors
/// Measurements that are not above 0.
pub fn change_points(values: &[f64], options: &ChangePointOptions) -> Result<Vec<ChangePoint>, Error> {
    if let Some(at) = values.iter().position(|value| !(*value > 0.0 && value.is_finite())) {
        return Err(Error::Point { number: at + 1, found: values[at] });
    }
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let fewest = options.fewest.max(2);
    let mut splits: Vec<usize> = Vec::new();
    let mut waiting = vec![(0, logs.len())];
    while let Some((from, to)) = waiting.pop() {
        if let Some(split) =
            best_split(&logs[from..to], fewest).filter(|split| split.p_value <= options.p_value)
        {
            let at = from + split.at;
            splits.push(at);
            waiting.extend([(from, at), (at, to)]);
        }
    }
    splits.sort_unstable();
    Ok(checked(&logs, splits, fewest, options.p_value))
}

/// Splits that hold between their neighbours too: a split of the whole series may be explained by those found later.
fn checked(logs: &[f64], mut splits: Vec<usize>, fewest: usize, allowed: f64) -> Vec<ChangePoint> {
    loop {
        let bounds = |place: usize| {
            let from = place.checked_sub(1).map_or(0, |before| splits[before]);
            (from, splits.get(place + 1).copied().unwrap_or(logs.len()))
        };
        let found: Vec<(usize, usize, Option<Split>)> = (0..splits.len())
            .map(|place| {
                let (from, to) = bounds(place);
                (from, to, best_split(&logs[from..to], fewest))
            })
            .collect();
        let p_value = |split: &Option<Split>| split.map_or(1.0, |split| split.p_value);
        let worst = (0..found.len()).max_by(|a, b| p_value(&found[*a].2).total_cmp(&p_value(&found[*b].2)));
        match worst {
            Some(worst) if p_value(&found[worst].2) > allowed => {
                splits.remove(worst);
            }
            _ => {
                let points = found.iter().filter_map(|(from, to, split)| {
                    split.map(|split| point(logs, *from, from + split.at, *to, split))
                });
                return points.collect();
            }
        }
    }
}

fn point(logs: &[f64], from: usize, at: usize, to: usize, split: Split) -> ChangePoint {
    let change = stretched_change(&logs[from..to], at - from, split.stretch);
    ChangePoint { at, change, p_value: split.p_value }
}

/// By how much a series that is given as logarithms changed at a place that was found elsewhere.
pub(super) fn level_change(logs: &[f64], at: usize) -> Change {
    stretched_change(logs, at, long_run::stretch(logs, at))
}

fn stretched_change(logs: &[f64], at: usize, stretch: f64) -> Change {
    let [before, after] = [&logs[..at], &logs[at..]].map(level);
    let centre = after.0 - before.0;
    let error = (before.1 + after.1).sqrt() * stretch;
    // As many points as there would be if neighbours were strangers.
    let degrees = (logs.len() as f64 / stretch.powi(2) - 2.0).max(1.0);
    let reach = t_quantile(0.025, degrees) * error;
    Change::from_logs(centre, centre - reach, centre + reach)
}

/// The level of a part, and its variance if neighbours were strangers.
fn level(logs: &[f64]) -> (f64, f64) {
    // There are at least two points between changes.
    Trimmed::of(logs).map_or((0.0, 0.0), |trimmed| (trimmed.centre, trimmed.error * trimmed.error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::noise::Noise;

    fn found(logs: &[f64]) -> Vec<ChangePoint> {
        let values: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
        change_points(&values, &ChangePointOptions::default()).unwrap()
    }

    // The rates of thousands of series are printed by the benchmark of verdicts.

    #[test]
    fn series_without_a_change_have_none_however_their_neighbours_resemble() {
        let mut chance = Chance::new(3);
        let noises = [Noise::Independent, Noise::Skewed, Noise::Correlated(0.5), Noise::Correlated(0.8)];
        for noise in noises {
            let n = (0..200).filter(|_| !found(&noise.series(100, 0.03, &mut chance)).is_empty()).count();
            // 2 % of them are 4; three standard deviations more are 10.
            assert!(n <= 10, "{n} of 200 with {noise:?}");
        }
    }

    #[test]
    fn short_series_without_a_change_have_none_either() {
        let mut chance = Chance::new(9);
        let noises = [Noise::Independent, Noise::Skewed, Noise::Correlated(0.5), Noise::Correlated(0.8)];
        for noise in noises {
            for length in [8, 12, 16, 20, 25, 30, 45, 60] {
                let n =
                    (0..400).filter(|_| !found(&noise.series(length, 0.03, &mut chance)).is_empty()).count();
                // 2 % of them are 8; three standard deviations more are 16.
                assert!(n <= 16, "{n} of 400 with {length} points of {noise:?}");
            }
        }
    }

    /// In how many of a hundred series, of so many points before and after a step, it is found where it is.
    fn n_found(noise: Noise, [before, after]: [usize; 2], step: f64, deviation: f64) -> usize {
        let mut chance = Chance::new(before as u64);
        let is_found = |_: &usize| {
            let mut logs = noise.series(before + after, deviation, &mut chance);
            logs[before..].iter_mut().for_each(|log| *log += step.ln_1p());
            found(&logs).iter().any(|point| point.at.abs_diff(before) <= 1)
        };
        (0..100).filter(is_found).count()
    }

    #[test]
    fn a_step_far_beyond_the_scatter_is_found_in_few_points() {
        let steps = [
            ([8, 8], 0.25, 0.01),
            ([10, 10], 0.25, 0.01),
            ([15, 15], 0.25, 0.01),
            ([30, 5], 0.25, 0.01),
            ([50, 10], 0.25, 0.01),
            ([25, 25], 0.25, 0.01),
            ([15, 3], 0.3, 0.01),
            ([7, 8], 0.25, 0.01),
            ([5, 5], 0.25, 0.01),
            ([9, 17], 0.2, 0.02),
            ([9, 9], 0.2, 0.02),
        ];
        let noises = [Noise::Independent, Noise::Skewed, Noise::Correlated(0.5), Noise::Correlated(0.8)];
        for (points, step, deviation) in steps {
            for noise in noises {
                let n = n_found(noise, points, step, deviation);
                assert!(n >= 90, "{n} of 100: {points:?} points, +{step}, {noise:?} with {deviation}");
            }
        }
        // Little more than the scatter: seen now and then, and only with more points nearly always.
        let [few, many] = [[15, 15], [60, 60]].map(|points| n_found(Noise::Independent, points, 0.1, 0.03));
        assert!(few >= 75 && many >= 98, "{few}, {many}");
    }

    #[test]
    fn eighteen_runs_of_which_the_last_nine_are_a_fifth_slower_have_changed() {
        let millis = [
            123.0, 121.4, 125.2, 122.8, 126.9, 124.1, 121.0, 125.8, 123.3, 147.2, 143.1, 151.0, 145.5, 153.8,
            144.0, 149.6, 146.3, 148.1,
        ];
        let points = change_points(&millis, &ChangePointOptions::default()).unwrap();
        assert_eq!(points.iter().map(|point| point.at).collect::<Vec<usize>>(), [9]);
        assert!((points[0].change.effect - 0.19).abs() < 0.02, "{points:?}");
    }

    #[test]
    fn a_step_of_five_percent_is_found_where_it_is() {
        let mut chance = Chance::new(4);
        for noise in [Noise::Independent, Noise::Skewed] {
            let mut n_found = 0;
            for _ in 0..100 {
                let mut logs = noise.series(75, 0.03, &mut chance);
                logs[60..].iter_mut().for_each(|log| *log += f64::ln_1p(0.05));
                n_found += usize::from(found(&logs).iter().any(|point| point.at.abs_diff(60) <= 3));
            }
            assert!(n_found >= 75, "{n_found} of 100 with {noise:?}");
        }
    }

    #[test]
    fn several_steps_are_several_changes_with_their_sizes() {
        let mut chance = Chance::new(1);
        let mut logs = Noise::Independent.series(120, 0.01, &mut chance);
        logs[40..].iter_mut().for_each(|log| *log += f64::ln_1p(0.2));
        logs[90..].iter_mut().for_each(|log| *log += f64::ln_1p(-0.1));
        let [up, down] = found(&logs)[..] else { panic!("two changes: {:?}", found(&logs)) };
        assert_eq!((up.at, down.at), (40, 90));
        for (point, expected) in [(up, 0.2), (down, -0.1)] {
            let [low, high] = point.change.interval;
            assert!(low < expected && expected < high && high - low < 0.03, "{point:?}");
            assert!(point.p_value < 1e-6);
        }
    }

    #[test]
    fn one_point_far_off_is_no_change_and_short_series_have_none() {
        let mut chance = Chance::new(2);
        let mut logs = Noise::Independent.series(60, 0.02, &mut chance);
        logs[30] += 3.0;
        assert_eq!(found(&logs), []);
        for n in 0..6 {
            assert_eq!(found(&logs[..n]), []);
        }
        assert_eq!(found(&[0.0; 50]), []);
    }

    #[test]
    fn a_point_that_is_no_measurement_is_told() {
        let error = change_points(&[1.0, 2.0, 0.0], &ChangePointOptions::default()).unwrap_err();
        assert!(error.to_string().contains("found 0 at point 3"), "{error}");
    }
}
