//! A program that is started, in words: its command, why it did not start, and which signal ended it.

use std::ffi::OsString;
use std::process::ExitStatus;

use calor_record::{LaunchError, RecordError};

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

/// A command as it can be typed into a shell: words with blanks or other letters that mean something there are quoted.
pub(crate) fn shown(command: &[OsString]) -> String {
    let words: Vec<String> = command.iter().map(|word| quoted(&word.to_string_lossy())).collect();
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-./=:,+@%^".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_a_shell_would_take_apart_are_quoted() {
        let shown = |words: &[&str]| shown(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(shown(&["sh", "-c", "exit 7"]), "sh -c 'exit 7'");
        assert_eq!(shown(&["./a", "--x=1", "", "it's", "$HOME", "*"]), "./a --x=1 '' 'it'\\''s' '$HOME' '*'");
        assert_eq!(shown(&["größe"]), "größe");
    }
}
