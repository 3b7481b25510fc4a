//! The program alone. Its arguments are the name of a workload and a number of turns.

use std::process::ExitCode;

use heap_bench::workloads;

fn main() -> ExitCode {
    harness::exit(workloads::run(std::env::args().skip(1), workloads::ALONE))
}
