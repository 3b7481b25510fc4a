//! Workloads that come along and repeat each case until its time is over. Recorded from outside they take as long however slow they
//! are, so nothing can be told from that: what they write of themselves has to be read.

use std::ffi::OsString;

use anyhow::{Result, bail};
use calor_analysis::workload_at;

use crate::command_line;

/// The file that such a command is told to write, where it was not told one.
const PROFILE: &str = "run.calor";
/// Why they are not.
const WHY: &str = "such a bench repeats each case until its time is over, so it takes as long however slow it is: let it write its profile";

/// What such a command would be held against.
#[derive(Clone, Copy)]
pub(super) enum Against<'c> {
    /// A command that takes turns with it.
    Command(&'c [OsString]),
    Baseline(&'c str),
}

/// Says what to do instead where one of the commands would be recorded from outside.
pub(super) fn refuse(against: Against<'_>, after: &[OsString]) -> Result<()> {
    let is_before = matches!(against, Against::Command(before) if is_repeated(before));
    if !is_repeated(after) && !is_before {
        return Ok(());
    }
    let file = profile_of(after).unwrap_or_else(|| PROFILE.to_owned());
    let after = told(after, &file);
    let (held, baseline) = match against {
        Against::Command(_) => (format!("--against 'CMD BEFORE --profile {file}'"), String::new()),
        Against::Baseline(name) => (
            format!("--baseline {name}"),
            format!(", against a baseline of `calor baseline set {name} --profile {file} -- ...`"),
        ),
    };
    bail!("{WHY}, and have that read{baseline}: `calor check --profile {file} {held} -- {after}`")
}

/// The same where the command would become a baseline.
pub(crate) fn refuse_baseline(name: &str, command: &[OsString]) -> Result<()> {
    if !is_repeated(command) {
        return Ok(());
    }
    let file = profile_of(command).unwrap_or_else(|| PROFILE.to_owned());
    let command = told(command, &file);
    bail!("{WHY}, and have that saved: `calor baseline set {name} --profile {file} -- {command}`")
}

/// Whether a command is such a workload, by itself or in a shell.
fn is_repeated(command: &[OsString]) -> bool {
    let words: Vec<String> = words(command);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    (0..words.len()).any(|from| {
        workload_at(&words[from..]).is_some_and(|at| match words[from + at] {
            "simd" | "compression" | "tokenizer" => true,
            // The model has so many inferences; only kernels by themselves are repeated.
            "model" => words.contains(&"--deep"),
            _ => false,
        })
    })
}

/// The profile that it writes by itself.
fn profile_of(command: &[OsString]) -> Option<String> {
    super::advice::own_profile(&words(command).join(" ")).map(str::to_owned)
}

/// The command, writing that profile: what a shell is given is told so inside.
fn told(command: &[OsString], file: &str) -> String {
    if profile_of(command).is_some() {
        return command_line::shown(command);
    }
    let mut command = command.to_vec();
    let inside = command.iter_mut().find_map(|word| {
        let script = word.to_str()?.to_owned();
        Some((word, end_of_workload(&script)?, script))
    });
    match inside {
        Some((word, end, script)) => {
            *word = format!("{} --profile {file}{}", &script[..end], &script[end..]).into();
        }
        None => command.extend(["--profile", file].map(OsString::from)),
    }
    command_line::shown(&command)
}

/// Where the name of the workload ends in what a shell is given.
fn end_of_workload(script: &str) -> Option<usize> {
    let words: Vec<&str> = script.split_whitespace().collect();
    let name = (0..words.len()).find_map(|from| Some(words[from + workload_at(&words[from..])?]))?;
    // Words are parts of the script.
    Some(name.as_ptr() as usize - script.as_ptr() as usize + name.len())
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
            (&["calor", "-q", "bench", "simd"], true),
            (&["calor", "bench", "--store", "runs", "simd"], true),
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
        let message = refuse(Against::Command(&before), &after).unwrap_err().to_string();
        let expected = "`calor check --profile run.calor --against 'CMD BEFORE --profile run.calor' -- calor bench simd -q \
                        --profile run.calor`";
        assert!(message.contains(expected), "{message}");
        let after = line(&["calor", "bench", "simd", "--profile=a.calor"]);
        let message = refuse(Against::Baseline("main"), &after).unwrap_err().to_string();
        let expected =
            "`calor check --profile a.calor --baseline main -- calor bench simd --profile=a.calor`";
        assert!(message.contains(expected), "{message}");
        let after = line(&["sh", "-c", "cd /src/bench && calor bench simd -q && echo done"]);
        let message = refuse(Against::Baseline("main"), &after).unwrap_err().to_string();
        let expected = "`calor check --profile run.calor --baseline main -- sh -c \
                        'cd /src/bench && calor bench simd --profile run.calor -q && echo done'`";
        assert!(message.contains(expected), "{message}");
        let message = refuse_baseline("main", &line(&["calor", "bench", "simd"])).unwrap_err().to_string();
        let expected =
            "`calor baseline set main --profile run.calor -- calor bench simd --profile run.calor`";
        assert!(message.contains(expected), "{message}");
        assert!(refuse(Against::Baseline("main"), &line(&["./bench"])).is_ok());
    }
}
