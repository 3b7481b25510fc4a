//! How a benchmark ends.

use std::process::ExitCode;

/// Success, or the message on standard error and the exit code of a tool that failed.
#[must_use]
pub fn exit(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}
