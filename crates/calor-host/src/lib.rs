//! The machine that a program runs on, and files on it.
//!
//! **You get** what the system tells of the machine, read in one place for all who ask: [`host`] as a profile has it,
//! [`CpuInfo`], [`Caches`], [`memory`] and the [`room`] that is left in it. What the system does not tell is `None` or empty,
//! never 0. And [`replace`], by which a file is either whole or as it was.
//!
//! **You bring** nothing: this crate needs no other than the model, so that the SDK brings little into a program. What the machine can
//! do is measured by `calor-machine`.

mod caches;
mod cpu_info;
mod host;
mod memory;
mod replacement;

pub use caches::Caches;
pub use cpu_info::CpuInfo;
pub use host::host;
pub use memory::{Bound, Memory, Room, kibibytes, memory, room};
pub use replacement::{UNFINISHED, replace, replace_pieces};
