//! Which runs make a history: of one command, on machines that are alike, in the order in which they were run.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use calor_analysis::quantity::counted;
use calor_model::Warning;
use calor_store::{Machine, SavedRun};

use super::Arguments;

/// The runs of a history.
pub(super) struct Choice {
    /// The oldest first.
    pub(super) runs: Vec<SavedRun>,
    /// What was run.
    pub(super) subject: String,
    /// What was left out.
    pub(super) warnings: Vec<Warning>,
}

/// Chooses among runs that are as was asked for, the last saved first.
pub(super) fn choose(found: Vec<SavedRun>, arguments: &Arguments) -> Result<Choice> {
    let wanted = |run: &SavedRun| arguments.command.as_deref().is_none_or(|command| command == subject(run));
    let commands: BTreeSet<&str> = found.iter().map(subject).collect();
    let Some(latest) = found.iter().find(|run| wanted(run)) else {
        if commands.is_empty() {
            bail!("no saved run is like that: `calor store ls` lists those that there are");
        }
        let known: Vec<String> = commands.iter().take(5).map(|command| format!("`{command}`")).collect();
        bail!("no saved run is of that command: there are runs of {}", known.join(", "));
    };
    let (subject_of_last, machine_of_last) = (subject(latest).to_owned(), machine(latest));
    let mut warnings = Vec::new();
    let is_same_command =
        |run: &SavedRun| arguments.any_command || (wanted(run) && subject(run) == subject_of_last);
    let others = found.iter().filter(|run| wanted(run) && !is_same_command(run));
    let others: Vec<&str> = others.map(subject).collect();
    if let Some(other) = others.first() {
        let n = counted(others.len() as u64, "run");
        warnings.push(Warning::counted(
            "other_commands",
            format!(
                "{n} of other commands left out, such as `{other}`: choose with --command, or add all of them with --any-command"
            ),
            others.len() as u64,
        ));
    }
    let is_same_machine = |run: &SavedRun| arguments.any_machine || machine(run) == machine_of_last;
    let elsewhere = found.iter().filter(|run| is_same_command(run) && !is_same_machine(run)).count();
    if elsewhere > 0 {
        let n = counted(elsewhere as u64, "run");
        let message = format!(
            "{n} on other machines left out, whose times are not to be held against these: --any-machine adds them"
        );
        warnings.push(Warning::counted("other_machines", message, elsewhere as u64));
    }
    let mut runs: Vec<SavedRun> =
        found.iter().filter(|run| is_same_command(run) && is_same_machine(run)).cloned().collect();
    // The last saved, and then in the order in which they were run.
    runs.truncate(arguments.last);
    runs.sort_by_key(|run| (time(run), run.saved_at_unix_nanos));
    let commands: BTreeSet<&str> = runs.iter().map(subject).collect();
    let machines: BTreeSet<Option<String>> = runs.iter().map(machine).collect();
    for (what, code, n) in
        [("commands", "mixed_commands", commands.len()), ("machines", "mixed_machines", machines.len())]
    {
        if n > 1 {
            let message = format!("runs of {n} {what} are in one series: a change may be theirs");
            warnings.push(Warning::counted(code, message, n as u64));
        }
    }
    let subject = match commands.len() {
        1 => subject_of_last,
        n => format!("{n} commands"),
    };
    Ok(Choice { subject, runs, warnings })
}

/// What tells a run from others of the same program.
fn subject(run: &SavedRun) -> &str {
    run.command.as_deref().unwrap_or(&run.name)
}

fn machine(run: &SavedRun) -> Option<String> {
    run.machine.as_ref().map(Machine::fingerprint)
}

/// When it was run, or saved where that is not known.
pub(super) fn time(run: &SavedRun) -> u64 {
    run.started_at_unix_nanos.unwrap_or(run.saved_at_unix_nanos)
}
