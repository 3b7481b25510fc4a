//! A program that compiles Calor out, with a lock file of its own that shows what it pulls in.

use super::step::{Place, Step, StepOutcome};
use crate::cargo;

pub(super) const STEP: Step = Step {
    name: "compiled-out",
    about: "a program with Calor compiled out",
    is_build: false,
    is_quick: false,
    run,
};

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    let folder = place.root.join("tests/compiled-out");
    if !folder.join("Cargo.toml").exists() {
        return Ok(StepOutcome::Skipped("there is no tests/compiled-out/Cargo.toml".to_owned()));
    }
    // Features are unified within a target folder's build, not across; a folder inside the one target folder keeps
    // this build from replacing the artefacts of the workspace's.
    let mut command = place.cargo(&["test", "--locked"]);
    command.current_dir(&folder).env("CARGO_TARGET_DIR", place.target.join("compiled-out"));
    cargo::run(&mut command)?;
    Ok(StepOutcome::Passed)
}
