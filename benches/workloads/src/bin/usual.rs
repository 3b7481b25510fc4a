//! The run with the kernels as they are.

/// As the command has it.
#[global_allocator]
static ALLOCATOR: calor::Alloc = calor::Alloc::sums(std::alloc::System);

fn main() -> std::process::ExitCode {
    workloads_bench::enhanced::main()
}
