//! How the command ends when it failed: the whole story in one line on standard error, and exit code 2.

use std::fmt;
use std::io::{ErrorKind, Write};

use crate::ExitCode;

/// The exit code of a tool that failed; 1 means that it worked and found something.
pub(crate) const FAILED: u8 = 2;
/// The exit code of an experiment that somebody interrupted, as a shell has it for SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

/// Somebody asked for the end before there was anything to tell. What it says is what came of it.
#[derive(Debug)]
pub(crate) struct Interrupted(pub(crate) &'static str);

impl fmt::Display for Interrupted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "interrupted {}", self.0)
    }
}

impl std::error::Error for Interrupted {}

/// Whether something was not done because somebody asked for the end.
pub(crate) fn is_interrupted(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.is::<Interrupted>())
}

/// Prints an error, with its causes, and returns the exit code.
pub(crate) fn exit(error: &anyhow::Error) -> ExitCode {
    if is_closed_pipe(error) {
        return ExitCode::SUCCESS;
    }
    if is_interrupted(error) {
        crate::news::say(format!("{error:#}"));
        return ExitCode::from(INTERRUPTED);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_interrupted_did_not_fail() {
        let early = anyhow::Error::new(Interrupted("before the first size was measured"));
        assert_eq!(early.to_string(), "interrupted before the first size was measured");
        assert_eq!(exit(&early.context("command A")).get(), INTERRUPTED);
        assert_eq!(exit(&anyhow::anyhow!("it is broken")).get(), FAILED);
    }
}
