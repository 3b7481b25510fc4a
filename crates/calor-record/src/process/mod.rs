//! Processes as the system shows them: their mappings, threads, children and memory; starting one, and
//! hearing of its end.

mod launch;
mod limits;
mod maps;
mod memory;
mod signals;
mod tasks;

pub(crate) use launch::Child;
pub use launch::LaunchError;
pub(crate) use limits::{own_tid, raise_file_limit};
pub(crate) use maps::{Mapping, mappings};
pub(crate) use memory::read_memory;
pub(crate) use signals::{Heard, Signals};
pub(crate) use tasks::{descendants, name_of, own_pid, threads_of};
