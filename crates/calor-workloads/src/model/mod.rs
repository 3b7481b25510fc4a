//! A GPT-2 style language model with candle: learnt positions, biases, layers of causal attention and MLP around a residual
//! stream, and logits from the token embedding.
//!
//! On the processor its operations are operations of candle of our own, which write into tensors that are there already:
//! writing a token on one thread allocates no room for numbers, only the few bytes in which candle looks at shapes. On other devices, with candle's feature for them, they are candle's.
//!
//! Each operation is a scope that tells its floating-point operations and the bytes it must at least move, so a
//! profile shows how near to the machine's limits it runs. An exponential or a hyperbolic tangent counts as one
//! operation. Reading the prompt is in the context `prefill`, writing tokens in the context `decode`: the same
//! operations, with much arithmetic for each byte of weights and with little.
//!
//! ```
//! use calor_workloads::model::{Model, Preset, Request, Sampling, generate};
//!
//! calor::enable();
//! let model = Model::of_preset(Preset::Small, 1)?;
//! let request = Request { prompt: vec![1, 2, 3], tokens: 5, sampling: Sampling::Greedy, seed: 1 };
//! let answer = generate(&model, &request, &mut model.session()?, || ())?;
//! assert_eq!(answer.tokens.len(), 5);
//! let profile = calor::snapshot();
//! assert!(profile.scopes.iter().any(|(key, _)| profile.stack_name(key.stack) == "qkv"));
//! # Ok::<(), calor_workloads::Error>(())
//! ```

mod batch;
pub mod bench;
mod config;
mod file;
mod generate;
mod header;
mod layer;
mod matrix;
mod network;
mod operation;
mod packed;
mod plain;
mod preset;
mod session;
mod slowed;
mod vector;
mod weights;
mod workers;

pub use batch::run_batch;
pub use config::Config;
pub use generate::{Answer, Request, Sampling, generate, warm_up};
pub use network::Model;
pub use preset::Preset;
pub use session::Session;
pub use vector::Class;
pub use weights::{LayerWeights, Linear, Norm, Weights};

use session::MOST_ROWS;

/// What `values` 32-bit floats take.
fn bytes_of(values: usize) -> u64 {
    4 * values as u64
}
