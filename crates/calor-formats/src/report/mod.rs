//! The report that `calor report --format json` prints, read back as a profile, so that a report that was kept can be
//! compared with a new recording.
//!
//! A report says less than the profile it was made of: paths are told by names alone, threads are added up, and there
//! are neither histograms nor a timeline. The profile carries a warning that says so. Where the report was cut (`--top`),
//! the time of children that it does not show becomes a child `(not in the report)`, so that totals and self times
//! are still what the report says.

mod document;
mod moment;
mod paths;
mod reader;
mod run;

pub use reader::read;

use crate::opening::Opening;

/// Whether an input is a report of ours, of whatever version.
pub(crate) fn detect(opening: &Opening<'_>) -> bool {
    opening.value("schema").is_some_and(|value| value.starts_with(b"\"calor/"))
}
