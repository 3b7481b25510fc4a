//! What sampling Python costs and what it finds: Calor and its peers on the same programs, on every CPython that is
//! found here, each run in a process of its own.

mod case;
mod environment;
mod goals;
mod interpreter;
mod measure;
mod merged;
mod tools;
mod top;

use std::path::Path;
use std::process::ExitCode;

use harness::area::{self, Area, Column};
use harness::sampled::Tool;
use harness::{Figures, Goal, Results};

use case::Case;

fn main() -> ExitCode {
    area::main::<PythonSampling>()
}

/// The area.
struct PythonSampling;

impl Area for PythonSampling {
    type Case = Case;
    type Tool = Tool;
    const NAME: &'static str = "python-sampling";
    const TITLE: &'static str = "Sampling Python";
    const BASIS: &'static str = "`bare` is the program alone.";
    const HELP: &'static str = "\
Measures what sampling Python costs and what it finds: Calor and its peers in one run. Prints Markdown on standard
output. Interpreters are those of pyenv, those called python3.N, and what CALOR_PYTHONS names (paths, separated by
colons). A case is a version such as 3.11.7, stops, or top. Ratios need the tool bare.";
    const N_ROUNDS: usize = 3;
    const TOOLS: &'static [Tool] = tools::ALL;
    const COLUMNS: &'static [Column] = &[
        ("target_cpu_s", "program's CPU, s", 3),
        ("own_cpu_ms", "tool's own CPU, ms", 0),
        ("own_cpu_pct", "of the program's, %", 1),
        ("end_ms", "end to exit, ms", 0),
        ("samples", "samples", 0),
        ("gemm_pct", "gemm under its function, %", 1),
        ("sort_pct", "sort under its function, %", 1),
        ("off_points", "functions off by, points", 1),
        ("rooted_pct", "rooted, %", 1),
        ("unverified_pct", "not verified, %", 2),
        ("longest_us", "longest stop, µs", 0),
        ("p999_us", "99.9 % of stops below, µs", 0),
        ("p99_us", "99 %, µs", 0),
        ("p50_us", "half, µs", 0),
        ("stops", "stops", 0),
        ("over_100", "over 100 µs, a second", 1),
        ("held_pct", "of the time stopped, %", 1),
        ("wall_s", "program's wall time, s", 3),
        ("cpu_pct", "CPU, % of one core", 1),
        ("key_ms", "key answered, ms", 1),
        ("longest_key_ms", "slowest of ten keys, ms", 1),
    ];

    fn cases() -> Result<Vec<Case>, String> {
        match case::all(&interpreter::all()) {
            cases if cases.is_empty() => {
                Err("found no CPython from 3.8 on; CALOR_PYTHONS names interpreters by their paths"
                    .to_owned())
            }
            cases => Ok(cases),
        }
    }

    fn install() -> Result<(), String> {
        environment::PEERS.install()
    }

    fn measure(case: &Case, tool: &'static Tool, folder: &Path) -> Result<Figures, String> {
        measure::one(case, tool, folder)
    }

    fn goals(cases: &[&Case], results: &Results) -> Vec<Goal> {
        cases.iter().flat_map(|case| goals::of_case(case, results)).collect()
    }
}
