//! What moved all functions together. A machine that is slower, or a build without optimisation, makes every function slower;
//! listed function by function that is noise. It is taken out of the functions and told as one line, with its cause as far as
//! a fixed piece of code that every recording times can tell.

use super::RunFigures;
use super::common_of_runs::{CommonOfRuns, FEWEST};
use super::shift::Shift;
use crate::verdict::Change;

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

    /// The machine's part, where it is known: 1.1 is a machine that is 10 % slower after.
    #[must_use]
    pub(crate) fn machine_factor(&self) -> Option<f64> {
        match self.cause {
            CommonCause::Machine => Some(1.0 + self.change.effect),
            CommonCause::Nothing | CommonCause::Build => Some(1.0),
            CommonCause::Unknown => None,
        }
    }

    /// Whether it may be the machine that moved, or did so beyond doubt though functions did not follow.
    pub(crate) fn may_be_the_machine(&self) -> bool {
        matches!(self.cause, CommonCause::Machine | CommonCause::Unknown)
            || self.canary.is_some_and(|Change { interval: [low, high], .. }| low > 0.0 || high < 0.0)
    }

    /// How unsure it is what is in all functions, as a logarithm, where functions alone leave so much open. Runs that took turns
    /// had one machine, and where nothing moved together nothing else is in all; of others the fixed piece of code tells as well.
    pub(super) fn doubt(
        &self,
        CommonOfRuns { is_moved, error, .. }: &CommonOfRuns,
        is_interleaved: bool,
    ) -> f64 {
        let canary = self.canary.map(|canary| canary.interval.map(f64::ln_1p));
        match canary {
            _ if *is_moved => *error,
            _ if is_interleaved => 0.0,
            Some([low, high]) if high > low && *error > 0.0 => {
                let canary = (high - low) / 2.0 / 1.96;
                (error.powi(-2) + canary.powi(-2)).sqrt().recip()
            }
            _ => *error,
        }
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
    are_parts: bool,
}

impl Canaries {
    /// `None` where a run did not time it.
    pub(super) fn of(sides: [&[RunFigures]; 2], are_parts: bool) -> Option<Self> {
        let log = |run: &RunFigures| run.canary_nanos.filter(|nanos| *nanos > 0.0).map(f64::ln);
        let [before, after] = sides.map(|runs| runs.iter().map(log).collect::<Option<Vec<f64>>>());
        let spread = sides.into_iter().flatten().filter_map(|run| run.canary_spread).fold(0.0, f64::max);
        Some(Self { logs: [before?, after?], spread, are_parts })
    }

    /// By how much it moved, and the logarithm of that where it is more than chance.
    fn moved(&self, is_interleaved: bool) -> (Option<Change>, Option<f64>) {
        let [before, after] = self.logs.each_ref().map(|side| match self.are_parts {
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
