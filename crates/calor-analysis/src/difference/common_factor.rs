//! What moved all functions together. A machine that is slower, or a build without optimisation, makes every function slower;
//! listed function by function that is noise. It is taken out of the functions and told as one line, with its cause as far as
//! a fixed piece of code that every recording times can tell.

use super::RunFigures;
use super::shift::{Shift, mean, median};
use crate::distribution::t_quantile;
use crate::verdict::Change;

/// With fewer functions than this, what moved them together cannot be told from what moved one.
const FEWEST: usize = 10;
/// So many of all functions, and those that take so much of the time, have to have moved that way, or they did not move together.
const AGREEING: [f64; 2] = [0.75, 0.5];
/// A move of all by less than this need not be agreed on: functions differ by more.
const LEAST_COMMON: f64 = 0.02;
/// Less than this is how logarithms are rounded.
const ROUNDING: f64 = 1e-9;
/// Of single runs, a fixed piece of code that differs by less than this says nothing: so much it differs on an idle machine.
const LEAST_MOVE: f64 = 0.03;

/// What all functions have in common.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CommonFactor {
    /// By how much everything moved, which is taken out of the functions; exactly nothing where they do not agree on anything.
    /// The interval is as wide as the effect is unsure, or nothing where a side has one run.
    pub change: Change,
    /// Why.
    pub cause: CommonCause,
    /// By how much the fixed piece of code moved, where every run timed it; the interval is as that of the change.
    pub canary: Option<Change>,
    /// The logarithm of that, where it is more than the code differs by itself.
    canary_move: Option<f64>,
}

/// Why all functions moved together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommonCause {
    /// They did not: it is no more than chance or the margin.
    Nothing,
    /// The fixed piece of code moved as well: the machine is another, or busier.
    Machine,
    /// The fixed piece of code did not move, or runs took turns: the whole program changed, as by a flag of the compiler.
    Build,
    /// It was not recorded how long the fixed piece of code took, and runs did not take turns.
    Unknown,
}

impl CommonCause {
    /// The word used in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::Machine => "machine",
            Self::Build => "build",
            Self::Unknown => "unknown",
        }
    }
}

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
        let middles: Vec<f64> =
            functions.iter().map(|[before, after]| (mean(before) + mean(after)) / 2.0).collect();
        let mut logs = [0, 1].map(|side| {
            let of_run = |run: usize| {
                let mut above: Vec<f64> =
                    functions.iter().zip(&middles).map(|(logs, middle)| logs[side][run] - middle).collect();
                median(&mut above).unwrap_or(0.0)
            };
            (0..n_runs[side]).map(of_run).collect::<Vec<f64>>()
        });
        let moved = mean(&logs[1]) - mean(&logs[0]);
        let error = error(functions);
        let reach = t_quantile(0.025, functions.len() as f64 - 1.0) * error;
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

/// The error of the median of all functions' moves, by how far they lie apart.
fn error(functions: &[&[Vec<f64>; 2]]) -> f64 {
    let mut moves: Vec<f64> = functions.iter().map(|[before, after]| mean(after) - mean(before)).collect();
    let middle = median(&mut moves).unwrap_or(0.0);
    let mut distances: Vec<f64> = moves.iter().map(|moved| (moved - middle).abs()).collect();
    // Of a normal distribution: a median distance is 0.674 deviations, and a median errs by a quarter more than a mean does.
    let deviation = median(&mut distances).unwrap_or(0.0) / 0.674_49;
    1.2533 * deviation / (functions.len() as f64).sqrt()
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

impl CommonFactor {
    /// With fewer functions than this, it cannot be told from what moved one of them.
    pub const FEWEST_FUNCTIONS: usize = FEWEST;

    /// From what each run differs by, and the times of the fixed piece of code, where all runs have them.
    pub(super) fn new(
        CommonOfRuns { logs: [before, after], is_moved: is_common, .. }: &CommonOfRuns,
        canaries: Option<Canaries>,
        is_interleaved: bool,
        margin: f64,
    ) -> Self {
        let shift = Shift::of(before, after, is_interleaved);
        // Exactly nothing where functions do not agree on anything: then nothing is taken out of them.
        let change = if *is_common { change(&shift) } else { Change::from_logs(0.0, 0.0, 0.0) };
        let is_moved = change.effect.abs() >= margin && !change.holds_none();
        let (canary, canary_move) = match canaries {
            Some(canaries) => canaries.moved(is_interleaved),
            None => (None, None),
        };
        let mut common = Self { change, cause: CommonCause::Nothing, canary, canary_move };
        if is_moved {
            common.cause = match canary {
                // Runs that took turns had the same machine.
                None if is_interleaved => CommonCause::Build,
                None => CommonCause::Unknown,
                Some(_) if common.is_machine(shift.centre) => CommonCause::Machine,
                Some(_) => CommonCause::Build,
            };
        }
        common
    }

    /// Whether the machine may have moved something by this much, as a logarithm.
    pub(super) fn is_machine(&self, moved: f64) -> bool {
        // Load does not slow all code alike, so a third of the way counts.
        self.canary_move.is_some_and(|canary| canary / moved >= 1.0 / 3.0)
    }

    /// Whether a machine that moved the fixed piece of code explains all of a move as well, half as much again included: load
    /// does not slow all code alike.
    pub(super) fn explains(&self, moved: f64) -> bool {
        self.canary_move.is_some_and(|canary| canary * moved > 0.0 && moved.abs() <= 1.5 * canary.abs())
    }
}

fn change(shift: &Shift) -> Change {
    shift.change(0.05).unwrap_or_else(|| Change::from_logs(shift.centre, shift.centre, shift.centre))
}

/// How long the fixed piece of code took in each run of both sides, as logarithms.
pub(super) struct Canaries {
    logs: [Vec<f64>; 2],
    /// By how much it differed within runs, at most.
    spread: f64,
    /// Whether the runs of a side are parts of one, which was timed as a whole.
    are_blocks: bool,
}

impl Canaries {
    /// `None` where a run did not time it.
    pub(super) fn of(sides: [&[RunFigures]; 2], are_blocks: bool) -> Option<Self> {
        let log = |run: &RunFigures| run.canary_nanos.filter(|nanos| *nanos > 0.0).map(f64::ln);
        let [before, after] = sides.map(|runs| runs.iter().map(log).collect::<Option<Vec<f64>>>());
        let spread = sides.into_iter().flatten().filter_map(|run| run.canary_spread).fold(0.0, f64::max);
        Some(Self { logs: [before?, after?], spread, are_blocks })
    }

    /// By how much it moved, and the logarithm of that where it is more than chance.
    fn moved(&self, is_interleaved: bool) -> (Option<Change>, Option<f64>) {
        let [before, after] = self.logs.each_ref().map(|side| match self.are_blocks {
            true => &side[..1],
            false => &side[..],
        });
        let shift = Shift::of(before, after, is_interleaved);
        let is_sure = match shift.change(0.05) {
            Some(change) => !change.holds_none(),
            // One run a side tells how much it differed from its beginning to its end, and no more.
            None => shift.centre.abs() > LEAST_MOVE.max(2.0 * self.spread),
        };
        (Some(change(&shift)), is_sure.then_some(shift.centre))
    }
}
