//! Lints, all of them errors.

use super::step::{Place, Step, StepOutcome};

pub(super) const STEP: Step =
    Step { name: "clippy", about: "lints, all of them errors", is_build: false, run };

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    place.run_cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
}
