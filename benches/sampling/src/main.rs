//! What sampling costs and what it finds: Calor and its peers on the same programs, each run in a process of its own.

mod case;
mod goals;
mod measure;
mod targets;
mod tools;

use std::path::Path;
use std::process::ExitCode;

use harness::area::{self, Area, Column};
use harness::sampled::Tool;
use harness::{Figures, Goal, Results};

use case::Case;

fn main() -> ExitCode {
    area::main::<Sampling>()
}

/// The area.
struct Sampling;

impl Area for Sampling {
    type Case = &'static Case;
    type Tool = Tool;
    const NAME: &'static str = "sampling";
    const TITLE: &'static str = "Sampling";
    const BASIS: &'static str = "`bare` is the program alone.";
    const HELP: &'static str = "\
Measures what sampling costs and what it finds: Calor and its peers in one run. Prints Markdown on standard output.
Ratios need the tool bare, goals need perf-dwarf.";
    const N_ROUNDS: usize = 5;
    const TOOLS: &'static [Tool] = tools::ALL;
    const COLUMNS: &'static [Column] = &[
        ("target_cpu_s", "program's CPU, s", 3),
        ("own_cpu_ms", "tool's own CPU, ms", 0),
        ("end_ms", "end to exit, ms", 0),
        ("samples", "samples", 0),
        ("obtained", "of those asked for", 3),
        ("lost", "lost", 0),
        ("rooted_pct", "rooted, %", 1),
        ("off_points", "stages off by, points", 1),
        ("compiled_points", "numpy's functions off by, points", 1),
        ("file_kb", "file, KB", 0),
        ("kb_a_minute", "file, KB a minute", 0),
        ("peak_mb", "peak memory, MB", 1),
        ("reading_ms", "file to stacks, CPU ms", 0),
    ];

    fn cases() -> Result<Vec<&'static Case>, String> {
        Ok(case::ALL.iter().collect())
    }

    fn measure(case: &&'static Case, tool: &'static Tool, folder: &Path) -> Result<Figures, String> {
        measure::one(case, tool, folder)
    }

    fn goals(cases: &[&&'static Case], results: &Results) -> Vec<Goal> {
        goals::all(results)
            .into_iter()
            .filter(|goal| cases.iter().any(|case| case.name == goal.case))
            .collect()
    }
}
