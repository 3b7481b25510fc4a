//! The tutorials: each is a program that runs to its end, in a folder of its own, and checks what it claims.

use std::process::Command;

use super::python_package;
use super::step::{Place, Step, StepOutcome};
use crate::cargo;

pub(super) const STEP: Step = Step {
    name: "tutorials",
    about: "the programs in tutorials/python",
    is_build: false,
    is_quick: false,
    run,
};

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    let python = python_package::install(place)?;
    let folder = place.root.join("tutorials/python");
    let mut programs: Vec<_> =
        std::fs::read_dir(&folder)?.filter_map(Result::ok).map(|entry| entry.path()).collect();
    programs.retain(|program| program.extension().is_some_and(|ending| ending == "py"));
    programs.sort();
    anyhow::ensure!(!programs.is_empty(), "there are no tutorials: {}", folder.display());
    let scratch = place.target.join("tutorials");
    if scratch.exists() {
        std::fs::remove_dir_all(&scratch)?;
    }
    let mut failed = Vec::new();
    for program in &programs {
        let name = program.file_stem().unwrap_or_default();
        let scratch = scratch.join(name);
        std::fs::create_dir_all(&scratch)?;
        // What a tutorial saves stays out of the store that people have.
        let mut command = Command::new(&python);
        command.arg("-B").arg(program).current_dir(&scratch).env("CALOR_STORE", scratch.join("store"));
        if let Err(error) = cargo::run(&mut command) {
            failed.push(format!("{error:#}"));
        }
    }
    match failed.is_empty() {
        true => Ok(StepOutcome::Passed),
        false => Ok(StepOutcome::Failed(failed.join("; "))),
    }
}
