//! The licences and versions of the dependencies, where cargo-deny is installed.

use super::step::{Place, Step, StepOutcome};
use crate::cargo;

pub(super) const STEP: Step =
    Step { name: "licences", about: "licences and versions of the dependencies", is_build: false, run };

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    if !cargo::has_subcommand(&place.root, "deny") {
        return Ok(StepOutcome::Skipped("cargo-deny is not installed".to_owned()));
    }
    place.run_cargo(&["deny", "check", "licenses", "bans", "sources"])
}
