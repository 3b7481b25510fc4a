//! A GPT-style language model: token and position embeddings, layers of causal attention and MLP around a residual
//! stream, and logits from the token embedding. Plain Rust and 32-bit floats; loops are laid out so that the compiler
//! turns them into vector code.
//!
//! Each operation is a scope that tells its floating-point operations and the bytes it must at least move, so a
//! profile shows how near to the machine's limits it runs. An exponential or a hyperbolic tangent counts as one
//! operation. Reading the prompt is in the context `prefill`, writing tokens in the context `decode`: the same
//! operations, with much arithmetic for each byte of weights and with little.
//!
//! ```
//! use calor_workloads::transformer::{Preset, Request, Sampling, generate};
//!
//! calor::enable();
//! let model = Preset::Small.model(1);
//! let request = Request { prompt: vec![1, 2, 3], tokens: 5, sampling: Sampling::Greedy, seed: 1 };
//! let written = generate(&model, &request, &mut model.session(), || ())?;
//! assert_eq!(written.len(), 5);
//! let profile = calor::snapshot();
//! assert!(profile.scopes.iter().any(|(key, _)| profile.stack_name(key.stack) == "matmul qkv"));
//! # Ok::<(), calor_workloads::Error>(())
//! ```

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
