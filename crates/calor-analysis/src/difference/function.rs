//! One function before and after.

use super::FunctionName;
use super::shift::Shift;
use super::table::Row;
use crate::verdict::{Change, Verdict};

/// What became of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Presence {
    /// It is in runs of both sides, be it on one of them only as a caller of others.
    Both,
    /// It is only in runs after.
    New,
    /// It is only in runs before.
    Vanished,
    /// It had another name before.
    RenamedFrom(FunctionName),
}

/// One function before and after.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionDifference {
    /// The function.
    pub function: FunctionName,
    /// What became of it.
    pub presence: Presence,
    /// What it took on average before, for each unit of work.
    pub before: f64,
    /// The same after.
    pub after: f64,
    /// The difference of the two as a part of what all functions took before: these add up to the change of the total.
    pub contribution: f64,
    /// By how much it changed, what moved all functions together left out. `None` where it is too small to be judged, is not
    /// in most runs, or where nothing is known of its spread.
    pub change: Option<Change>,
    /// The change in the number of calls, where it is known.
    pub calls_effect: Option<f64>,
    /// The change in what one call takes: one more than this times one more than the change in calls is one more than the
    /// whole change.
    pub per_call_effect: Option<f64>,
    /// The share of chance findings in the list of changed functions, if it goes down to this one.
    pub q: Option<f64>,
    /// What that comes to.
    pub verdict: Verdict,
    /// What it seems to be, where there are too few runs to decide.
    pub suspected: Option<Verdict>,
    /// The least change that would be found four times in five; `None` as for `change`.
    pub smallest_detectable: Option<f64>,
    /// What it waited for longest, where the figures are of waiting.
    pub waits_for: Option<String>,
}

impl FunctionDifference {
    /// By how much it differs, as far as that is known: what is nothing on one side has no ratio to the other.
    #[must_use]
    pub fn known_effect(&self) -> Option<f64> {
        Change::known_effect(self.change.as_ref(), [self.before, self.after])
    }

    /// How much more it took after, for each unit of work.
    #[must_use]
    pub fn delta(&self) -> f64 {
        self.after - self.before
    }

    /// A row that is not judged.
    pub(super) fn unjudged(row: &Row, total_before: f64) -> Self {
        let (before, after) = (row.mean(0), row.mean(1));
        let presence = match &row.renamed_from {
            Some(former) => Presence::RenamedFrom(former.clone()),
            None => match row.is_there {
                [true, true] => Presence::Both,
                [false, _] => Presence::New,
                [_, false] => Presence::Vanished,
            },
        };
        Self {
            function: row.function.clone(),
            presence,
            before,
            after,
            contribution: if total_before > 0.0 { (after - before) / total_before } else { 0.0 },
            change: None,
            calls_effect: None,
            per_call_effect: None,
            q: None,
            verdict: Verdict::Undecided,
            suspected: None,
            smallest_detectable: None,
            waits_for: row.waits_for.clone(),
        }
    }

    /// Splits the change into that of calls and that of one call. What moved all functions, a logarithm, is put back.
    pub(super) fn split(&mut self, row: &Row, moved: f64, is_interleaved: bool) {
        if let (Some(change), Some([before, after])) = (self.change, row.call_logs()) {
            let calls = Shift::of(&before, &after, is_interleaved).centre;
            self.calls_effect = Some(calls.exp_m1());
            self.per_call_effect = Some((change.effect.ln_1p() + moved - calls).exp_m1());
        }
    }
}
