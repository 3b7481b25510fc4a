//! A program that is started, in words: its command, why it did not start, and which signal ended it.

use std::process::ExitStatus;

use calor_record::{LaunchError, RecordError};

pub(crate) use crate::command_line::shown;

/// The error with what to do about it; `command` is what the program was given to, such as `calor record`.
pub(crate) fn explained(error: &LaunchError, command: &str) -> anyhow::Error {
    let advice = match error {
        LaunchError::NotFound(_) => "check the name, or give the path to it".to_owned(),
        LaunchError::Directory(_) => "name a program inside it".to_owned(),
        LaunchError::NotExecutable(_) => {
            "make it so with `chmod +x`, or name the program that runs it, such as python3".to_owned()
        }
        _ => format!("see whether it starts without `{command} --`"),
    };
    anyhow::anyhow!("{error}: {advice}")
}

/// The error, with what to do about it where the program did not start.
pub(crate) fn failed(error: RecordError, command: &str) -> anyhow::Error {
    match error {
        RecordError::Launch(error) => explained(&error, command),
        error => anyhow::Error::new(error),
    }
}

/// How a program ended, as words to put behind its name.
pub(crate) fn ending(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was ended by {}", signal_name(signal)),
        (None, None) => "did not end as it should".to_owned(),
    }
}

/// A signal by its name, where it is one that programs die of.
pub(crate) fn signal_name(signal: i32) -> String {
    let known = [(1, "SIGHUP"), (2, "SIGINT"), (3, "SIGQUIT"), (4, "SIGILL"), (6, "SIGABRT"), (7, "SIGBUS")];
    let more =
        [(8, "SIGFPE"), (9, "SIGKILL"), (11, "SIGSEGV"), (13, "SIGPIPE"), (14, "SIGALRM"), (15, "SIGTERM")];
    let name = known.iter().chain(&more).find(|(number, _)| *number == signal);
    name.map_or_else(|| format!("signal {signal}"), |(_, name)| (*name).to_owned())
}
