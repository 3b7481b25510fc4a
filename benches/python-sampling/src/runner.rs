//! A run: the interpreters, what they need, the tools that are there, the rounds, the tables.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use harness::sampled::NUMPY_TARGET;
use harness::{Folder, answer_of, run_rounds, turned};

use crate::arguments::Arguments;
use crate::case::{Case, Kind};
use crate::{case, environment, goals, interpreter, tables};

/// What is known of each tool: its version, or why it is not available.
pub(crate) type Versions = BTreeMap<&'static str, Result<String, String>>;

/// Runs all rounds and prints the tables.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let folder = Folder::new("python-sampling")?;
    environment::install_peers()?;
    let all = case::all(&interpreter::all());
    let cases = harness::choose(&all, arguments.only.as_deref(), "cases", |case| case.name)?;
    if cases.is_empty() {
        return Err(
            "found no CPython from 3.8 on; CALOR_PYTHONS names interpreters by their paths".to_owned()
        );
    }
    for case in &cases {
        let text = match case.kind {
            Kind::Merged => NUMPY_TARGET,
            Kind::Stops => include_str!("stops_target.py"),
            Kind::Top => include_str!("top_target.py"),
        };
        let script = folder.path().join(case.program().0);
        fs::write(&script, text).map_err(|error| format!("cannot write {}: {error}", script.display()))?;
    }
    let numpy: BTreeMap<&str, Result<(), String>> =
        cases.iter().map(|case| (case.name, environment::install_numpy(&case.interpreter))).collect();
    let versions: Versions = arguments.who.iter().map(|tool| (tool.name, (tool.version)())).collect();
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let measurements = |round| {
        let of_case = |case: &&Case| {
            let name = case.name;
            let tools = turned(case.tools(&arguments.who), round);
            tools.into_iter().map(move |tool| (name, tool.name, (name, tool)))
        };
        cases.iter().flat_map(of_case).collect()
    };
    let results = run_rounds(arguments.rounds, measurements, |(case, tool)| {
        if let Err(why) = &versions[tool.name] {
            return Err(format!("not available: {why}"));
        }
        numpy[case].clone()?;
        let mut command = Command::new(&program);
        answer_of(command.args(["--case", case, "--who", tool.name, "--inputs"]).arg(folder.path()))
    });
    print!(
        "{}{}",
        tables::markdown(arguments, &cases, &versions, &results),
        goals::markdown(&cases, &results)
    );
    Ok(())
}
