//! The program with Calor's allocator as it is meant to be left on: exact sums for scopes, and call paths of one block for
//! every 512 KiB. Its arguments are the name of a workload, a number of turns, and the file for the profile.

use std::process::ExitCode;

use heap_bench::with_calor;

#[global_allocator]
static ALLOCATOR: calor::Alloc = calor::Alloc::system();

fn main() -> ExitCode {
    harness::exit(with_calor::run())
}
