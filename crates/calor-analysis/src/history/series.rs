//! What one scope took, run by run.

use crate::{ChangePointOptions, RunChange, smallest_change};

/// What one scope took, run by run.
#[derive(Clone, Debug)]
pub struct HistorySeries {
    /// Its name; `None` for the whole program.
    pub scope: Option<String>,
    /// The file or module that tells it from others of its name.
    pub place: Option<String>,
    /// What of it was measured.
    pub value: HistoryValue,
    /// In the order of the runs; `None` where a run does not have it.
    pub values: Vec<Option<f64>>,
    /// Where it changed.
    pub changes: Vec<RunChange>,
}

/// What of a scope is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HistoryValue {
    /// With what it calls.
    #[default]
    Total,
    /// Without what it calls.
    Own,
    /// One call of it, with what that calls.
    Call,
}

impl HistoryValue {
    /// The word for it in options and files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Own => "self",
            Self::Call => "call",
        }
    }
}

impl HistorySeries {
    /// The smallest change that would have been found in the middle of a series without one; `None` where none would.
    #[must_use]
    pub fn smallest_detectable(&self) -> Option<f64> {
        let known: Vec<f64> = self.values.iter().copied().flatten().filter(|value| *value > 0.0).collect();
        smallest_change(&known, &ChangePointOptions::default())
    }

    /// The level since the last change: the median.
    #[must_use]
    pub fn level(&self) -> Option<f64> {
        match self.changes.last() {
            Some(change) => Some(change.levels[1]),
            None => {
                let mut known: Vec<f64> = self.values.iter().copied().flatten().collect();
                known.sort_unstable_by(f64::total_cmp);
                known.get(known.len() / 2).copied()
            }
        }
    }

    /// The levels between changes: from which run on, to before which, and what it took there.
    #[must_use]
    pub fn levels(&self) -> Vec<(usize, usize, f64)> {
        let mut levels = Vec::new();
        let mut from = 0;
        for change in &self.changes {
            levels.push((from, change.at, change.levels[0]));
            from = change.at;
        }
        levels.extend(self.level().map(|level| (from, self.values.len(), level)));
        levels
    }

    /// The largest step between two levels.
    pub(super) fn largest_step(&self) -> f64 {
        self.changes.iter().map(|change| (change.levels[1] - change.levels[0]).abs()).fold(0.0, f64::max)
    }
}
