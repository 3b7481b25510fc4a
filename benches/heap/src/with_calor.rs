//! What the programs with Calor's allocator have in common: every thread that works is in a scope, so that the sums of
//! scopes are kept and cost what they cost, and the profile is written at the end.

use std::fs::File;

use crate::workloads;

/// Runs the workload that the arguments name, and writes the profile into the file that they name behind it.
pub fn run() -> Result<(), String> {
    calor::enable();
    workloads::run(std::env::args().skip(1), |work| {
        calor::scope!("worker");
        work();
    })?;
    let path = std::env::args().nth(3).ok_or("expected a file for the profile")?;
    let profile = calor::heap::snapshot().map_err(|error| error.to_string())?;
    let file = File::create(&path).map_err(|error| format!("cannot write {path}: {error}"))?;
    calor_formats::native::write(&profile, file).map_err(|error| format!("cannot write {path}: {error}"))
}
