//! The command that was typed.

use std::ffi::OsString;
use std::sync::OnceLock;

pub(crate) use calor_model::command_line as shown;

/// What was typed. Not the process's own arguments: inside the Python package those are the interpreter's.
static TYPED: OnceLock<Vec<OsString>> = OnceLock::new();

/// Remembers what was typed.
pub(crate) fn keep(typed: Vec<OsString>) {
    // A second command in one process is not foreseen, and would only be told about the first.
    let _ = TYPED.set(typed);
}

/// The words that were typed, the first of which is the command.
pub(crate) fn typed() -> &'static [OsString] {
    TYPED.get().map_or(&[], Vec::as_slice)
}
