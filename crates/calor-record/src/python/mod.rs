//! What CPython keeps in memory, read from outside the process: which functions its threads are in, and at which
//! lines.
//!
//! Nothing runs inside the interpreter and nothing waits for it, so what is read may be half changed. Every size is
//! bounded and every pointer may lead nowhere; what does not look right is refused, never guessed.

mod agree;
mod code;
mod constants;
mod find;
mod functions;
mod held;
mod instant;
mod likely;
mod lines;
mod memory;
mod merge;
mod nearness;
mod placed;
mod process;
mod roles;
mod split;
mod state;
mod text;
#[cfg(test)]
mod trials;
mod written;

use calor_cpython::{self as layout, fields};

pub(crate) use functions::{Function, FunctionId, Functions};
pub(crate) use held::Stack;
pub use instant::probe_instants;
pub(crate) use likely::is_likely;
pub(crate) use merge::{Counts, NativeFrame, Part, Python, Sampled};
pub(crate) use placed::Standing;
pub(crate) use state::Lock;
pub(crate) use written::Written;
