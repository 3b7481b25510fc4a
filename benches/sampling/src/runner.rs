//! A run: the programs, the tools that are there, the rounds, the tables.

use std::collections::BTreeMap;
use std::process::Command;

use harness::{Folder, answer_of, run_rounds, turned};

use crate::arguments::Arguments;
use crate::case::Target;
use crate::{goals, tables};

/// What is known of each tool: its version, or why it is not available.
pub(crate) type Versions = BTreeMap<&'static str, Result<String, String>>;

/// Runs all rounds and prints the tables.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let folder = Folder::new("sampling")?;
    let prepared = |target: Target| {
        let is_needed = arguments.cases.iter().any(|case| case.target == target);
        if is_needed { target.prepare(folder.path()) } else { Ok(()) }
    };
    let (native, numpy) = (prepared(Target::Native), prepared(Target::Numpy));
    let versions: Versions = arguments.who.iter().map(|tool| (tool.name, (tool.version)())).collect();
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let measurements = |round| {
        let of_case = |case: &&'static crate::case::Case| {
            let case = *case;
            let tools = turned(case.tools(&arguments.who), round);
            tools.into_iter().map(move |tool| (case.name, tool.name, (case, tool)))
        };
        arguments.cases.iter().flat_map(of_case).collect()
    };
    let results = run_rounds(arguments.rounds, measurements, |(case, tool)| {
        if let Err(why) = &versions[tool.name] {
            return Err(format!("not available: {why}"));
        }
        let prepared = if case.target == Target::Native { &native } else { &numpy };
        prepared.clone()?;
        let mut command = Command::new(&program);
        answer_of(command.args(["--case", case.name, "--who", tool.name, "--inputs"]).arg(folder.path()))
    });
    print!(
        "{}{}",
        tables::markdown(arguments, &versions, &results),
        goals::markdown(&arguments.cases, &results)
    );
    Ok(())
}
