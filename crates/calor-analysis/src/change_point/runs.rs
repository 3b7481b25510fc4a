//! Series of several scopes over the same runs: which of them changed, at which run, and whether that was the machine.

use super::segments::{ChangePoint, ChangePointOptions, change_points, level_change};
use crate::discovery::q_values;
use crate::verdict::Change;

/// The share of chance findings that a list of changed scopes may have.
const Q: f64 = 0.05;

/// A place in a series of runs where it changed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RunChange {
    /// The number of the first run after the change.
    pub at: usize,
    /// The number of the last run before it that was measured.
    pub before: usize,
    /// From the level before to the level after, up to the changes next to it.
    pub change: Change,
    /// The levels before and after.
    pub levels: [f64; 2],
    /// The probability that a series without a change has one as clear.
    pub p_value: f64,
    /// Whether the machine may have done it.
    pub cause: ChangeCause,
}

/// Who changed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ChangeCause {
    /// The program: the machine, as far as its canary tells, stayed as it was.
    Program,
    /// The machine: its canary changed at the same place, the same way.
    Machine,
    /// Not known: too few of the runs tell how fast the machine was.
    Unknown,
}

impl ChangeCause {
    /// The word used in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Machine => "machine",
            Self::Unknown => "unknown",
        }
    }
}

impl RunChange {
    /// The same with an interval at least as wide as rounding leaves open, where values are counted in steps of this size, as
    /// samples are: runs that all have thirty-six samples need not take exactly as long.
    #[must_use]
    pub fn counted_in(mut self, step: f64) -> Self {
        let [before, after] = self.levels;
        let half = (step / 2.0).min(before / 2.0);
        if half > 0.0 && half.is_finite() {
            let [low, high] = &mut self.change.interval;
            *low = low.min((after - half) / (before + half) - 1.0);
            *high = high.max((after + half) / (before - half) - 1.0);
        }
        self
    }
}

/// Where each of some series of the same runs changed. Runs that have no value are `None`, and values that are not above 0
/// count as none. The first series is judged by itself; of the others, changes are left out that are among as many series
/// likely there by chance. `canaries` is how long a fixed piece of code took in each run.
#[must_use]
pub fn changes_of_runs(
    series: &[Vec<Option<f64>>],
    canaries: &[Option<f64>],
    options: &ChangePointOptions,
) -> Vec<Vec<RunChange>> {
    let mut found: Vec<Vec<RunChange>> =
        series.iter().map(|values| changes_of(values, canaries, options)).collect();
    let Some((_, others)) = found.split_first_mut() else { return found };
    let of_series = |changes: &Vec<RunChange>| match changes.is_empty() {
        true => vec![1.0],
        false => changes.iter().map(|change| change.p_value).collect(),
    };
    let q_values = q_values(&others.iter().flat_map(of_series).collect::<Vec<f64>>());
    let mut q_values = q_values.into_iter();
    for changes in others {
        if changes.is_empty() {
            q_values.next();
        }
        changes.retain(|_| q_values.next().is_some_and(|q| q <= Q));
    }
    found
}

fn changes_of(
    values: &[Option<f64>],
    canaries: &[Option<f64>],
    options: &ChangePointOptions,
) -> Vec<RunChange> {
    let (runs, values): (Vec<usize>, Vec<f64>) = known(values).unzip();
    let points = change_points(&values, options).unwrap_or_default();
    let bound = |place: usize| points.get(place).map_or(values.len(), |point: &ChangePoint| point.at);
    let change = |(place, point): (usize, &ChangePoint)| {
        let from = place.checked_sub(1).map_or(0, bound);
        let to = bound(place + 1);
        let level = |part: &[f64]| {
            let mut sorted = part.to_vec();
            sorted.sort_unstable_by(f64::total_cmp);
            sorted[sorted.len() / 2]
        };
        // The run after the last one: nothing is measured beyond it.
        let end = runs.get(to).copied().unwrap_or(canaries.len());
        RunChange {
            at: runs[point.at],
            before: runs[point.at - 1],
            change: point.change,
            levels: [level(&values[from..point.at]), level(&values[point.at..to])],
            p_value: point.p_value,
            cause: cause(point.change, canaries, [runs[from], runs[point.at], end]),
        }
    };
    points.iter().enumerate().map(change).collect()
}

fn known(values: &[Option<f64>]) -> impl Iterator<Item = (usize, f64)> {
    values.iter().enumerate().filter_map(|(run, value)| {
        let value = (*value)?;
        (value > 0.0 && value.is_finite()).then_some((run, value))
    })
}

