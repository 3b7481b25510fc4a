//! The program with jemalloc. Its arguments are the name of a workload and a number of turns; whether jemalloc profiles,
//! and where to, is said by the variable that it reads.

use std::process::ExitCode;

use heap_bench::workloads;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    harness::exit(workloads::run(std::env::args().skip(1), workloads::ALONE))
}
