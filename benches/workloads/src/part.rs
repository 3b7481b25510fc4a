//! What a part of this area is.

use harness::{Arguments, Goal};

/// A part.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    /// What is measured, for the heading.
    pub(crate) about: &'static str,
    /// Measures, and says what was found.
    pub(crate) measure: fn(&Arguments) -> Result<Told, String>,
    /// Is one of the processes that the part starts: this program with `--case NAME:WHAT`. Parts that start none refuse.
    pub(crate) be: fn(&str, &Arguments) -> Result<(), String>,
}

/// What a part found.
#[derive(Default)]
pub(crate) struct Told {
    /// Markdown below the heading.
    pub(crate) page: String,
    pub(crate) goals: Vec<Goal>,
}

/// Of parts that start no process.
pub(crate) fn nobody(what: &str, _: &Arguments) -> Result<(), String> {
    Err(format!("there is no process `{what}` in this part"))
}
