//! Kernels of machine learning, each in several ways: as written down, as the compiler vectorises it, with the vectors of
//! this processor chosen at run time, and on several threads; beside a BLAS and the `gemm` crate.
//!
//! **You bring** a [`Choice`]. **You get** rates with their spread, how much of what the machine can do that is, and which
//! vectors the machine code of each kernel really has. Every case is checked against plain arithmetic with 64 bits.

mod advice;
mod blas;
mod case;
mod choice;
mod code;
mod contest;
mod gemm;
mod kernels;
mod level;
mod measure;
mod number;
mod page;
mod peer;
mod plain;
mod reference;
mod run;
mod table;
mod vector;
mod work;

pub use choice::{BlasChoice, Choice, Dtype, Kernel, SIZES};
pub use contest::{Contest, contest};
pub use level::Level;
pub use run::run;

#[cfg(test)]
mod tests;
