//! The native program with pprof-rs inside, set up as its documentation says. Its arguments are how many turns each
//! thread takes, the rate in hertz, and the file for the folded stacks.

use std::fmt::Write as _;
use std::process::ExitCode;

use pprof::{ProfilerGuardBuilder, Report};

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

fn record(n_turns: u64, rate: i32, path: &str) -> Result<(), String> {
    let guard = ProfilerGuardBuilder::default()
        .frequency(rate)
        .blocklist(&["libc", "libgcc", "pthread", "vdso"])
        .build()
        .map_err(|error| format!("pprof-rs does not start: {error}"))?;
    sampling_bench::native::run(n_turns);
    let report = guard.report().build().map_err(|error| format!("pprof-rs makes no report: {error}"))?;
    std::fs::write(path, folded(&report)).map_err(|error| format!("cannot write {path}: {error}"))
}

fn folded(report: &Report) -> String {
    let mut out = String::new();
    for (stack, count) in &report.data {
        out += &stack.thread_name;
        for function in stack.frames.iter().rev().flat_map(|inlined| inlined.iter().rev()) {
            write!(out, ";{}", function.name()).expect("writing to a string does not fail");
        }
        writeln!(out, " {count}").expect("writing to a string does not fail");
    }
    out
}
