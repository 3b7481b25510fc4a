//! What a report is asked.

use crate::{Grouping, MachineRoof, Order, Source, ThreadChoice};

/// What is asked of a profile; the default asks for everything.
#[derive(Clone, Debug, Default)]
pub struct ReportQuestion {
    /// Which threads are reported.
    pub threads: ThreadChoice,
    /// What hot paths are of where one kind of time is asked for alone; `None` for all that a profile has.
    pub source: Option<Source>,
    /// What hot paths are sorted by.
    pub order: Order,
    /// Whether hot paths are call paths or functions.
    pub grouping: Grouping,
    /// In how much detail call paths are listed.
    pub detail: PathDetail,
    /// Whether the recorder's own cost is taken out of the times.
    pub subtract_overhead: bool,
    /// What the machine of the profile can do, for operations that are held against it; `None` where nobody measured it.
    pub roof: Option<MachineRoof>,
    /// How many rows lists have.
    pub rows: ReportRows,
}

impl ReportQuestion {
    /// Whether scopes are listed: not when another kind of time is asked for alone.
    #[must_use]
    pub fn lists_scopes(&self) -> bool {
        self.source.is_none_or(|source| source == Source::Scopes)
    }

    /// Whether paths of samples that differ in the depth of a recursion alone are one.
    pub(super) fn folds_recursion(&self) -> bool {
        self.detail == PathDetail::Folded && self.grouping == Grouping::Path
    }
}

/// In how much detail call paths are listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PathDetail {
    /// As a reader looks for them: a recursion of whatever depth is one path, threads wait in the function that made the
    /// call, and what allocates is a line of the program.
    Folded,
    /// Every path as functions call each other.
    #[default]
    Whole,
    /// Every path as it was recorded: those that differ in lines alone stay apart.
    Recorded,
}

/// How many rows lists have at most; `None` for all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReportRows {
    /// Hot paths.
    pub hot_paths: Option<usize>,
    /// Functions that are listed before paths.
    pub functions: Option<usize>,
    /// The other lists.
    pub others: Option<usize>,
}
