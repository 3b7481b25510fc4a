//! The tests inside the native module of the Python package. It is built to be loaded by an interpreter, which brings the
//! functions it calls; its tests call none of them, so the program they become may leave those out.

use std::process::{Command, Stdio};

use anyhow::Context as _;

use super::step::{Place, Step, StepOutcome};
use crate::cargo;

pub(super) const STEP: Step = Step {
    name: "python-module",
    about: "the tests inside the native module",
    is_build: false,
    is_quick: false,
    run,
};

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    let mut build = place.cargo(&["rustc", "--package", "calor-python", "--lib", "--profile", "test"]);
    build.args([
        "--message-format",
        "json-render-diagnostics",
        "--",
        "-Clink-arg=-Wl,--unresolved-symbols=ignore-all",
    ]);
    println!("$ {}", cargo::describe(&build));
    let output = build.stderr(Stdio::inherit()).output().context("cargo cannot be started")?;
    anyhow::ensure!(output.status.success(), "the tests cannot be built");
    let messages = String::from_utf8_lossy(&output.stdout);
    let program = messages.lines().rev().find_map(executable).context("cargo names no program")?;
    cargo::run(&mut Command::new(program))?;
    Ok(StepOutcome::Passed)
}

/// The program that one of cargo's messages tells of.
fn executable(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("\"executable\":\"")?;
    rest.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_read_off_the_messages() {
        assert_eq!(
            executable(r#"{"reason":"compiler-artifact","executable":"a/b-1","fresh":true}"#),
            Some("a/b-1")
        );
        assert_eq!(executable(r#"{"reason":"compiler-artifact","executable":null}"#), None);
    }
}
