//! Workloads that come along and repeat each case until its time is over. Recorded from outside they take as long however slow they
//! are, so nothing can be told from that: what they write of themselves has to be read.

use std::ffi::OsString;

use anyhow::{Result, bail};
use calor_analysis::workload::BenchCommand;

use super::advice::Asked;
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

/// Says what to do instead where one of the commands would be recorded from outside; what was asked for besides stays.
pub(super) fn refuse(asked: &Asked, against: Against<'_>, after: &[OsString]) -> Result<()> {
    let is_before = matches!(against, Against::Command(before) if is_repeated(before));
    if !is_repeated(after) && !is_before {
        return Ok(());
    }
    let file = profile_of(after).unwrap_or_else(|| PROFILE.to_owned());
    let after = told(after, &file);
    let (held, baseline) = match against {
        Against::Command(_) => {
            (["--against".to_owned(), format!("CMD BEFORE --profile {file}")], String::new())
        }
        Against::Baseline(name) => (
            ["--baseline".to_owned(), name.to_owned()],
            format!(", against a baseline of `calor baseline set {name} --profile {file} -- ...`"),
        ),
    };
    let with = [&["--profile".to_owned(), file][..], &held].concat();
    let line = asked.options(&["--profile", "--baseline", "--against"], &with);
    bail!("{WHY}, and have that read{baseline}: `{} -- {after}`", command_line::shown(&line))
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

/// The same where commands would be timed as a whole.
pub(crate) fn refuse_timing(commands: &[&[OsString]]) -> Result<()> {
    if !commands.iter().any(|command| is_repeated(command)) {
        return Ok(());
    }
    let shown = |at: usize| commands.get(at).map_or_else(String::new, |command| told(command, PROFILE));
    let before = command_line::shown(&[shown(0)]);
    bail!(
        "{WHY}, and have that compared: `calor check --profile {PROFILE} --against {before} -- {}`",
        shown(1)
    )
}

/// Whether a command is such a workload, by itself or in a shell.
fn is_repeated(command: &[OsString]) -> bool {
    BenchCommand::of(&texts(command)).is_some_and(|workload| workload.is_repeated())
}

/// The profile that it writes by itself.
fn profile_of(command: &[OsString]) -> Option<String> {
    BenchCommand::of(&texts(command))?.own_profile().map(str::to_owned)
}

/// The command, writing that profile where it is a workload: what a shell is given is told so inside.
fn told(command: &[OsString], file: &str) -> String {
    if !is_repeated(command) || profile_of(command).is_some() {
        return command_line::shown(command);
    }
    let mut command = command.to_vec();
    let inside = command.iter_mut().find_map(|word| {
        let script = word.to_str()?.to_owned();
        Some((word, BenchCommand::end_in_script(&script)?, script))
    });
    match inside {
        Some((word, end, script)) => {
            *word = format!("{} --profile {file}{}", &script[..end], &script[end..]).into();
        }
        None => command.extend(["--profile", file].map(OsString::from)),
    }
    command_line::shown(&command)
}

/// A command as text, word by word.
fn texts(command: &[OsString]) -> Vec<String> {
    command.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use calor_model::command_words;

    use super::*;

    fn line(text: &str) -> Vec<OsString> {
        command_words(text).into_iter().map(OsString::from).collect()
    }

    fn asked(text: &str) -> Asked {
        Asked { line: Some(line(text)), has_policy: false }
    }

    #[test]
    fn what_to_do_instead_can_be_typed() {
        let typed = asked("calor check --margin 5% --against 'old/calor bench simd' -- calor bench simd -q");
        let (before, after) = (line("sh -c 'old/calor bench simd'"), line("calor bench simd -q"));
        let message = refuse(&typed, Against::Command(&before), &after).unwrap_err().to_string();
        let expected = "`calor check --margin 5% --profile run.calor --against 'CMD BEFORE --profile run.calor' -- \
                        calor bench simd -q --profile run.calor`";
        assert!(message.contains(expected), "{message}");
        let message = refuse(&typed, Against::Command(&before), &line("./own")).unwrap_err().to_string();
        assert!(message.ends_with("-- ./own`"), "only the workload knows the option: {message}");
        let typed = asked("calor check -- x");
        let after = line("calor bench simd --profile=a.calor");
        let message = refuse(&typed, Against::Baseline("main"), &after).unwrap_err().to_string();
        let expected =
            "`calor check --profile a.calor --baseline main -- calor bench simd --profile=a.calor`";
        assert!(message.contains(expected), "{message}");
        let after = line("sh -c 'cd /src/bench && calor bench simd -q && echo done'");
        let message = refuse(&typed, Against::Baseline("main"), &after).unwrap_err().to_string();
        let expected = "`calor check --profile run.calor --baseline main -- sh -c \
                        'cd /src/bench && calor bench simd --profile run.calor -q && echo done'`";
        assert!(message.contains(expected), "{message}");
        let message = refuse_baseline("main", &line("calor bench simd")).unwrap_err().to_string();
        let expected =
            "`calor baseline set main --profile run.calor -- calor bench simd --profile run.calor`";
        assert!(message.contains(expected), "{message}");
        assert!(refuse(&typed, Against::Baseline("main"), &line("./bench")).is_ok());
    }

    #[test]
    fn such_benches_are_not_timed_as_a_whole() {
        let (before, after) = (line("sh -c 'old/calor bench simd -q'"), line("new/calor bench simd"));
        let message = refuse_timing(&[&before, &after]).unwrap_err().to_string();
        let expected = "`calor check --profile run.calor --against 'sh -c '\\''old/calor bench simd --profile run.calor -q'\\''' -- \
                        new/calor bench simd --profile run.calor`";
        assert!(message.contains(expected), "{message}");
        assert!(refuse_timing(&[&line("./a"), &line("calor bench model")]).is_ok());
    }
}
