//! The run with one kernel slower by a fifth, which the feature of this build does.

/// As the command has it.
#[global_allocator]
static ALLOCATOR: calor::Alloc = calor::Alloc::sums(std::alloc::System);

fn main() -> std::process::ExitCode {
    workloads_bench::enhanced::main()
}
