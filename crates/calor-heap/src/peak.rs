//! When the whole heap is largest, to the byte, without a counter that all threads write.
//!
//! Each thread knows its own net bytes, and has a limit. The limits of all threads together are never above the peak
//! so far, so as long as every thread stays below its own, the whole heap is below its peak and nothing has to be
//! done. A thread that comes above its limit looks at all threads under a lock: either the heap is larger than ever,
//! which is the new peak, or some room is left, which is dealt out anew.
//!
//! Events that the program orders, by a lock, a channel or a join, are seen in that order. Of two that run at the same
//! instant on two processors either may come first.
//!
//! What each call path holds at the peak is found without visiting them: a new peak raises the epoch, and a counter
//! that is about to change in a new epoch first notes what it held. One that did not change since still holds it.
//!
//! # Safety
//! Blocks of threads are never given back, and their numbers stay below the count that was written after them.

use core::sync::atomic::Ordering::{Relaxed, Release, SeqCst};
use core::sync::atomic::fence;

use calor_paths::ticks;

use crate::layout::{Counters, Header, ThreadBlock};

/// Notes what a call path held at the peak, if that was since its last change.
#[inline(always)]
pub(crate) fn note(header: &Header, counters: &Counters) {
    let epoch = header.epoch.load(Relaxed);
    if counters.epoch.load(Relaxed) != epoch {
        counters.epoch.store(epoch, Relaxed);
        let net = |plus: u64, minus: u64| plus.wrapping_sub(minus) as i64;
        let bytes = net(counters.allocated_bytes.load(Relaxed), counters.freed_bytes.load(Relaxed));
        let count = net(counters.allocated_count.load(Relaxed), counters.freed_count.load(Relaxed));
        counters.peak_bytes.store(bytes, Relaxed);
        counters.peak_count.store(count, Relaxed);
    }
}

/// A thread came above its limit. Called under the lock of the peak.
pub(crate) fn decide<'a>(header: &Header, own: &ThreadBlock, all: impl Fn() -> Threads<'a>) {
    // First nobody may go further without coming here; what they did until then is then seen.
    for thread in all() {
        thread.limit.store(thread.net.load(Relaxed), Relaxed);
    }
    fence(SeqCst);
    let mut total = 0i64;
    let mut count = 0i64;
    let mut others = 0i64;
    for thread in all() {
        total += thread.net.load(Relaxed);
        let freed = thread.freed_count.load(Relaxed);
        count = count.wrapping_add(thread.allocated_count.load(Relaxed).wrapping_sub(freed) as i64);
        others += 1;
    }
    let peak = header.peak_bytes.load(Relaxed);
    if total > peak {
        header.peak_bytes.store(total, Relaxed);
        header.peak_count.store(count, Relaxed);
        header.peak_ticks.store(ticks(), Relaxed);
        let epoch = header.epoch.load(Relaxed);
        header.epoch.store(epoch.wrapping_add(1), Release);
        return;
    }
    // Half of the room goes to who asked, who will probably ask again; the others share the rest.
    let room = peak - total;
    let own_room = if others > 1 { room - room / 2 } else { room };
    let share = if others > 1 { room / 2 / (others - 1) } else { 0 };
    for thread in all() {
        let room = if core::ptr::eq(thread, own) { own_room } else { share };
        thread.limit.store(thread.net.load(Relaxed) + room, Relaxed);
    }
}

/// The threads of the process.
pub(crate) struct Threads<'a> {
    pub(crate) blocks: &'a [core::sync::atomic::AtomicPtr<ThreadBlock>],
    pub(crate) left: core::ops::Range<usize>,
    pub(crate) per_block: usize,
}

impl<'a> Iterator for Threads<'a> {
    type Item = &'a ThreadBlock;

    fn next(&mut self) -> Option<&'a ThreadBlock> {
        let number = self.left.next()?;
        let block = self.blocks[number / self.per_block].load(Relaxed);
        Some(unsafe { &*block.add(number % self.per_block) })
    }
}
