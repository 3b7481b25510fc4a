//! What may have been meant by the name of a command that there is not; `calor help` suggests the same.

use calor_analysis::nearest;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

/// The same error with what may have been meant.
pub(crate) fn suggest(mut error: Error, command: &Command) -> Error {
    let given = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(given)) if error.kind() == ErrorKind::InvalidSubcommand => given.clone(),
        _ => return error,
    };
    let known = command.get_subcommands().map(Command::get_name).chain(["help"]);
    let near = nearest(&given, known);
    if !near.is_empty() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(near));
    }
    error
}
