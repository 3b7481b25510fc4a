//! What can be wrong with what an analysis is asked for.

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A line of a file of suppressions.
    #[error(
        "line {line} of the suppressions: expected `leak:PATTERN` or a remark after `#`, found `{found}`"
    )]
    Suppression {
        /// Its number, from 1 on.
        line: usize,
        /// What stands there.
        found: String,
    },
}
