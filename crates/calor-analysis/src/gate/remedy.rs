//! What would decide an open verdict, the most helpful first. Runs of a baseline and of today saw different moments of the machine,
//! which more runs do not mend; programs that take turns do.

use super::GatedComparison;
use crate::workload::Unlike;
use crate::{CommonCause, Difference, Verdict};

/// Runs that most changes are seen by.
const ENOUGH: usize = 10;
/// Nobody is asked to record a baseline more often than this, or to let programs take turns.
const MOST_RUNS: usize = 100;
const MOST_TURNS: usize = 1_000;
/// Margins that people take.
const MARGINS: [f64; 4] = [0.1, 0.2, 0.3, 0.5];

/// One of the ways to decide what is open.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Remedy {
    /// To hold the model against runs of the same one.
    SameModel,
    /// To hold the run against runs of the same work.
    SameWork,
    /// To record so many runs of the sides that have fewer.
    MoreRuns {
        /// How many.
        n_runs: usize,
        /// Whether those of the baseline are fewer.
        is_before: bool,
        /// Whether those that are checked are fewer.
        is_after: bool,
    },
    /// To let the programs of both sides take turns.
    Turns,
    /// To let them take so many turns.
    MoreTurns(usize),
    /// To let differences up to this part count as none.
    WiderMargin(f64),
    /// To say whether what is open passes or fails.
    Policy,
}

impl GatedComparison {
    /// What would decide; nothing where it is decided. `has_policy` says that somebody said what becomes of an open verdict.
    #[must_use]
    pub fn remedies(&self, has_policy: bool) -> Vec<Remedy> {
        if self.verdict() != Verdict::Undecided {
            return Vec::new();
        }
        match self.comparison.unlike {
            Some(Unlike::Models(_)) => return vec![Remedy::SameModel],
            Some(Unlike::Lengths(_)) => return vec![Remedy::SameWork],
            None => {}
        }
        let difference = &self.comparison.difference;
        let wanted = difference.needs_runs.unwrap_or(ENOUGH).max(ENOUGH);
        let mut remedies = Vec::new();
        if self.is_interleaved {
            let is_possible = difference.n_runs[1] < wanted && wanted <= MOST_TURNS;
            remedies.extend(is_possible.then_some(Remedy::MoreTurns(wanted)));
        } else {
            let more = more_runs(difference, wanted);
            match self.may_be_the_machine() {
                true => {
                    let more = more.filter(|_| difference.n_runs.contains(&1));
                    remedies.extend([Some(Remedy::Turns), more].into_iter().flatten());
                }
                false => remedies.extend([more, Some(Remedy::Turns)].into_iter().flatten()),
            }
        }
        remedies.extend(wider_margin(difference));
        remedies.extend((!has_policy).then_some(Remedy::Policy));
        remedies
    }
}

/// To record either side more often.
fn more_runs(difference: &Difference, n_runs: usize) -> Option<Remedy> {
    let [is_before, is_after] = difference.n_runs.map(|n| n < n_runs);
    let is_possible = (is_before || is_after) && n_runs <= MOST_RUNS;
    is_possible.then_some(Remedy::MoreRuns { n_runs, is_before, is_after })
}

/// A margin that lets what is possible pass, where nothing else speaks against it.
fn wider_margin(difference: &Difference) -> Option<Remedy> {
    let [_, high] = difference.change?.interval;
    let is_of_size = difference.common.cause != CommonCause::Unknown && !difference.n_runs.contains(&1);
    let margin = MARGINS.into_iter().find(|margin| *margin >= high && *margin > difference.margin);
    margin.filter(|_| is_of_size).map(Remedy::WiderMargin)
}
