//! The program with dhat-rs inside, set up as its documentation says. Its arguments are the name of a workload, a number
//! of turns, and the file for the profile.

use std::process::ExitCode;

use heap_bench::workloads;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

fn main() -> ExitCode {
    let file = std::env::args().nth(3).unwrap_or_default();
    let profiler = dhat::Profiler::builder().file_name(file).build();
    let outcome = workloads::run(std::env::args().skip(1), workloads::ALONE);
    // It writes the file.
    drop(profiler);
    harness::exit(outcome)
}
