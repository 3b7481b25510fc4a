//! Memory of the profiler itself, in a program that records itself: counted, since whoever frees a block must find it, but
//! in counters of its own, so that it is no part of the program's heap and never makes its peak.
//!
//! # Safety
//! As in the file above: threads are never given back.

use crate::thread::{Thread, ThreadSlot, Whose};
use crate::tracker::Tracker;

impl Tracker {
    /// From here on, until [`end_own`](Self::end_own), what the thread that runs allocates and frees is the profiler's.
    /// `own` is a second slot of the same thread. Whether it could be done; if not there is nothing to end.
    #[cold]
    #[inline(never)]
    pub fn begin_own(&self, slot: &ThreadSlot, own: &ThreadSlot) -> bool {
        let is_busy = unsafe { slot.get().as_ref() }.is_some_and(|thread| thread.is_busy.get());
        if is_busy {
            return false;
        }
        // The first event of a process, or of a thread, begins what has to be begun.
        let Some((state, thread, _)) = self.enter(slot) else { return false };
        let is_there = unsafe { own.get().as_ref() }.is_some_and(|own| own.is_ready.get());
        let found = if is_there { Ok(own.get()) } else { Thread::obtain(state, Whose::Own) };
        thread.leave();
        let Ok(found) = found else { return false };
        if !is_there {
            // It comes as one that is inside the core.
            unsafe { (*found).leave() };
        }
        own.set(slot.replace(found));
        true
    }

    /// Ends what [`begin_own`](Self::begin_own) began.
    #[cold]
    #[inline(never)]
    pub fn end_own(&self, slot: &ThreadSlot, own: &ThreadSlot) {
        slot.swap(own);
    }
}
