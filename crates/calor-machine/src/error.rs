//! What can be wrong with a file about a machine.

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is something else.
    #[error(
        "expected what `calor machine --format json` prints, found something else ({0}): write it again on that machine"
    )]
    NotAMachine(#[from] serde_json::Error),
    /// It is JSON of another kind or version.
    #[error("expected `calor/machine/1`, found `{found}`: write it with `calor machine --format json`")]
    OtherSchema {
        /// What its field `schema` says.
        found: String,
    },
    /// It has figures that no machine has.
    #[error(
        "{what} is {found}, which no machine has: write the file again with `calor machine --fresh --format json`"
    )]
    Impossible {
        /// Which figure.
        what: String,
        /// What the file says.
        found: f64,
    },
}
