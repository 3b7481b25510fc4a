//! The unwinder against real processes: programs that are built here and stepped through one instruction at a time,
//! this process's own stacks, and files that were damaged.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod compiler;
mod damage;
mod own_stack;
mod process;
mod shadow_stack;
mod stepping;
mod tracee;
