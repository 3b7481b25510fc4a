//! Over which time a program is looked at.

use std::time::Duration;

/// The longest of the rolling spans.
pub(super) const LONGEST: Duration = Duration::from_secs(60);

/// Over which time sums are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LiveSpan {
    /// The last ten seconds.
    #[default]
    Short,
    /// The last minute.
    Long,
    /// Since the start.
    Whole,
}

impl LiveSpan {
    /// How long it is; `None` for all since the start.
    pub(super) fn duration(self) -> Option<Duration> {
        match self {
            Self::Short => Some(Duration::from_secs(10)),
            Self::Long => Some(LONGEST),
            Self::Whole => None,
        }
    }
}
