//! The examples in the API docs.

use super::step::{Place, Step, StepOutcome};

pub(super) const STEP: Step =
    Step { name: "doc-tests", about: "the examples in the API docs", is_build: false, is_quick: false, run };

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    place.run_cargo(&["test", "--doc", "--workspace", "--no-fail-fast"])
}
