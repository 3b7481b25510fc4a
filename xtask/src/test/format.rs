//! The layout of the code.

use super::step::{Place, Step, StepOutcome};

pub(super) const STEP: Step =
    Step { name: "format", about: "the layout of the code", is_build: false, is_quick: true, run };

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    place.run_cargo(&["fmt", "--all", "--check"])
}
