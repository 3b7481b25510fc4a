//! What to do about a verdict that is open: the command that would decide it.

use calor_model::{command_words, quoted_word};

use super::{CompareMetric, ComparedRun, repeated};
use crate::workload::{SETTLED, without_outputs};
use crate::{Circumstance, Difference, Mismatch, Verdict};

/// What would decide.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settling {
    /// Why it is open.
    pub reason: String,
    /// What to type.
    pub command: String,
}

/// `None` where the verdict stands, where both sides are the same runs, since more of them tell no more, and where one command ran
/// differently labelled things, or one process was looked at twice: it would be held against itself.
pub(super) fn settling(
    sides: [&[ComparedRun]; 2],
    metric: &CompareMetric,
    difference: &Difference,
    mismatches: &[Mismatch],
) -> Option<Settling> {
    if difference.verdict != Verdict::Undecided || difference.needs_runs.is_none() {
        return None;
    }
    let reason = match difference.n_runs {
        _ if difference.n_rounds.is_some() => {
            "Rounds of one run a side do not tell a change of the program from one of the machine between the runs."
        }
        [1, 1] => "One run a side cannot tell a change from chance, so nothing here is more than suspected.",
        _ => "These runs do not tell a change from chance, or from what the machine did meanwhile.",
    };
    let [before, after] = sides.map(|side| {
        let runs = side.iter().flat_map(|run| &run.profile.runs);
        let commands = runs.filter_map(|run| run.command.as_deref()).map(without_outputs);
        let commands: Vec<String> = commands.collect();
        commands.first().filter(|_| are_alike(&commands)).cloned()
    });
    let is_label = |mismatch: &Mismatch| matches!(mismatch.what, Circumstance::Label(_));
    if before.is_some() && before == after && mismatches.iter().any(is_label) {
        return None;
    }
    if let [[one], [other]] = sides
        && one.profile.runs.iter().any(|run| other.profile.runs.iter().any(|of_other| of_other.id == run.id))
    {
        return None;
    }
    // A command takes no turns with itself: after a build, what it was before is elsewhere.
    let before = if before == after { None } else { before };
    let [before, after] = [(before, "CMD BEFORE"), (after, "CMD AFTER")]
        .map(|(known, unknown)| known.unwrap_or_else(|| unknown.to_owned()));
    if repeated::are_repeated(sides, metric) {
        let margin = difference.margin;
        return Some(Settling {
            reason: format!("{reason} {}", SETTLED),
            command: in_turns(&before, &after, margin),
        });
    }
    let [before, after] = [before, after].map(|command| quoted_word(&command));
    let command = match metric {
        CompareMetric::Scopes | CompareMetric::Cpu => format!("calor ab -- {before} -- {after}"),
        CompareMetric::Wall | CompareMetric::OffCpu => {
            format!("calor ab --metric wall -- {before} -- {after}")
        }
        // Commands are not compared by these, but runs that were recorded in turns are.
        CompareMetric::Gpu | CompareMetric::Allocated | CompareMetric::Events(_) => {
            format!("calor compare --interleaved --metric {metric} A1 A2 A3 ... -- B1 B2 B3 ...")
        }
    };
    Some(Settling { reason: reason.to_owned(), command })
}

/// Runs in turns that write their own profiles, of which cases are compared: the time of the whole command is given to it.
fn in_turns(before: &str, after: &str, margin: f64) -> String {
    const FILE: &str = "--profile run.calor";
    let margin = format!("{}%", (margin * 1e4).round() / 1e2);
    let before = quoted_word(&format!("{before} {FILE}"));
    format!("calor check --margin {margin} {FILE} --against {before} -- {after} {FILE}")
}

/// Whether commands are the same but for one word, such as the file that each run wrote.
fn are_alike(commands: &[String]) -> bool {
    let all: Vec<Vec<String>> = commands.iter().map(|command| command_words(command)).collect();
    let Some(first) = all.first() else { return false };
    let are_as_long = all.iter().all(|words| words.len() == first.len());
    let differs = |at: &usize| all.iter().any(|words| words[*at] != first[*at]);
    // The first word is the program.
    are_as_long
        && (0..first.len()).filter(differs).all(|at| at > 0)
        && (0..first.len()).filter(differs).count() <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_differ_in_the_file_they_write_are_one_command() {
        for (commands, expected) in [
            (&["./demo -o a1.calor --size 5", "./demo -o a2.calor --size 5"][..], true),
            (&["./demo", "./demo"], true),
            (&["./demo -o a1 --size 5", "./demo -o a2 --size 6"], false),
            (&["./demo -o a1", "./other -o a1"], false),
            (&["./demo", "./demo --size 5"], false),
            (&[], false),
        ] {
            let commands: Vec<String> = commands.iter().map(|command| (*command).to_owned()).collect();
            assert_eq!(are_alike(&commands), expected, "{commands:?}");
        }
    }
}
