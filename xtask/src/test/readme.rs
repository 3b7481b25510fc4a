//! The commands in README.md and docs/, with the command of this build.

use super::step::{Place, Step, StepOutcome};
use crate::readme;

pub(super) const STEP: Step = Step {
    name: "readme",
    about: "the commands in README.md and docs/",
    is_build: false,
    is_quick: false,
    run,
};

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    place.run_cargo(&["build", "--package", "calor-cli"])?;
    match readme::run(&place.root, &place.target)? {
        0 => Ok(StepOutcome::Passed),
        n_failed => Ok(StepOutcome::Failed(format!("{n_failed} blocks of commands failed, listed above"))),
    }
}
