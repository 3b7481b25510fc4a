//! What the runs of a comparison have in common, by what their functions say: how fast the machine was in each of them, and
//! whether one side differs from the other in all functions alike.

use super::shift::{Shift, mean};
use crate::distribution::t_quantile;

/// With fewer functions than this, what moved them together cannot be told from what moved one.
pub(super) const FEWEST: usize = 10;
/// So many of all functions, and those that take so much of the time, have to have moved that way, or they did not move together.
const AGREEING: [f64; 2] = [0.75, 0.5];
/// A move of all by less than this need not be agreed on: functions differ by more.
const LEAST_COMMON: f64 = 0.02;
/// Less than this is how logarithms are rounded.
const ROUNDING: f64 = 1e-9;

/// By how much each run differs from the middle of all, as logarithms by side.
pub(super) struct CommonOfRuns {
    pub(super) logs: [Vec<f64>; 2],
    /// Whether one side differs from the other by more than functions do by themselves. Otherwise the runs of each side have
    /// nothing in common on average, and only differ among each other.
    pub(super) is_moved: bool,
    /// Whether that could be told. Otherwise the machine may be in what functions moved by.
    pub(super) is_known: bool,
    /// By how much it errs, where it was told: nothing else is known of what is in all functions.
    pub(super) error: f64,
}

impl CommonOfRuns {
    /// From the functions whose logarithms are given. Nothing for too few functions, and where most did not move together.
    pub(super) fn of(functions: &[&[Vec<f64>; 2]], n_runs: [usize; 2]) -> Self {
        let logs = n_runs.map(|n| vec![0.0; n]);
        let nothing = Self { logs, is_moved: false, is_known: false, error: 0.0 };
        if functions.len() < FEWEST {
            return nothing;
        }
        // What functions say of runs shows how steady each of them is, and steady ones say it better.
        let alike = Middles::of(functions, &vec![1.0; functions.len()], n_runs);
        let weights = weights(functions, &alike.logs);
        let Middles { mut logs, error: run_error } = Middles::of(functions, &weights, n_runs);
        let moved = mean(&logs[1]) - mean(&logs[0]);
        let moves = functions.iter().map(|[before, after]| mean(after) - mean(before)).collect();
        let error = Middle::of(moves, &weights).error;
        let n_counting = weights.iter().sum::<f64>().powi(2) / weights.iter().map(|w| w * w).sum::<f64>();
        let reach = t_quantile(0.025, (n_counting - 1.0).max(1.0)) * error;
        if spread_within(&logs).is_some_and(|variance| variance < 2.0 * run_error * run_error) {
            // Runs differ by no more than small functions do by chance, and that is not in the others.
            for side in &mut logs {
                let middle = mean(side);
                side.fill(middle);
            }
        }
        if moved.abs() > reach.max(ROUNDING) {
            return match are_agreed(functions, &logs, moved) {
                true => Self { logs, is_moved: true, is_known: true, error },
                false => nothing,
            };
        }
        for side in &mut logs {
            let middle = mean(side);
            side.iter_mut().for_each(|log| *log -= middle);
        }
        Self { logs, is_moved: false, is_known: reach < LEAST_COMMON, error }
    }
}

/// By how much each run differs from the middle of all, by side, and by how much that errs.
struct Middles {
    logs: [Vec<f64>; 2],
    error: f64,
}

impl Middles {
    fn of(functions: &[&[Vec<f64>; 2]], weights: &[f64], n_runs: [usize; 2]) -> Self {
        let middles: Vec<f64> =
            functions.iter().map(|[before, after]| (mean(before) + mean(after)) / 2.0).collect();
        let mut squares = Vec::new();
        let logs = [0, 1].map(|side| {
            let of_run = |run: usize| {
                let above = functions.iter().zip(&middles).map(|(logs, middle)| logs[side][run] - middle);
                let found = Middle::of(above.collect(), weights);
                squares.push(found.error * found.error);
                found.centre
            };
            (0..n_runs[side]).map(of_run).collect::<Vec<f64>>()
        });
        Self { logs, error: mean(&squares).sqrt() }
    }
}

