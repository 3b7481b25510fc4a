//! One of the fuzz targets for a minute, another one each day.

use std::time::{SystemTime, UNIX_EPOCH};

use super::step::{Place, Step, StepOutcome};
use crate::{Outcome, fuzz};

pub(super) const STEP: Step = Step {
    name: "fuzz",
    about: "one of the fuzz targets in turn, for a minute",
    is_build: false,
    is_quick: false,
    run,
};

fn run(_: &Place) -> anyhow::Result<StepOutcome> {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / 86_400;
    let arguments = ["--quick", "--turn", &days.to_string()].map(str::to_owned);
    Ok(match fuzz::run(&arguments)? {
        Outcome::Passed => StepOutcome::Passed,
        Outcome::Failed | Outcome::Misused => StepOutcome::Failed("see above what was found".to_owned()),
    })
}
