//! Small honest programs to profile: each does the real work of its kind, tells its scopes what that work is, and
//! is checked for correctness like any other code.
//!
//! **You get** what `calor bench` runs: [`model`], a GPT-2 style language model that reads a prompt and writes tokens, and
//! that `calor demo` runs as well; [`simd`], the kernels such models spend their time in; [`tokenizer`], text into ids, by the
//! crate of that name and by our own byte-level BPE; [`compression`], codecs and levels on files or made-up data. Their times
//! are from [`repeat`], and they tell a [`Watch`] how far they are. And [`planted`]: programs with a known bottleneck and their
//! healthy twins. Every workload is a module of its own, and deterministic for a seed. **You bring** a recorder that is on, see
//! [`calor::enable`] and [`calor::start_recording`]; without one the programs run all the same.
//!
//! **Not for** production: weights are random, so what a model writes means nothing. What its operations cost does.

#![deny(unsafe_code)]

pub mod clock;
pub mod compression;
mod error;
mod input;
pub mod model;
#[cfg(feature = "planted")]
pub mod planted;
mod processors;
mod random;
pub mod repeat;
pub mod simd;
mod threads;
pub mod tokenizer;
mod watch;

pub use error::Error;
pub use random::Random;
pub use watch::{Unwatched, Watch};
