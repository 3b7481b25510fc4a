//! The run of `calor bench model --enhanced` without the command around it, so that it can be built with another kernel. The
//! inferences are those of the command, and its profile is kept in the same way.

use std::path::Path;
use std::process::ExitCode;

use calor_report::ROUNDS;
use calor_workloads::Unwatched;
use calor_workloads::model::bench::{Choice, run};

/// What the command takes, too.
pub const SEED: u64 = 2025;

/// What is run.
pub fn choice() -> Choice {
    Choice { seed: SEED, ..Choice::enhanced() }
}

/// The main function of a program that does it and writes the profile to the file that is its argument.
pub fn main() -> ExitCode {
    let file =
        std::env::args_os().nth(1).ok_or_else(|| "expected the name of a file for the profile".to_owned());
    harness::exit(file.and_then(|file| record(file.as_ref())))
}

fn record(file: &Path) -> Result<(), String> {
    calor::set_label("workload", "model");
    calor::set_label(ROUNDS, choice().n_rounds().to_string());
    calor::reset();
    calor::enable();
    let outcome = run(&choice(), &Unwatched);
    calor::disable();
    outcome.map_err(|error| error.to_string())?;
    calor::save(&calor::snapshot(), file).map_err(|error| error.to_string())
}