/// The median of weighed values and its error, by how far they lie apart.
struct Middle {
    centre: f64,
    error: f64,
}

impl Middle {
    fn of(mut values: Vec<f64>, weights: &[f64]) -> Self {
        let centre = weighed_median(&values, weights);
        values.iter_mut().for_each(|value| *value = (*value - centre).abs());
        // Of a normal distribution: a median distance is 0.674 deviations, and a median errs by a quarter more than a mean does.
        let deviation = weighed_median(&values, weights) / 0.674_49;
        let sum: f64 = weights.iter().sum();
        let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
        Self { centre, error: 1.2533 * deviation * squares.sqrt() / sum }
    }
}

/// The value that half of the weight lies below, between its neighbours where it falls between two.
fn weighed_median(values: &[f64], weights: &[f64]) -> f64 {
    let mut sorted: Vec<(f64, f64)> = values.iter().copied().zip(weights.iter().copied()).collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let half = weights.iter().sum::<f64>() / 2.0;
    let mut below = 0.0;
    for (at, (value, weight)) in sorted.iter().enumerate() {
        below += weight;
        if (below - half).abs() <= 1e-9 * half {
            return (value + sorted.get(at + 1).map_or(*value, |next| next.0)) / 2.0;
        }
        if below > half {
            return *value;
        }
    }
    0.0
}

/// How much each function says of what all have in common: the steadier it is, the more, but no quarter of them has all the say.
fn weights(functions: &[&[Vec<f64>; 2]], common: &[Vec<f64>; 2]) -> Vec<f64> {
    let alike = vec![1.0; functions.len()];
    let residuals = |logs: &[Vec<f64>; 2]| -> [Vec<f64>; 2] {
        [0, 1].map(|side| logs[side].iter().zip(&common[side]).map(|(log, common)| log - common).collect())
    };
    let spreads: Option<Vec<f64>> = functions.iter().map(|logs| spread_within(&residuals(logs))).collect();
    let Some(spreads) = spreads else { return alike };
    let mut sorted = spreads.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let least = sorted[sorted.len() / 4];
    if least <= 0.0 {
        return alike;
    }
    spreads.iter().map(|spread| least / (spread + least)).collect()
}

/// The variance of runs within their sides; `None` of single runs.
fn spread_within(sides: &[Vec<f64>; 2]) -> Option<f64> {
    let squares: f64 = sides
        .iter()
        .map(|side| {
            let middle = mean(side);
            side.iter().map(|log| (log - middle).powi(2)).sum::<f64>()
        })
        .sum();
    let degrees = sides.iter().map(|side| side.len() - 1).sum::<usize>();
    (degrees > 0).then(|| squares / degrees as f64)
}

/// Functions and their time, as votes.
#[derive(Clone, Copy, Default)]
struct Votes {
    n: f64,
    time: f64,
}

impl Votes {
    fn add(&mut self, took: f64) {
        self.n += 1.0;
        self.time += took;
    }

    /// Whether these are most of all, by number and by time.
    fn are_most_of(self, all: Self) -> bool {
        let [least, least_time] = AGREEING;
        self.n >= least * all.n && self.time >= least_time * all.time
    }
}

