//! Builds the dashboard.

use crate::Outcome;

pub(crate) fn run() -> Outcome {
    eprintln!("error: there is no dashboard in this repository yet, so there is nothing to build");
    Outcome::Misused
}
