//! The `calor` command as a program of its own; what it does is in the library, which the Python package has as well.

#![forbid(unsafe_code)]

/// Counts what scopes allocate, for the workloads; there are none in other commands, and no call paths.
#[cfg(feature = "alloc")]
#[global_allocator]
static ALLOCATOR: calor::Alloc = calor::Alloc::sums(std::alloc::System);

fn main() -> std::process::ExitCode {
    calor_cli::run(std::env::args_os().collect()).into()
}
