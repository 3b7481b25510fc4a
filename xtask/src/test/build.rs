//! Builds everything once, tests included, so that the times of the later steps are their own.

use super::step::{Place, Step, StepOutcome};

pub(super) const STEP: Step =
    Step { name: "build", about: "every crate, test and example", is_build: true, is_quick: false, run };

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    place.run_cargo(&["build", "--workspace", "--all-targets"])
}
