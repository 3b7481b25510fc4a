//! An event as the scope sees it that is open on this thread: asked first whether it is no more than counting, done then.

use super::local::Local;
use crate::recorder::memory::{self, Node};

/// A block that was allocated or is about to be freed.
#[derive(Clone, Copy)]
pub(super) struct ScopeEvent {
    /// Outside of all scopes there is nothing to count for them.
    node: Option<&'static Node>,
    size: usize,
    /// What the thread held before, and holds then.
    before: i64,
    net: i64,
}

impl ScopeEvent {
    /// A block was allocated.
    #[inline(always)]
    pub(super) fn allocation(local: &Local, size: usize) -> Self {
        let before = local.net.get();
        Self { node: memory::current(local), size, before, net: before.wrapping_add(size as i64) }
    }

    /// A block is about to be freed.
    #[inline(always)]
    pub(super) fn free(local: &Local, size: usize) -> Self {
        let before = local.net.get();
        Self { node: memory::current(local), size, before, net: before.wrapping_sub(size as i64) }
    }

    /// Whether it is neither the first event of a call nor makes it hold more than ever.
    #[inline(always)]
    pub(super) fn is_quick(self) -> bool {
        self.node.is_none_or(|node| memory::is_low(node, self.net))
    }

    /// Counts an allocation that is quick.
    #[inline(always)]
    pub(super) fn allocate(self, local: &Local) {
        if let Some(node) = self.node {
            local.net.set(self.net);
            memory::allocated(node, self.size);
        }
    }

    /// Counts a free that is quick.
    #[inline(always)]
    pub(super) fn free_quickly(self, local: &Local) {
        if let Some(node) = self.node {
            local.net.set(self.net);
            memory::freed(node, self.size);
        }
    }

    /// Counts a free, quickly if it is.
    #[cfg(feature = "heap")]
    #[inline(always)]
    pub(super) fn count_free(self, local: &Local) {
        if self.is_quick() { self.free_quickly(local) } else { self.free_and_rise(local) }
    }

    /// Counts any allocation.
    pub(super) fn allocate_and_rise(self, local: &Local) {
        self.allocate(local);
        self.rise();
    }

    /// Counts any free.
    pub(super) fn free_and_rise(self, local: &Local) {
        self.free_quickly(local);
        self.rise();
    }

    fn rise(self) {
        if let Some(node) = self.node {
            memory::rise(node, self.before, self.net);
        }
    }
}
