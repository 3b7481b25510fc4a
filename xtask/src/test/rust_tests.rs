//! The unit and integration tests, by nextest where it is installed: it runs the tests of all crates at once, and tries
//! those again that measure (`.config/nextest.toml` names them), and those alone.

use super::could_not_run::CouldNotRun;
use super::python_environment;
use super::step::{Place, Step, StepOutcome};
use crate::cargo;

pub(super) const STEP: Step = Step {
    name: "rust-tests",
    about: "the unit and integration tests",
    is_build: false,
    is_quick: true,
    run,
};

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    let mut command = match cargo::has_subcommand(&place.root, "nextest") {
        true => place.cargo(&["nextest", "run", "--workspace", "--no-fail-fast"]),
        false => place.cargo(&["test", "--workspace", "--no-fail-fast"]),
    };
    let could_not_run = CouldNotRun::begin(place)?;
    command.env(calor_testing::LIST, could_not_run.file());
    if place.is_quick {
        // Those inside the crates, which need no environment and take seconds.
        command.arg("--lib");
    } else {
        command.env(python_environment::VARIABLE, python_environment::set_up(place)?);
    }
    cargo::run(&mut command)?;
    could_not_run.outcome()
}
