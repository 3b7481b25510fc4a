//! Small honest programs to profile: each does the real work of its kind, tells its scopes what that work is, and
//! is checked for correctness like any other code.
//!
//! **You get** [`transformer`]: a GPT-style language model that reads a prompt and writes tokens; and [`planted`]:
//! programs with a known bottleneck and their healthy twins; [`tokenizer`]: text into ids, by the crate of that name and by our own
//! byte-level BPE. What `calor bench` runs has its times from [`repeat`] and tells
//! a [`Watch`] how far it is. Every workload is
//! a module of its own, and deterministic for a seed. **You bring** a recorder that is on, see [`calor::enable`]
//! and [`calor::start_recording`]; without one the programs run all the same.
//!
//! **Not for** production: weights are random, so what a model writes means nothing. What its operations cost does.

#![deny(unsafe_code)]

pub mod clock;
pub mod compression;
mod error;
pub mod model;
pub mod planted;
mod random;
pub mod repeat;
pub mod simd;
pub mod tokenizer;
pub mod transformer;
mod watch;

pub use error::Error;
pub use random::Random;
pub use watch::{Unwatched, Watch};
