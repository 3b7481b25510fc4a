//! Workloads that come along and repeat each case until its time is over. Recorded from outside they take as long however slow they
//! are, so nothing can be told from that: what they write of themselves has to be read.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Result, bail};

use crate::command_line;

/// The file that such a command is told to write, where it was not told one.
const PROFILE: &str = "run.calor";

/// Says what to do instead where one of the commands would be recorded from outside. `before` is what takes turns with the other.
pub(super) fn refuse(before: Option<&[OsString]>, after: &[OsString], baseline: Option<&str>) -> Result<()> {
    if !is_repeated(after) && !before.is_some_and(is_repeated) {
        return Ok(());
    }
    let file = profile_of(after).unwrap_or_else(|| PROFILE.to_owned());
    let after = told(after, &file);
    let held = match (before, baseline) {
        (Some(_), _) => format!("--against 'CMD BEFORE --profile {file}'"),
        (None, Some(name)) => format!("--baseline {name}"),
        (None, None) => String::new(),
    };
    let baseline = match (before, baseline) {
        (None, Some(name)) => {
            format!(", against a baseline of `calor baseline set {name} --profile {file} -- ...`")
        }
        _ => String::new(),
    };
    bail!(
        "such a bench repeats each case until its time is over, so it takes as long however slow it is: let it write its profile, \
         and have that read{baseline}: `calor check --profile {file} {held} -- {after}`"
    )
}

/// Whether a command is such a workload, by itself or in a shell.
pub(crate) fn is_repeated(command: &[OsString]) -> bool {
    let words: Vec<String> = words(command);
    let is_calor = |word: &str| Path::new(word).file_name().is_some_and(|name| name == "calor");
    words.windows(3).any(|three| {
        is_calor(&three[0])
            && three[1] == "bench"
            && match &*three[2] {
                "simd" | "compression" | "tokenizer" => true,
                // The model has so many inferences; only kernels by themselves are repeated.
                "model" => words.iter().any(|word| word == "--deep"),
                _ => false,
            }
    })
}

/// The profile that it writes by itself.
fn profile_of(command: &[OsString]) -> Option<String> {
    super::advice::own_profile(&words(command).join(" ")).map(str::to_owned)
}

/// The command, writing that profile.
fn told(command: &[OsString], file: &str) -> String {
    let shown = command_line::shown(command);
    if profile_of(command).is_some() { shown } else { format!("{shown} --profile {file}") }
}

/// The words of a command, and of what a shell is given.
fn words(command: &[OsString]) -> Vec<String> {
    command
        .iter()
        .flat_map(|word| word.to_string_lossy().split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &[&str]) -> Vec<OsString> {
        text.iter().map(OsString::from).collect()
    }

    #[test]
    fn workloads_that_repeat_by_time_are_known_by_their_command() {
        for (command, expected) in [
            (&["calor", "bench", "simd", "--quick"][..], true),
            (&["./target/release/calor", "bench", "compression"], true),
            (&["sh", "-c", "calor bench tokenizer -q"], true),
            (&["calor", "bench", "model", "--deep"], true),
            (&["calor", "bench", "model", "--enhanced"], false),
            (&["./bench", "simd"], false),
            (&["calor", "top"], false),
        ] {
            assert_eq!(is_repeated(&line(command)), expected, "{command:?}");
        }
    }

    #[test]
    fn what_to_do_instead_can_be_typed() {
        let (before, after) =
            (line(&["sh", "-c", "old/calor bench simd"]), line(&["calor", "bench", "simd", "-q"]));
        let message = refuse(Some(&before), &after, None).unwrap_err().to_string();
        let expected = "`calor check --profile run.calor --against 'CMD BEFORE --profile run.calor' -- calor bench simd -q \
                        --profile run.calor`";
        assert!(message.contains(expected), "{message}");
        let after = line(&["calor", "bench", "simd", "--profile=a.calor"]);
        let message = refuse(None, &after, Some("main")).unwrap_err().to_string();
        let expected =
            "`calor check --profile a.calor --baseline main -- calor bench simd --profile=a.calor`";
        assert!(message.contains(expected), "{message}");
        assert!(refuse(None, &line(&["./bench"]), Some("main")).is_ok());
    }
}
