//! Lints, all of them errors.

use super::step::{Place, Step, StepOutcome};

pub(super) const STEP: Step =
    Step { name: "clippy", about: "lints, all of them errors", is_build: false, is_quick: true, run };

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    // Wheels have the command in the Python module, which is built without it otherwise.
    let features = "--features=calor-python/command";
    place.run_cargo(&["clippy", "--workspace", "--all-targets", features, "--", "-D", "warnings"])
}
