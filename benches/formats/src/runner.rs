//! A run: the inputs, the rounds, the tables.

use std::collections::BTreeSet;
use std::process::Command;

use harness::{Folder, answer_of, run_rounds, turned};

use crate::arguments::Arguments;
use crate::{goals, tables};

/// Makes the inputs, runs all rounds and prints the tables.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let folder = Folder::new("formats")?;
    for input in arguments.cases.iter().map(|case| case.input).collect::<BTreeSet<_>>() {
        input.write(folder.path())?;
    }
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let measurements = |round| {
        let of_case = |case: &&'static crate::case::Case| {
            let jobs = turned(case.jobs.iter().collect(), round);
            let case = *case;
            jobs.into_iter().map(move |job| (case.name, job.who, (case, job)))
        };
        arguments.cases.iter().flat_map(of_case).collect()
    };
    let results = run_rounds(arguments.rounds, measurements, |(case, job)| {
        let mut command = Command::new(&program);
        answer_of(command.args(["--case", case.name, "--who", job.who, "--inputs"]).arg(folder.path()))
    });
    print!("{}{}", tables::markdown(arguments, &results), goals::markdown(&arguments.cases, &results));
    Ok(())
}
