//! The program with Calor's allocator, which keeps the call path of every block. Its arguments are the name of a workload,
//! a number of turns, and the file for the profile.

use std::alloc::System;
use std::process::ExitCode;

use heap_bench::with_calor;

#[global_allocator]
static ALLOCATOR: calor::Alloc = calor::Alloc::exact(System);

fn main() -> ExitCode {
    harness::exit(with_calor::run())
}
