//! What to do about a verdict that is open: the command that would decide it.

use calor_analysis::{Circumstance, Difference, Mismatch, Verdict};

use super::{CompareMetric, ComparedRun};

/// What would decide.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Advice {
    /// Why it is open.
    pub(crate) reason: String,
    /// What to type.
    pub(crate) command: String,
}

/// `None` where the verdict stands, where both sides are the same runs, since more of them tell no more, and where one command ran
/// differently labelled things, or one process was looked at twice: it would be held against itself.
pub(super) fn advice(
    sides: [&[ComparedRun]; 2],
    metric: &CompareMetric,
    difference: &Difference,
    mismatches: &[Mismatch],
) -> Option<Advice> {
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
        let commands: Vec<&str> = runs.filter_map(|run| run.command.as_deref()).collect();
        commands.first().copied().filter(|_| are_alike(&commands))
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
        .map(|(known, unknown)| quoted(&without_outputs(known.unwrap_or(unknown))));
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
    Some(Advice { reason: reason.to_owned(), command })
}

/// A command of the workloads that come along, without the files and saved runs that it leaves: taking turns it would write
/// over the very files that were compared.
fn without_outputs(command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    let is_workload = words.first().is_some_and(|program| program.rsplit('/').next() == Some("calor"))
        && words.get(1) == Some(&"bench");
    if !is_workload {
        return command.to_owned();
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word {
            "--profile" | "--label" | "-o" | "--output" => drop(words.next()),
            "--save" => {}
            other
                if ["--profile=", "--label=", "--output=", "--save="]
                    .iter()
                    .any(|it| other.starts_with(it)) => {}
            other => kept.push(other),
        }
    }
    kept.join(" ")
}

/// Whether commands are the same but for one word, such as the file that each run wrote.
fn are_alike(commands: &[&str]) -> bool {
    let all: Vec<Vec<&str>> = commands.iter().map(|command| command.split_whitespace().collect()).collect();
    let Some(first) = all.first() else { return false };
    let are_as_long = all.iter().all(|words| words.len() == first.len());
    let differs = |at: &usize| all.iter().any(|words| words[*at] != first[*at]);
    // The first word is the program.
    are_as_long
        && (0..first.len()).filter(differs).all(|at| at > 0)
        && (0..first.len()).filter(differs).count() <= 1
}

/// A word of a shell's command line, whatever is in it.
fn quoted(text: &str) -> String {
    if text.contains(char::is_control) {
        // Line breaks would end the line that is typed; this way of quoting writes them in letters.
        let escaped: String = text
            .chars()
            .map(|letter| match letter {
                '\n' => r"\n".to_owned(),
                '\t' => r"\t".to_owned(),
                '\\' | '\'' => format!(r"\{letter}"),
                letter if letter.is_control() => format!(r"\u{:04x}", u32::from(letter)),
                letter => letter.to_string(),
            })
            .collect();
        return format!("$'{escaped}'");
    }
    format!("'{}'", text.replace('\'', r"'\''"))
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
            assert_eq!(are_alike(commands), expected, "{commands:?}");
        }
    }

    #[test]
    fn workloads_that_take_turns_leave_no_files() {
        for (command, expected) in [
            (
                "calor bench model --quick --profile a.calor --save --label which=a",
                "calor bench model --quick",
            ),
            (
                "./bin/calor bench simd --output=x.html --only matmul -o y",
                "./bin/calor bench simd --only matmul",
            ),
            ("./train -o model.bin --save", "./train -o model.bin --save"),
            ("calor record -o a.calor -- ./train", "calor record -o a.calor -- ./train"),
        ] {
            assert_eq!(without_outputs(command), expected);
        }
    }

    #[test]
    fn what_a_shell_would_read_is_one_word() {
        assert_eq!(quoted("./run --size 5"), "'./run --size 5'");
        assert_eq!(quoted("echo 'a'"), r"'echo '\''a'\'''");
        assert_eq!(quoted("sh -c 'a\n\tb\\\x1b'"), r"$'sh -c \'a\n\tb\\\u001b\''");
    }
}
