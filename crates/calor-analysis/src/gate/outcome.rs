//! What a check came to: a comparison, budgets, and what becomes of what is open.

use super::{GatedComparison, Spending};
use crate::Verdict;

/// Everything.
#[derive(Clone, Debug)]
pub struct GateOutcome {
    /// What runs came to against others, where they were held against any.
    pub comparison: Option<GatedComparison>,
    /// What was taken of budgets.
    pub budgets: Vec<Spending>,
    /// What becomes of a verdict that is open.
    pub open: OpenVerdict,
}

/// What becomes of a verdict that is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpenVerdict {
    /// It passes.
    Passes,
    /// It fails.
    Fails,
    /// It is an outcome of its own.
    StaysOpen,
}

/// What a script does then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GateResult {
    /// It goes on.
    Passed,
    /// It stops.
    Failed,
    /// It decides for itself.
    Open,
}

impl GateOutcome {
    /// Whether a budget was exceeded.
    #[must_use]
    pub fn is_over_budget(&self) -> bool {
        self.budgets.iter().any(|spending| !spending.is_within())
    }

    /// What it all came to: a budget that was exceeded counts as much as a comparison that says so.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self.is_over_budget() {
            true => Verdict::Regressed,
            false => self.comparison.as_ref().map_or(Verdict::Same, GatedComparison::verdict),
        }
    }

    /// Whether that passes.
    #[must_use]
    pub fn result(&self) -> GateResult {
        match (self.verdict(), self.open) {
            (Verdict::Regressed, _) | (Verdict::Undecided, OpenVerdict::Fails) => GateResult::Failed,
            (Verdict::Undecided, OpenVerdict::StaysOpen) => GateResult::Open,
            (Verdict::Same | Verdict::Improved, _) | (Verdict::Undecided, OpenVerdict::Passes) => {
                GateResult::Passed
            }
        }
    }

    /// What it came to, in sentences: what makes it fail first.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let over: Vec<String> =
            self.budgets.iter().filter(|spending| !spending.is_within()).map(Spending::sentence).collect();
        let mut sentences = Vec::new();
        if !over.is_empty() {
            sentences.push(format!("Over budget: {}.", over.join("; ")));
        }
        sentences.extend(self.comparison.as_ref().map(GatedComparison::headline));
        if over.is_empty() && !self.budgets.is_empty() {
            sentences.push(match self.budgets.len() {
                1 => "The budget is kept.".to_owned(),
                2 => "Both budgets are kept.".to_owned(),
                n => format!("All {n} budgets are kept."),
            });
        }
        sentences
    }
}
