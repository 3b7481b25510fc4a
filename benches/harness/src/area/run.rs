//! The main function of an area: help, one measurement, or a run, which starts this program once for every case, tool
//! and round, so that each measurement is a process of its own.

use std::collections::BTreeMap;
use std::process::{Command, ExitCode};

use super::asked::Asked;
use super::{Area, Case as _, Participant as _, page};
use crate::{Folder, answer_of, exit, run_rounds, shuffled};

/// What is known of each tool: its version, or why it is not available.
pub(super) type Versions = BTreeMap<&'static str, Result<String, String>>;

/// Does what the command line asks for.
pub fn main<A: Area>() -> ExitCode {
    exit(Asked::<A>::parse(std::env::args().skip(1)).and_then(|asked| match asked {
        Asked::Help(text) => {
            print!("{text}");
            Ok(())
        }
        Asked::One { case, tool, folder } => {
            A::measure(&case, tool, &folder).map(|figures| println!("{figures}"))
        }
        Asked::Run { n_rounds, cases, tools } => run::<A>(n_rounds, &cases, &tools),
    }))
}

/// Runs all rounds and prints the page.
fn run<A: Area>(n_rounds: usize, cases: &[A::Case], tools: &[&'static A::Tool]) -> Result<(), String> {
    let folder = Folder::new(A::NAME)?;
    A::install()?;
    let prepared: BTreeMap<_, _> =
        cases.iter().map(|case| (case.name(), case.prepare(folder.path()))).collect();
    let takes_part = |tool: &A::Tool| cases.iter().any(|case| case.who().contains(&tool.name()));
    let versions: Versions =
        tools.iter().filter(|tool| takes_part(tool)).map(|tool| (tool.name(), tool.version())).collect();
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let measurements = |round| {
        let of_case = |case: &A::Case| {
            let name = case.name();
            let tools = shuffled(case.tools(tools), round).into_iter();
            tools.map(move |tool| (name, tool.name(), (name, tool.name()))).collect::<Vec<_>>()
        };
        cases.iter().flat_map(of_case).collect()
    };
    let results = run_rounds(n_rounds, measurements, |(case, tool)| {
        // The page begins with why.
        if versions[tool].is_err() {
            return Err("not available".to_owned());
        }
        prepared[case].clone()?;
        let mut command = Command::new(&program);
        answer_of(command.args(["--case", case, "--who", tool, "--inputs"]).arg(folder.path()))
    });
    print!("{}", page::markdown::<A>(n_rounds, (cases, tools), &versions, &results));
    Ok(())
}
