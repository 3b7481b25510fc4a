//! What is built with fewer features than usual builds without warnings: the SDK with recording compiled out and with each
//! feature alone, and the command without the workloads.

use super::step::{Place, Step, StepOutcome};

pub(super) const STEP: Step = Step {
    name: "features",
    about: "the SDK by feature, the command without workloads",
    is_build: false,
    is_quick: false,
    run,
};

const ALONE: [&str; 7] = ["", "record", "report", "heap", "sampling", "gpu", "tracing"];

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    for features in ALONE {
        clippy(place, "calor", features)?;
    }
    clippy(place, "calor-cli", "")
}

fn clippy(place: &Place, package: &str, features: &str) -> anyhow::Result<StepOutcome> {
    let words = ["clippy", "--package", package, "--no-default-features", "--lib", "--features", features];
    place.run_cargo(&[&words[..], &["--", "-D", "warnings"]].concat())
}
