//! The views and the orders their rows can be in.

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

    /// The key that leads there, from 1.
    pub(super) fn number(self) -> usize {
        Self::ALL.iter().position(|view| *view == self).map_or(0, |place| place + 1)
    }

    /// The orders that make sense for its rows, the usual one first.
    pub(super) fn sorts(self) -> &'static [Sort] {
        match self {
            Self::Functions => &[Sort::Own, Sort::Total, Sort::Trend, Sort::Name],
            Self::Threads => &[Sort::Own, Sort::Total, Sort::Name],
            Self::Python => &[Sort::Own, Sort::Total, Sort::Aside, Sort::Name],
            Self::Waits => &[Sort::Own, Sort::Total, Sort::Name],
            Self::Memory | Self::Output | Self::Notes => &[],
        }
    }

    /// Whether rows can be chosen and looked into.
    pub(super) fn is_list(self) -> bool {
        !self.sorts().is_empty()
    }

    /// What a column is called here.
    pub(super) fn sort_word(self, sort: Sort) -> &'static str {
        match (self, sort) {
            (Self::Threads, Sort::Own) => "CPU",
            (Self::Threads, Sort::Total) => "waiting",
            (Self::Waits, Sort::Own) => "time",
            (Self::Waits, Sort::Total) => "times",
            (Self::Python, Sort::Name) => "line",
            (_, Sort::Own) => "self",
            (_, Sort::Total) => "total",
            (_, Sort::Aside) => "native",
            (_, Sort::Trend) => "trend",
            (_, Sort::Name) => "name",
        }
    }
}

/// By which column rows are sorted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Own,
    Total,
    Aside,
    Trend,
    Name,
}
