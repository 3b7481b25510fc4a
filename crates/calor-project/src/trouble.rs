//! What keeps a project from saying all it has to say of findings: no reason to name none.

use std::fmt;

use crate::Error;

/// What could not be taken into account.
#[derive(Debug)]
#[non_exhaustive]
pub enum Trouble {
    /// The settings.
    Settings(Error),
    /// Rules of the project's own.
    Rules(Error),
    /// What the store remembers.
    Dismissals(Error),
}

impl fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, error) = match self {
            Self::Settings(error) => ("findings that are suppressed are told all the same", error),
            Self::Rules(error) => ("rules of your own are not asked", error),
            Self::Dismissals(error) => ("findings that were dismissed are told again", error),
        };
        write!(formatter, "{what}: {}", error.whole())
    }
}
