//! What each thread keeps for the allocator. Without a destructor, so that it can be reached from the first block of a
//! thread to the last.

use std::cell::Cell;
use std::ptr::null_mut;

use calor_heap::ThreadSlot;

pub(super) struct Local {
    pub(super) slot: ThreadSlot,
    /// Bytes allocated by this thread less those it freed: what scopes measure their peaks by.
    pub(super) net: Cell<i64>,
}

thread_local! {
    pub(super) static LOCAL: Local = const { Local { slot: Cell::new(null_mut()), net: Cell::new(0) } };
}