fn cause(change: Change, canaries: &[Option<f64>], [from, at, to]: [usize; 3]) -> ChangeCause {
    /// Fewer times of the canary do not say how much they differ.
    const FEWEST: usize = 3;
    let part = |from: usize, to: usize| canaries.get(from..to.min(canaries.len())).unwrap_or_default();
    let mut logs: Vec<f64> = known(part(from, at)).map(|(_, nanos)| nanos.ln()).collect();
    let n_before = logs.len();
    logs.extend(known(part(at, to)).map(|(_, nanos)| nanos.ln()));
    if n_before < FEWEST || logs.len() - n_before < FEWEST {
        return ChangeCause::Unknown;
    }
    let canary = level_change(&logs, n_before);
    // Load does not slow all code alike, so a third of the way counts.
    let is_same_way = canary.effect.ln_1p() / change.effect.ln_1p() >= 1.0 / 3.0;
    if is_same_way && !canary.holds_none() { ChangeCause::Machine } else { ChangeCause::Program }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::noise::Noise;

    /// So many runs of which those from one on take so many times as long.
    fn series(n: usize, from: usize, factor: f64, seed: u64) -> Vec<Option<f64>> {
        let logs = Noise::Independent.series(n, 0.02, &mut Chance::new(seed));
        let step = |at: usize| if at < from { 1.0 } else { factor };
        logs.iter().enumerate().map(|(at, log)| Some(1e9 * log.exp() * step(at))).collect()
    }

    fn found(series: &[Vec<Option<f64>>], canaries: &[Option<f64>]) -> Vec<Vec<RunChange>> {
        changes_of_runs(series, canaries, &ChangePointOptions::default())
    }

    #[test]
    fn what_is_counted_in_steps_is_known_to_a_step_at_best() {
        let values: Vec<Option<f64>> = (0..25).map(|run| Some(if run < 14 { 20e6 } else { 36e6 })).collect();
        let found = changes_of_runs(&[values], &[None; 25], &ChangePointOptions::default());
        let [change] = found[0][..] else { panic!("{found:?}") };
        let [low, high] = change.counted_in(1e6).change.interval;
        assert!((low - (35.5 / 20.5 - 1.0)).abs() < 1e-9 && (high - (36.5 / 19.5 - 1.0)).abs() < 1e-9);
        // What is wider already stays, and what has no steps too.
        assert_eq!(change.counted_in(0.0), change);
        let wide = RunChange { change: Change { interval: [0.1, 2.0], ..change.change }, ..change };
        assert_eq!(wide.counted_in(1e6), wide);
    }

    #[test]
    fn runs_that_were_not_measured_do_not_shift_the_place() {
        let mut values = series(80, 50, 1.2, 1);
        values[3..20].fill(None);
        values[49] = Some(0.0);
        let changes = &found(&[values], &[])[0];
        assert_eq!(changes.iter().map(|change| (change.before, change.at)).collect::<Vec<_>>(), [(48, 50)]);
        assert!((changes[0].change.effect - 0.2).abs() < 0.03, "{changes:?}");
        assert!((changes[0].levels[1] / 1.2e9 - 1.0).abs() < 0.02, "{changes:?}");
        assert_eq!(changes[0].cause, ChangeCause::Unknown);
    }

    #[test]
    fn a_machine_that_changed_with_the_program_is_named() {
        let values = [series(80, 40, 1.2, 2)];
        let cause = |canaries: &[Option<f64>]| found(&values, canaries)[0][0].cause;
        assert_eq!(cause(&series(80, 40, 1.15, 3)), ChangeCause::Machine);
        assert_eq!(cause(&series(80, 80, 1.0, 3)), ChangeCause::Program);
        assert_eq!(cause(&series(80, 40, 0.8, 3)), ChangeCause::Program);
        let mut few = vec![None; 80];
        few[..50].copy_from_slice(&series(50, 41, 1.15, 3));
        few[42..].fill(None);
        assert_eq!(cause(&few), ChangeCause::Unknown);
    }

    #[test]
    fn of_many_scopes_those_that_changed_are_listed() {
        let mut all: Vec<Vec<Option<f64>>> = (0..100).map(|seed| series(60, 60, 1.0, 10 + seed)).collect();
        all[0] = series(60, 30, 1.05, 5);
        all[7] = series(60, 30, 1.1, 6);
        all.push(vec![None; 60]);
        let found = found(&all, &[]);
        let changed: Vec<usize> = (0..found.len()).filter(|at| !found[*at].is_empty()).collect();
        assert!(changed.starts_with(&[0, 7]) && changed.len() <= 3, "{changed:?}");
        assert!(changes_of_runs(&[], &[], &ChangePointOptions::default()).is_empty());
    }
}
