//! The views and the orders their rows can be in.

use calor_analysis::live::{LiveList, LiveOrder, LiveSpan};

/// What is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum View {
    #[default]
    Functions,
    Threads,
    Python,
    Memory,
    Waits,
    Output,
    Notes,
}

impl View {
    pub(super) const ALL: [Self; 7] =
        [Self::Functions, Self::Threads, Self::Python, Self::Memory, Self::Waits, Self::Output, Self::Notes];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Functions => "Functions",
            Self::Threads => "Threads",
            Self::Python => "Python",
            Self::Memory => "Memory",
            Self::Waits => "Waits",
            Self::Output => "Output",
            Self::Notes => "Notes",
        }
    }

    /// The list that it shows, where it shows one.
    pub(super) fn list(self) -> Option<LiveList> {
        match self {
            Self::Functions => Some(LiveList::Functions),
            Self::Threads => Some(LiveList::Threads),
            Self::Python => Some(LiveList::Lines),
            Self::Waits => Some(LiveList::Waits),
            Self::Memory | Self::Output | Self::Notes => None,
        }
    }

    /// The key that leads there, from 1.
    pub(super) fn number(self) -> usize {
        Self::ALL.iter().position(|view| *view == self).map_or(0, |place| place + 1)
    }

    /// The orders that make sense for its rows, the usual one first.
    pub(super) fn sorts(self) -> &'static [LiveOrder] {
        match self {
            Self::Functions => &[LiveOrder::Own, LiveOrder::Total, LiveOrder::Trend, LiveOrder::Name],
            Self::Threads => &[LiveOrder::Own, LiveOrder::Total, LiveOrder::Name],
            Self::Python => &[LiveOrder::Own, LiveOrder::Total, LiveOrder::Aside, LiveOrder::Name],
            Self::Waits => &[LiveOrder::Own, LiveOrder::Total, LiveOrder::Name],
            Self::Memory | Self::Output | Self::Notes => &[],
        }
    }

    /// Whether rows can be chosen and looked into.
    pub(super) fn is_list(self) -> bool {
        !self.sorts().is_empty()
    }

    /// What a column is called here.
    pub(super) fn sort_word(self, sort: LiveOrder) -> &'static str {
        match (self, sort) {
            (Self::Threads, LiveOrder::Own) => "CPU",
            (Self::Threads, LiveOrder::Total) => "waiting",
            (Self::Waits, LiveOrder::Own) => "time",
            (Self::Waits, LiveOrder::Total) => "times",
            (Self::Python, LiveOrder::Name) => "line",
            (_, LiveOrder::Own) => "self",
            (_, LiveOrder::Total) => "total",
            (_, LiveOrder::Aside) => "native",
            (_, LiveOrder::Trend) => "trend",
            (_, LiveOrder::Name) => "name",
        }
    }
}

/// The time that is shown after another.
pub(super) fn next_span(span: LiveSpan) -> LiveSpan {
    match span {
        LiveSpan::Short => LiveSpan::Long,
        LiveSpan::Long => LiveSpan::Whole,
        LiveSpan::Whole => LiveSpan::Short,
    }
}

/// What a time is called.
pub(super) fn span_word(span: LiveSpan) -> &'static str {
    match span {
        LiveSpan::Short => "last 10 s",
        LiveSpan::Long => "last 60 s",
        LiveSpan::Whole => "since start",
    }
}
