//! Small programs that the kernel runs when a sample is taken. What a thread has in memory can be read at that very
//! instant, however busy the machine is; the system call for it is for the mighty alone, so all that is done here is
//! done in another way too.

mod assembler;
mod map;
mod program;
mod queue;

pub(crate) use assembler::{Assembler, Register, Size};
pub(crate) use map::{Kind, Map};
pub(crate) use program::Program;
pub(crate) use queue::Queue;
