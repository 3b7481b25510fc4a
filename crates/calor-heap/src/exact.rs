//! Watching every block.
//!
//! # Safety
//! A thread's path is reached by its own thread alone, which is not inside the core twice: `is_busy` says so.

use core::sync::atomic::Ordering::Relaxed;

use crate::layout::{Counters, bump};
use crate::peak;
use crate::sampled;
use crate::shadow::{Block, Noted};
use crate::sites::Place;
use crate::state::State;
use crate::thread::Thread;
use crate::walk::Registers;
use crate::walk::path::{Path, mixed};

/// The number of the call path that leads to `registers`; 0 when it has none.
#[inline(always)]
pub(crate) fn site(state: &State, thread: &Thread, registers: Registers) -> u32 {
    let path = unsafe { &mut *thread.path.get() };
    if state.python.load(Relaxed).is_null()
        && let Some(site) = path.known_site(registers, state.unloaded.load(Relaxed))
    {
        return site;
    }
    walked_site(state, thread, registers.pc, registers.sp, registers.bp)
}

/// The same of a path that is not known yet, or that has Python's functions too. The registers come one by one: as one they
/// would be written to memory before it is known whether they are needed there, and those that read them wait for that.
#[inline(never)]
fn walked_site(state: &State, thread: &Thread, pc: usize, sp: usize, bp: usize) -> u32 {
    let registers = Registers { pc, sp, bp };
    let path = unsafe { &mut *thread.path.get() };
    let age = state.unloaded.load(Relaxed);
    let hear = |object: &_| state.remember(object);
    let walked = path.walk(state.rules(), registers, age, &hear);
    let native = |path: &mut Path| {
        if walked.is_known {
            path.walk_anew(state.rules(), registers, &hear);
        }
        path.node(&state.nodes, state.arena())
    };
    let python = state.python.load(Relaxed);
    // A handler may have come while the interpreter changes its frames.
    if !python.is_null() && !walked.has_signal {
        let (frames, python) = unsafe { (&mut *thread.frames.get(), &*python) };
        let hash = frames.walk(python, state, &thread.attached, |address| path.is_on_stack(address));
        if hash != 0 {
            let site = state.sites.number(state.arena(), mixed(walked.hash, hash as usize), || {
                Some(Place { native: native(path)?, python: frames.node(&state.nodes, state.arena())? })
            });
            return found(state, site);
        }
    }
    if walked.site != 0 {
        return walked.site;
    }
    let site =
        state.sites.number(state.arena(), walked.hash, || Some(Place { native: native(path)?, python: 0 }));
    path.name(site, &walked);
    found(state, site)
}

#[inline(always)]
fn found(state: &State, site: u32) -> u32 {
    if site == 0 {
        state.header().sites_lost.fetch_add(1, Relaxed);
    }
    site
}

/// A block was allocated.
#[inline(always)]
pub(crate) fn allocated(state: &State, thread: &Thread, address: usize, size: usize, registers: Registers) {
    // The walk takes as long as the memory does.
    state.shadow.expect(address);
    let site = site(state, thread, registers);
    if site == 0 {
        return;
    }
    let Some(counters) = thread.counters(state, site) else {
        state.header().sites_lost.fetch_add(1, Relaxed);
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
            state.header().sites_lost.fetch_add(1, Relaxed);
        }
        Noted::Yes => {}
    }
}

/// A block that was known was freed.
#[inline(always)]
pub(crate) fn freed(state: &State, thread: &Thread, address: usize, block: Block) {
    let Some(counters) = thread.counters(state, block.site) else {
        state.header().sites_lost.fetch_add(1, Relaxed);
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
