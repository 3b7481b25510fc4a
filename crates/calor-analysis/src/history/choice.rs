//! Which runs make a history: of one command, on machines that are alike, in the order in which they were run.

use std::collections::BTreeSet;

use calor_model::Warning;

use super::{HistoryQuestion, HistoryRun};
use crate::Error;
use crate::quantity::counted;

/// The runs of a history.
#[derive(Clone, Debug)]
pub struct HistoryChoice {
    /// The oldest first.
    pub runs: Vec<HistoryRun>,
    /// What was run.
    pub subject: String,
    /// What was left out.
    pub warnings: Vec<Warning>,
}

impl HistoryChoice {
    /// Chooses among saved runs, the last saved first.
    ///
    /// # Errors
    /// When none is as was asked for.
    pub fn of(found: &[HistoryRun], question: &HistoryQuestion) -> Result<Self, Error> {
        let wanted =
            |run: &HistoryRun| question.command.as_ref().is_none_or(|command| *command == run.subject);
        let commands: BTreeSet<&str> = found.iter().map(|run| run.subject.as_str()).collect();
        let Some(latest) = found.iter().find(|run| wanted(run)) else {
            return Err(match commands.is_empty() {
                true => Error::NoSavedRun,
                false => {
                    let known: Vec<String> =
                        commands.iter().take(5).map(|command| format!("`{command}`")).collect();
                    Error::NoRunOfCommand { known: known.join(", ") }
                }
            });
        };
        let mut warnings = Vec::new();
        let is_same_command =
            |run: &HistoryRun| question.any_command || (wanted(run) && run.subject == latest.subject);
        let others = found.iter().filter(|run| wanted(run) && !is_same_command(run));
        let others: Vec<&str> = others.map(|run| run.subject.as_str()).collect();
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
        let is_same_machine = |run: &HistoryRun| question.any_machine || run.machine == latest.machine;
        let elsewhere = found.iter().filter(|run| is_same_command(run) && !is_same_machine(run)).count();
        if elsewhere > 0 {
            let n = counted(elsewhere as u64, "run");
            let message = format!(
                "{n} on other machines left out, whose times are not to be held against these: --any-machine adds them"
            );
            warnings.push(Warning::counted("other_machines", message, elsewhere as u64));
        }
        let mut runs: Vec<HistoryRun> =
            found.iter().filter(|run| is_same_command(run) && is_same_machine(run)).cloned().collect();
        // The last saved, and then in the order in which they were run.
        runs.truncate(question.last);
        runs.sort_by_key(|run| (run.at_unix_nanos, run.saved_at_unix_nanos));
        let commands: BTreeSet<&str> = runs.iter().map(|run| run.subject.as_str()).collect();
        let machines: BTreeSet<&Option<String>> = runs.iter().map(|run| &run.machine).collect();
        for (what, code, n) in
            [("commands", "mixed_commands", commands.len()), ("machines", "mixed_machines", machines.len())]
        {
            if n > 1 {
                let message = format!("runs of {n} {what} are in one series: a change may be theirs");
                warnings.push(Warning::counted(code, message, n as u64));
            }
        }
        let subject = match commands.len() {
            1 => latest.subject.clone(),
            n => format!("{n} commands"),
        };
        Ok(Self { subject, runs, warnings })
    }
}