/// Whether most functions moved rather by this much than not at all, what runs have in common left out. Those whose runs do not
/// tell the one from the other have no vote, as long as half of them do: otherwise noise would agree to anything.
fn are_agreed(functions: &[&[Vec<f64>; 2]], common: &[Vec<f64>; 2], moved: f64) -> bool {
    let without = |logs: &[f64], side: usize| -> Vec<f64> {
        logs.iter().zip(&common[side]).map(|(log, common)| log - common).collect()
    };
    let (mut all, mut telling) = (Votes::default(), Votes::default());
    let (mut agreeing, mut agreeing_of_telling) = (Votes::default(), Votes::default());
    for [before, after] in functions {
        let took = mean(before).exp();
        all.add(took);
        let own = Shift::of(&without(before, 0), &without(after, 1), false);
        let reach = 2.0 * own.error().unwrap_or(0.0);
        let (is_near, is_near_none) = (own.centre.abs() <= reach, (own.centre + moved).abs() <= reach);
        let agrees = moved.abs() < LEAST_COMMON || is_near || (own.centre + moved) / moved > 0.5;
        if agrees {
            agreeing.add(took);
        }
        if !(is_near && is_near_none) {
            telling.add(took);
            if agrees {
                agreeing_of_telling.add(took);
            }
        }
    }
    match 2.0 * telling.n >= all.n {
        true => agreeing_of_telling.are_most_of(telling),
        false => agreeing.are_most_of(all),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        Difference, DifferenceOptions, FunctionFigures, FunctionName, RunFigures, difference,
    };
    use super::*;
    use crate::chance::Chance;
    use crate::noise::gauss;
    use crate::verdict::Verdict;

    /// A sampled run: few functions that take most of the time, and many of which only some ten samples tell.
    fn run(chance: &mut Chance, machine: f64, first: f64) -> RunFigures {
        let samples = |at: usize| if at < 5 { 160.0 } else { 10.0 };
        let functions = (0..26).map(|at| {
            let changed = if at == 0 { first } else { 1.0 };
            let (expected, own) = (samples(at) * machine * changed, 0.01 * gauss(chance));
            let n = (expected * own.exp() + expected.sqrt() * gauss(chance)).max(1.0).round();
            FunctionFigures {
                function: FunctionName { name: format!("f{at}"), ..FunctionName::default() },
                value: n * 1e6,
                samples: Some(n as u64),
                ..FunctionFigures::default()
            }
        });
        RunFigures::new(functions.collect())
    }

    fn in_turns(seed: u64, wander: f64, first: f64) -> Difference {
        let mut chance = Chance::new(seed);
        let mut sides = [Vec::new(), Vec::new()];
        for turn in 0..16 {
            let machine = (wander * gauss(&mut chance)).exp();
            let side = turn % 2;
            sides[side].push(run(&mut chance, machine, if side == 1 { first } else { 1.0 }));
        }
        let options = DifferenceOptions { is_interleaved: true, ..DifferenceOptions::default() };
        difference(&sides[0], &sides[1], &options).unwrap()
    }

    #[test]
    fn the_noise_of_small_functions_does_not_hide_what_became_of_a_large_one() {
        for (wander, widest) in [(0.01, 0.3), (0.15, 0.4)] {
            let (mut n_found, mut n_wrong, mut widths) = (0, 0, Vec::new());
            for seed in 0..40 {
                let found = in_turns(seed, wander, 1.3);
                let first = found.functions.iter().find(|row| row.function.name == "f0").unwrap();
                n_found += usize::from(first.verdict == Verdict::Regressed);
                n_wrong += found.functions.iter().filter(|row| row.verdict.is_change()).count();
                let [low, high] = first.change.unwrap().interval.map(f64::ln_1p);
                widths.push(high - low);
            }
            // Eight pairs of 160 and 208 samples alone leave a deviation of 4 %; others have to be left out of it.
            let width = mean(&widths);
            assert!(n_found >= 36, "{n_found} of 40 found when the machine wanders by {wander}");
            assert!(n_wrong - n_found <= 6, "{n_wrong} others");
            assert!(width < widest, "{width} wide when the machine wanders by {wander}");
        }
    }

    #[test]
    fn nothing_is_found_in_sampled_runs_that_are_alike() {
        for wander in [0.01, 0.15] {
            let found = (0..40).map(|seed| in_turns(100 + seed, wander, 1.0));
            let n = found.filter(|found| found.functions.iter().any(|row| row.verdict.is_change())).count();
            assert!(n <= 6, "{n} of 40 when the machine wanders by {wander}");
        }
    }

    #[test]
    fn a_median_is_where_half_of_the_weight_lies() {
        assert_eq!(weighed_median(&[3.0, 1.0, 2.0], &[1.0; 3]), 2.0);
        assert_eq!(weighed_median(&[1.0, 2.0, 3.0, 4.0], &[1.0; 4]), 2.5);
        assert_eq!(weighed_median(&[1.0, 2.0, 9.0], &[1.0, 1.0, 5.0]), 9.0);
        assert_eq!(weighed_median(&[], &[]), 0.0);
    }
}
