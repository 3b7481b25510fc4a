//! A GPT-style language model: token and position embeddings, layers of causal attention and MLP around a residual
//! stream, and logits from the token embedding. Plain Rust and 32-bit floats; loops are laid out so that the compiler
//! turns them into vector code.
//!
//! Each operation is a scope that tells its floating-point operations and the bytes it must at least move, so a
//! profile shows how near to the machine's limits it runs. An exponential or a hyperbolic tangent counts as one
//! operation. Reading the prompt is in the context `prefill`, writing tokens in the context `decode`: the same
//! operations, once limited by arithmetic and once by memory.

mod attention;
mod batch;
mod cache;
mod config;
mod gelu;
mod generate;
mod layer;
mod linear;
mod model;
mod norm;
mod preset;
mod reduction;
mod session;
mod softmax;

pub use batch::run_batch;
pub use config::Config;
pub use generate::{Request, Sampling, generate};
pub use model::Model;
pub use preset::Preset;
pub use session::Session;

/// What `values` 32-bit floats take.
fn bytes_of(values: usize) -> u64 {
    4 * values as u64
}
