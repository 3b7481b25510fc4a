//! The rules of the repository, as `cargo xtask tidy` checks them.

use super::step::{Place, Step, StepOutcome};
use crate::{Outcome, tidy};

pub(super) const STEP: Step =
    Step { name: "tidy", about: "the rules of the repository", is_build: false, is_quick: true, run };

fn run(_: &Place) -> anyhow::Result<StepOutcome> {
    match tidy::run()? {
        Outcome::Passed => Ok(StepOutcome::Passed),
        _ => Ok(StepOutcome::Failed("the problems are listed above".to_owned())),
    }
}
