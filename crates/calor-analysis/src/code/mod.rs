//! Machine code taken apart: the instructions of a function, the blocks between its branches, and the loops that those
//! make. Only x86-64 is known.

mod blocks;
mod call_loop;
mod decoded;
mod loops;
mod region;
mod shape;

pub(crate) use blocks::Blocks;
pub(crate) use call_loop::CallLoop;
pub(crate) use decoded::Decoded;
pub(crate) use loops::{LoopId, Loops};
pub(crate) use region::regions;
pub(crate) use shape::{LoopShape, Walk};
