//! Why a report could not be made.

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such format.
    #[error("unknown report format `{given}`: expected text, json, md, html or csv")]
    UnknownFormat {
        /// What was asked for.
        given: String,
    },
    /// The profile has no thread of that name.
    #[error("no thread is named `{name}`; the profile has {known}")]
    UnknownThread {
        /// What was asked for.
        name: String,
        /// The names there are, in words.
        known: String,
    },
    /// The program entered no context of that name while it was recorded.
    #[error("no context is named `{name}`; the profile has {known}")]
    UnknownContext {
        /// What was asked for.
        name: String,
        /// The names there are, in words.
        known: String,
    },
    /// The recorder did not measure its own cost.
    #[error(
        "the profile does not say what recording cost, so nothing can be subtracted; leave out the option"
    )]
    CostUnknown,
    /// A table of call paths cannot show what was asked for.
    #[error(
        "csv lists call paths as they were recorded and cannot {what}; leave out the option or ask for json"
    )]
    NotInCsv {
        /// What was asked for.
        what: &'static str,
    },
    /// The page could not be written.
    #[error("could not write the report")]
    Write(#[from] std::io::Error),
}
