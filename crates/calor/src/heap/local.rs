//! What each thread keeps for the allocator. Without a destructor, so that it can be reached from the first block of a
//! thread to the last.

#![expect(unsafe_code, reason = "thread-local storage is reached by pointer")]

use std::cell::Cell;
use std::ptr::null_mut;

use calor_heap::ThreadSlot;

pub(super) struct Local {
    pub(super) slot: ThreadSlot,
    /// That of Calor's own memory; the two change places while Calor is at work on this thread.
    pub(super) own: ThreadSlot,
    pub(super) own_depth: Cell<u32>,
    /// Bytes allocated by this thread less those it freed: what scopes measure their peaks by.
    pub(super) net: Cell<i64>,
}

/// That of the thread that runs.
#[inline(always)]
pub(super) fn local<'a>() -> &'a Local {
    // SAFETY: it lives as long as its thread, which is the one that runs, and has no destructor. Handed out as a pointer
    // since a closure around all that is done with it would not be inlined.
    unsafe { &*LOCAL.with(std::ptr::from_ref) }
}

thread_local! {
    static LOCAL: Local = const { Local {
        slot: Cell::new(null_mut()),
        own: Cell::new(null_mut()),
        own_depth: Cell::new(0),
        net: Cell::new(0),
    } };
}
