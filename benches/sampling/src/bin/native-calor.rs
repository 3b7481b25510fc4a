//! The native program with Calor's sampling inside. Its arguments are how many turns each thread takes, the rate in
//! hertz, and the file for the profile.

use std::fs::File;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [n_turns, rate, path] = arguments.as_slice() else {
        return harness::exit(Err("expected turns, a rate and a file".to_owned()));
    };
    let (Ok(n_turns), Ok(rate)) = (n_turns.parse(), rate.parse()) else {
        return harness::exit(Err(format!("expected two numbers, found '{n_turns}' and '{rate}'")));
    };
    harness::exit(record(n_turns, rate, path))
}

fn record(n_turns: u64, rate: u32, path: &str) -> Result<(), String> {
    let sampling =
        calor::sampling::start(rate).map_err(|error| format!("sampling does not start: {error}"))?;
    sampling_bench::native::run(n_turns);
    let profile = sampling.stop();
    let file = File::create(path).map_err(|error| format!("cannot write {path}: {error}"))?;
    calor_formats::native::write(&profile, file).map_err(|error| format!("cannot write {path}: {error}"))
}
