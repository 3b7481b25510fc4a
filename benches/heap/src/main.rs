//! What heap profiling costs: Calor and its peers on the same programs, each in turns with the plain program.

mod case;
mod cost;
mod goals;
mod measure;
mod program;
mod python;
mod tools;

use std::path::Path;
use std::process::ExitCode;

use harness::area::{self, Area, Column};
use harness::{Figures, Goal, Results};

use case::Case;
use tools::Tool;

fn main() -> ExitCode {
    area::main::<Heap>()
}

/// The area.
struct Heap;

impl Area for Heap {
    type Case = &'static Case;
    type Tool = Tool;
    const NAME: &'static str = "heap";
    const TITLE: &'static str = "Heap";
    const BASIS: &'static str = "`plain` is the program without a profiler, compared with itself: what its ratios are away from 1 is noise.";
    const HELP: &'static str = "\
Measures what heap profiling costs: Calor and its peers in one run. Prints Markdown on standard output. Runs of a tool
and of the plain program take turns, and are compared with each other.";
    const N_ROUNDS: usize = 5;
    const TOOLS: &'static [Tool] = tools::ALL;
    const COLUMNS: &'static [Column] = &[
        ("pairs", "pairs", 0),
        ("tokens", "tokens", 0),
        ("blocks", "blocks", 0),
        ("steps", "steps", 0),
        ("cpu_x", "CPU of the whole tree, x plain", 3),
        ("part_x", "CPU of the measured part, x plain", 3),
        ("wall_x", "its wall time, x plain", 2),
        ("pair_ns", "CPU a pair, ns", 1),
        ("over_ns", "over plain, ns", 1),
        ("one_ns", "CPU a pair on one thread, ns", 1),
        ("two_ns", "on two, ns", 1),
        ("scaling_x", "two over one", 2),
        ("block_bytes", "memory for a live block, B", 1),
        ("extra_kb", "extra peak memory, KB", 0),
        ("outside_ms", "CPU outside the part over plain, ms", 0),
        ("seen", "blocks seen", 0),
        ("file_kb", "output, KB", 1),
        ("report_s", "end to report, s", 2),
    ];

    fn cases() -> Result<Vec<&'static Case>, String> {
        Ok(case::ALL.iter().collect())
    }

    fn measure(case: &&'static Case, tool: &'static Tool, folder: &Path) -> Result<Figures, String> {
        measure::one(case, tool, folder)
    }

    fn goals(cases: &[&&'static Case], results: &Results) -> Vec<Goal> {
        cases.iter().flat_map(|case| goals::of_case(case, results)).collect()
    }
}
