//! The SDK without its default features builds, and builds without warnings.

use super::step::{Place, Step, StepOutcome};

pub(super) const STEP: Step = Step {
    name: "features",
    about: "the SDK with recording compiled out",
    is_build: false,
    is_quick: false,
    run,
};

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    place.run_cargo(&[
        "clippy",
        "--package",
        "calor",
        "--no-default-features",
        "--lib",
        "--",
        "-D",
        "warnings",
    ])
}
