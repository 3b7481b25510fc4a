//! Call paths as a tree: a node is a frame below the path that leads to it. Most paths begin like others, so a tree takes
//! a small part of what the paths would.
//!
//! # Safety
//! Blocks of the region are never given back, and each node of one is handed out once.

use core::ptr::NonNull;
use core::sync::atomic::Ordering::{Relaxed, Release};

use crate::layout::{Kind, NODES_PER_BLOCK, Node};
use crate::lock::Lock;
use crate::number_table::NumberTable;
use crate::region::Region;

/// Zeroed memory has no nodes.
#[repr(C)]
pub(crate) struct Nodes {
    numbers: NumberTable,
    writer: Lock<Writer>,
}

#[repr(C)]
struct Writer {
    count: u32,
    block: *mut Node,
}

unsafe impl Send for Writer {}

impl Nodes {
    /// The number of the path that `word` makes of the path `parent`, by the hash of all of it; `None` when there is no
    /// room. Numbers begin with 1: 0 is the path of no frames.
    pub(crate) fn number(&self, region: Region, hash: u64, parent: u32, word: u64) -> Option<u32> {
        let known = self.numbers.find(hash);
        if known != 0 {
            return Some(known);
        }
        let mut writer = self.writer.lock();
        let known = self.numbers.find(hash);
        if known != 0 {
            return Some(known);
        }
        let index = writer.count;
        if index.is_multiple_of(NODES_PER_BLOCK) {
            writer.block = region.block(Kind::NODES, 0, index / NODES_PER_BLOCK)?.cast().as_ptr();
        }
        let place = NonNull::new(writer.block)?;
        let node = unsafe { place.add((index % NODES_PER_BLOCK) as usize).as_ref() };
        node.word.store(word, Relaxed);
        node.parent.store(parent, Release);
        let number = index.checked_add(1)?;
        if !self.numbers.put(hash, number) {
            return None;
        }
        writer.count = number;
        Some(number)
    }
}
