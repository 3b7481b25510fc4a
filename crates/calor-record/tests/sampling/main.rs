//! Recordings through the library: parts, ends, and what is left of them in this process. What the command makes of
//! them is tested with the command.

mod leftovers;
mod parts;
mod target;
mod waits;
