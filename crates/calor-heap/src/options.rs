//! How a heap is to be watched.

use crate::layout::Mode;

/// What is chosen before the first block.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Every block, or some of them.
    pub mode: Mode,
    /// The mean number of bytes between two sampled blocks.
    pub sampling_bytes: u64,
    /// The file that the counts are to lie in, which must not exist; `None` for memory of this process alone.
    pub file: Option<&'a [u8]>,
    /// Whether the child of a fork begins anew, with a file of its own, instead of going on with a copy.
    pub restarts_after_fork: bool,
    /// Whether the door is told the size of a block that is freed ([`Tracker::freed_sized`](crate::Tracker)).
    pub knows_sizes: bool,
    /// Whether it is told so of every block, exactly as it was allocated: then sizes need not be remembered.
    pub frees_tell_sizes: bool,
    /// Whether sizes are remembered of all blocks also where only some are watched, for a door that is never told the size
    /// of a block that is freed ([`Tracker::remember`](crate::Tracker)).
    pub remembers_sizes: bool,
}

impl Options<'_> {
    /// The mean distance of sampled blocks unless told otherwise.
    pub const SAMPLING_BYTES: u64 = 512 * 1024;
}
