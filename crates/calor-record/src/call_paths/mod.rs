//! Call paths from addresses to names: the files that lie in an address space, sums by path, and what all of it is called
//! in a profile. Samples, heaps and `perf.data` are added up and named here alike.

mod attendance;
mod code;
pub(crate) mod images;
pub(crate) mod naming;
mod roots;
pub(crate) mod spaces;
pub(crate) mod tally;
pub(crate) mod threads;

/// How many frames a path has at most, where nobody asks for another number.
pub(crate) const MAX_DEPTH: usize = 512;
