//! Processes as the system shows them: their mappings, threads, children and memory; starting one, and
//! hearing of its end.

mod heritage;
mod interrupt;
mod launch;
mod limits;
mod maps;
mod memory;
mod presence;
mod signals;
mod streams;
mod tasks;
pub(crate) mod wait;

pub use interrupt::Interrupt;
pub use launch::LaunchError;
pub(crate) use launch::{Child, Environment};
pub(crate) use limits::{own_tid, raise_file_limit};
pub(crate) use maps::{Mapping, mappings};
pub(crate) use memory::{Piece, page_end, read_memory, read_pieces};
pub(crate) use presence::{is_alive, presence_of};
pub(crate) use signals::{Heard, Sender, Signals};
pub use streams::Streams;
pub(crate) use tasks::{descendants, name_of, own_pid, process_of, threads_of};
