//! The unit and integration tests, by nextest where it is installed: it runs the tests of all crates at once.

use super::python_environment;
use super::step::{Place, Step, StepOutcome};
use crate::cargo;

pub(super) const STEP: Step =
    Step { name: "rust-tests", about: "the unit and integration tests", is_build: false, run };

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    let mut command = match cargo::has_subcommand(&place.root, "nextest") {
        true => place.cargo(&["nextest", "run", "--workspace", "--no-fail-fast"]),
        false => place.cargo(&["test", "--workspace", "--all-targets", "--no-fail-fast"]),
    };
    cargo::run(command.env(python_environment::VARIABLE, python_environment::set_up(place)?))?;
    Ok(StepOutcome::Passed)
}
