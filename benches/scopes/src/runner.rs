//! A run: the builds, the rounds, the tables.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;
use std::process::Command;

use harness::{answer_of, run_rounds, turned};

use crate::arguments::Arguments;
use crate::builds::Build;
use crate::case::Case;
use crate::goals;
use crate::participants::Participant;
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
    let results = run_rounds(
        arguments.rounds,
        |round| {
            let all = measurements(arguments, round).into_iter();
            all.map(|(case, who)| (case.name(), who.name, (case, who))).collect()
        },
        |(case, who)| {
            let mut command = Command::new(&programs[&who.build(case)]);
            command.args(["--case", case.name(), "--who", who.name]);
            if arguments.is_quick {
                command.arg("--quick");
            }
            // hotpath would otherwise serve its figures on a port.
            answer_of(command.env("HOTPATH_METRICS_SERVER_OFF", "1"))
        },
    );
    print!("{}{}", tables::markdown(arguments, &results), goals::markdown(&arguments.cases, &results));
    Ok(())
}

/// All measurements of a round, case by case.
fn measurements(arguments: &Arguments, round: usize) -> Vec<(Case, &'static Participant)> {
    let of_case = |case: &Case| {
        let (case, who) = (*case, arguments.who.iter().copied());
        let who = turned(who.filter(|participant| participant.cases.contains(&case)).collect(), round);
        who.into_iter().map(move |participant| (case, participant))
    };
    arguments.cases.iter().flat_map(of_case).collect()
}
