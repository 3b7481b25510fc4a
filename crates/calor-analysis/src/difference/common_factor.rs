//! What moved all functions together. A machine that is slower, or a build without optimisation, makes every function slower;
//! listed function by function that is noise. It is taken out of the functions and told as one line, with its cause as far as
//! a fixed piece of code that every recording times can tell.

use super::shift::{Shift, mean, median};
use crate::verdict::Change;

/// With fewer functions than this, what moved them together cannot be told from what moved one.
const FEWEST: usize = 5;

/// What all functions have in common.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CommonFactor {
    /// By how much everything moved; the interval is as wide as the effect is unsure, or nothing where a side has one run.
    pub change: Change,
    /// Why.
    pub cause: CommonCause,
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

/// By how much each run differs from the middle of all, as logarithms by side, in the functions whose logarithms are given;
/// zeros for too few functions.
pub(super) fn of_runs(functions: &[&[Vec<f64>; 2]], n_runs: [usize; 2]) -> [Vec<f64>; 2] {
    if functions.len() < FEWEST {
        return n_runs.map(|n| vec![0.0; n]);
    }
    let middles: Vec<f64> =
        functions.iter().map(|[before, after]| (mean(before) + mean(after)) / 2.0).collect();
    [0, 1].map(|side| {
        let of_run = |run: usize| {
            let mut above: Vec<f64> =
                functions.iter().zip(&middles).map(|(logs, middle)| logs[side][run] - middle).collect();
            median(&mut above).unwrap_or(0.0)
        };
        (0..n_runs[side]).map(of_run).collect()
    })
}

impl CommonFactor {
    /// From what each run differs by, and the logarithms of the fixed code's times, where all runs have them.
    pub(super) fn new(
        [before, after]: &[Vec<f64>; 2],
        canaries: Option<[Vec<f64>; 2]>,
        is_interleaved: bool,
        margin: f64,
    ) -> Self {
        let shift = Shift::of(before, after, is_interleaved);
        let single = Change::from_logs(shift.centre, shift.centre, shift.centre);
        let change = shift.change(0.05).unwrap_or(single);
        let is_moved = change.effect.abs() >= margin && !change.holds_none();
        let cause = match canaries {
            _ if !is_moved => CommonCause::Nothing,
            // Runs that took turns had the same machine.
            None if is_interleaved => CommonCause::Build,
            None => CommonCause::Unknown,
            Some([before, after]) => {
                let canary = Shift::of(&before, &after, is_interleaved);
                let is_sure = canary.change(0.05).is_none_or(|change| !change.holds_none());
                // Load does not slow all code alike, so a third of the way counts.
                let is_machine = is_sure && canary.centre / shift.centre >= 1.0 / 3.0;
                if is_machine { CommonCause::Machine } else { CommonCause::Build }
            }
        };
        Self { change, cause }
    }
}
