//! The rounds: each case of each participant in a process of its own, all of them in every round, so that whatever
//! disturbs the machine meets all alike.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;
use std::process::Command;

use crate::arguments::Arguments;
use crate::builds::Build;
use crate::case::Case;
use crate::figures::Figures;
use crate::goals;
use crate::participants::Participant;
use crate::results::Results;
use crate::tables;

/// Runs all rounds and prints the tables.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let mut programs: BTreeMap<Build, PathBuf> = BTreeMap::new();
    for (case, who) in measurements(arguments, 0) {
        if let Entry::Vacant(program) = programs.entry(who.build(case)) {
            let path = program.key().program()?;
            program.insert(path);
        }
    }
    let mut results = Results::new(arguments.rounds);
    for round in 0..arguments.rounds {
        for (case, who) in measurements(arguments, round) {
            eprintln!("round {} of {}: {} {}", round + 1, arguments.rounds, case.name(), who.name);
            match measure(&programs[&who.build(case)], case, who, arguments.is_quick) {
                Ok(figures) => results.insert(case, who.name, round, figures),
                // One that fails must not take the others with it; the tables will say that it is missing.
                Err(message) => eprintln!("warning: {} {}: {message}", case.name(), who.name),
            }
        }
    }
    print!("{}{}", tables::markdown(arguments, &results), goals::markdown(&arguments.cases, &results));
    Ok(())
}

/// All measurements of a round, case by case. Each round begins with another participant, so that nobody always
/// follows the same one.
fn measurements(arguments: &Arguments, round: usize) -> Vec<(Case, &'static Participant)> {
    let mut all = Vec::new();
    for &case in &arguments.cases {
        let mut who: Vec<_> =
            arguments.who.iter().copied().filter(|participant| participant.cases.contains(&case)).collect();
        if !who.is_empty() {
            let first = round % who.len();
            who.rotate_left(first);
        }
        all.extend(who.into_iter().map(|participant| (case, participant)));
    }
    all
}

fn measure(program: &PathBuf, case: Case, who: &Participant, is_quick: bool) -> Result<Figures, String> {
    let mut command = Command::new(program);
    command.args(["--case", case.name(), "--who", who.name]);
    if is_quick {
        command.arg("--quick");
    }
    // hotpath would otherwise serve its figures on a port.
    let output = command
        .env("HOTPATH_METRICS_SERVER_OFF", "1")
        .output()
        .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().last() {
        Some(line) if output.status.success() => Figures::parse(line),
        _ => Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim())),
    }
}
