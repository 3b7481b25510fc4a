//! What most events of a sampled heap are: counted, and nothing else. Asked first, done then: so a door can join it with
//! counts of its own, and leave the event whole to the slow way where either is not quick.

use core::sync::atomic::Ordering::Relaxed;

use crate::filter::Filter;
use crate::layout::{ThreadBlock, bump};
use crate::thread::{Thread, ThreadSlot};

/// The counters of the thread that runs, when blocks are sampled.
#[derive(Clone, Copy)]
pub struct Quick<'a> {
    own: &'a ThreadBlock,
    filter: &'a Filter,
}

impl<'a> Quick<'a> {
    /// Those of the thread of a slot, which is of a sampled heap; `None` before its first event.
    #[inline(always)]
    #[must_use]
    pub fn of(slot: &'a ThreadSlot) -> Option<Self> {
        let (own, filter) = Thread::quick_of(slot)?;
        Some(Self { own, filter })
    }

    /// Whether allocating so many bytes is no more than counting them.
    #[inline(always)]
    #[must_use]
    pub fn can_allocate(self, size: usize) -> bool {
        self.own.until.load(Relaxed) > size as i64
    }

    /// Counts a block that was allocated.
    #[inline(always)]
    pub fn allocate(self, size: usize) {
        self.own.until.store(self.own.until.load(Relaxed).wrapping_sub(size as i64), Relaxed);
        bump(&self.own.allocated_count, 1);
    }

    /// Whether freeing this block is no more than counting it.
    #[inline(always)]
    #[must_use]
    pub fn can_free(self, address: usize, size: usize) -> bool {
        let freed = self.own.freed_bytes.load(Relaxed).wrapping_add(size as u64);
        freed <= self.own.freed_limit.load(Relaxed) && !self.filter.may_hold(address)
    }

    /// Counts a block that is about to be freed.
    #[inline(always)]
    pub fn free(self, size: usize) {
        bump(&self.own.freed_bytes, size as u64);
        bump(&self.own.freed_count, 1);
    }

    /// Adds to what is held by the allocator's reckoning.
    #[inline(always)]
    pub fn reckon(self, size: usize) {
        bump(&self.own.reckoned_bytes, size as u64);
    }
}
