//! How the command ends when it failed: the whole story in one line on standard error, and exit code 2.

use std::io::{ErrorKind, Write};

use crate::ExitCode;

/// The exit code of a tool that failed; 1 means that it worked and found something.
pub(crate) const FAILED: u8 = 2;
/// The exit code of an experiment that somebody interrupted, as a shell has it for SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

/// Prints an error, with its causes, and returns the exit code.
pub(crate) fn exit(error: &anyhow::Error) -> ExitCode {
    if is_closed_pipe(error) {
        return ExitCode::SUCCESS;
    }
    // Standard error may be closed too, and then there is nobody left to tell.
    let _ = writeln!(std::io::stderr(), "error: {error:#}");
    ExitCode::from(FAILED)
}

/// Whether the reader of our output went away, as `head` does when it has enough: not a failure.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.any(|cause| cause.kind() == ErrorKind::BrokenPipe)
}
