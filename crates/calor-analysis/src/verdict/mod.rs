//! Verdicts: what a comparison came to, in the same four words everywhere.

mod change;
mod metric;

use std::fmt;

pub use change::Change;
pub(crate) use change::{Sign, bounds, percent};
pub use metric::Metric;

/// What a comparison came to. More of what is measured is worse.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// It takes more than before, and chance does not explain it.
    Regressed,
    /// It takes less than before, and chance does not explain it.
    Improved,
    /// Whatever difference there is lies within the margin.
    Same,
    /// It was not measured well enough to tell.
    Undecided,
}

impl Verdict {
    /// The word used in reports and files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Improved => "improved",
            Self::Same => "same",
            Self::Undecided => "undecided",
        }
    }

    /// Whether it is a change, to the better or the worse.
    #[must_use]
    pub fn is_change(self) -> bool {
        matches!(self, Self::Regressed | Self::Improved)
    }

    /// The verdict on a change in this direction.
    pub(crate) fn of_change(effect: f64) -> Self {
        if effect > 0.0 { Self::Regressed } else { Self::Improved }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
