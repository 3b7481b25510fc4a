//! `calor annotate`, and the vector classes of functions: kernels of which it is known what they compute with are built,
//! recorded and asked about. What a processor or a kernel does not allow here is read from a recording that was made
//! where it was allowed.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod classes;
mod kernels;
mod pages;
#[path = "../command/schema_check.rs"]
mod schema_check;
