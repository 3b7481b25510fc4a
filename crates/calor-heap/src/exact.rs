//! Watching every block.
//!
//! # Safety
//! A thread's walker is reached by its own thread alone, which is not inside the core twice: `is_busy` says so.

use core::sync::atomic::Ordering::Relaxed;

use calor_paths::Registers;

use crate::layout::{Counters, bump};
use crate::peak;
use crate::sampled;
use crate::shadow::{Block, Noted};
use crate::state::State;
use crate::thread::Thread;

/// A block was allocated.
#[inline(always)]
pub(crate) fn allocated(state: &State, thread: &Thread, address: usize, size: usize, registers: Registers) {
    // The walk takes as long as the memory does.
    state.shadow.expect(address);
    let site = unsafe { state.paths.site(&thread.walker, registers) };
    if site == 0 {
        state.lose_site();
        return;
    }
    let Some(counters) = thread.counters(state, site) else {
        state.lose_site();
        return;
    };
    let own = thread.block();
    let until = own.until.load(Relaxed).wrapping_sub(size as i64);
    own.until.store(until, Relaxed);
    let is_sampled = until <= 0
        && sampled::is_due(state, thread)
        && sampled::take(state, thread, address, size, site, false).is_some();
    let block = Block { site, size: size as u64, is_sampled };
    if !state.shadow.note(address, block) {
        note_specially(state, thread, address, block);
    }
    peak::note(state.header(), counters);
    bump(&counters.allocated_bytes, size as u64);
    bump(&counters.allocated_count, 1);
    count_size(thread, size);
    thread.last.set(address);
    grow(state, thread, size as i64);
}

/// Adds to the net bytes of a thread, and to the peak where it is one.
#[inline(always)]
pub(crate) fn grow(state: &State, thread: &Thread, by: i64) {
    let own = thread.block();
    let net = own.net.load(Relaxed).wrapping_add(by);
    own.net.store(net, Relaxed);
    if net > own.limit.load(Relaxed) {
        decide(state, thread);
    }
}

#[cold]
#[inline(never)]
fn decide(state: &State, thread: &Thread) {
    let _held = state.peak.lock();
    peak::decide(state.header(), thread.block(), || state.all_threads());
}

#[inline(always)]
fn count_size(thread: &Thread, size: usize) {
    let sizes = &thread.block().sizes;
    let bucket = (64 - (size as u64).leading_zeros() as usize).min(crate::layout::HISTOGRAM_BUCKETS - 1);
    bump(&sizes.counts[bucket], 1);
    bump(&sizes.bytes[bucket], size as u64);
}

#[cold]
#[inline(never)]
fn note_specially(state: &State, thread: &Thread, address: usize, block: Block) {
    match state.shadow.insert(address, block, state.after_fork()) {
        Noted::Instead(before) => {
            state.header().missed_frees.fetch_add(1, Relaxed);
            // What was known among the samples is there no more if the new block is there.
            if before.is_sampled && !block.is_sampled {
                sampled::ended(state, address);
            }
            freed(state, thread, 0, before.taken());
        }
        Noted::No => {
            state.lose_site();
        }
        Noted::Yes => {}
    }
}

/// A block that was known was freed.
#[inline(always)]
pub(crate) fn freed(state: &State, thread: &Thread, address: usize, block: Block) {
    let Some(counters) = thread.counters(state, block.site) else {
        state.lose_site();
        return;
    };
    peak::note(state.header(), counters);
    bump(&counters.freed_bytes, block.size);
    bump(&counters.freed_count, 1);
    if thread.last.get() == address && address != 0 {
        count_temporary(counters, block.size);
    }
    thread.last.set(0);
    let own = thread.block();
    own.net.store(own.net.load(Relaxed).wrapping_sub(block.size as i64), Relaxed);
    if block.is_sampled {
        sampled::ended(state, address);
    }
}

/// Of a block that was known only `size` bytes are left, which begin at `address`.
pub(crate) fn shrunk(state: &State, thread: &Thread, block: Block, address: usize, size: u64) {
    let left = Block { size, ..block };
    if let Some(counters) = thread.counters(state, block.site) {
        let gone = block.size.saturating_sub(size);
        peak::note(state.header(), counters);
        bump(&counters.freed_bytes, gone);
        let own = thread.block();
        own.net.store(own.net.load(Relaxed).wrapping_sub(gone as i64), Relaxed);
    }
    state.shadow.insert(address, left, state.after_fork());
}

#[inline(always)]
fn count_temporary(counters: &Counters, size: u64) {
    bump(&counters.extra, size);
    counters.extra_count.store(counters.extra_count.load(Relaxed).saturating_add(1), Relaxed);
}
