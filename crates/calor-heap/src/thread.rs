//! What a thread has of its own. A thread's counters lie in the region and are handed on to another thread when it has
//! ended: counts go on, so nothing has to be done when a thread ends.
//!
//! # Safety
//! Threads lie in mappings of their own that are never given back. One is reached through the slot of the thread that it serves,
//! or under the lock of the list; after a fork its bytes are zeros, which are a thread that is not ready.

use core::cell::Cell;
use core::sync::atomic::Ordering::{Relaxed, Release, SeqCst};
use core::sync::atomic::{AtomicPtr, AtomicU64, compiler_fence};

use calor_paths::sys::{self, AfterFork};
use calor_paths::{MAX_SITES, Walker};

use crate::filter::Filter;
use crate::layout::{COUNTERS, Counters, OWN, SITES_PER_SEGMENT, ThreadBlock, bump};
use crate::number;
use crate::state::State;

const SEGMENTS: usize = (MAX_SITES / SITES_PER_SEGMENT + 1) as usize;

/// A place that each thread has for itself, as thread-local storage.
pub type ThreadSlot = Cell<*mut Thread>;

/// A thread, in memory of the process that a fork zeroes.
#[repr(C)]
pub struct Thread {
    /// 0 until all below is set: the first event, or the first after a fork.
    pub(crate) is_ready: Cell<bool>,
    /// Set while the thread is inside the core.
    pub(crate) is_busy: Cell<bool>,
    pub(crate) number: Cell<u32>,
    pub(crate) block: Cell<*const ThreadBlock>,
    /// That of all threads, where it is reached by one step less.
    filter: Cell<*const Filter>,
    /// The block that the last event allocated.
    pub(crate) last: Cell<usize>,
    /// Bytes until the next sampled block, counted when the present stretch began.
    pub(crate) until_sample: Cell<i64>,
    pub(crate) random: Cell<u64>,
    /// The next thread in the list of all.
    pub(crate) next: AtomicPtr<Thread>,
    segments: [AtomicPtr<Counters>; SEGMENTS],
    pub(crate) walker: Walker,
}

/// Whose memory a thread counts: a thread that is at work for the profiler itself has a second set of counters for that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Whose {
    Program,
    Own,
}

/// Why an event has no thread to be counted for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lost {
    /// A signal came while the thread was being made.
    Inside,
    NoRoom,
}

impl Thread {
    /// What the thread that runs counts in; `None` before its first event, and before the first after a fork.
    #[inline(always)]
    pub(crate) fn block_of(slot: &ThreadSlot) -> Option<&ThreadBlock> {
        unsafe { slot.get().as_ref()?.block.get().as_ref() }
    }

    /// The same, with the filter of what is sampled.
    #[inline(always)]
    pub(crate) fn quick_of(slot: &ThreadSlot) -> Option<(&ThreadBlock, &Filter)> {
        let thread = unsafe { slot.get().as_ref() }?;
        // Both were set before the slot was.
        Some(unsafe { (thread.block.get().as_ref()?, &*thread.filter.get()) })
    }

    /// From here on the thread is inside the core: a signal's handler finds that it is.
    #[inline(always)]
    pub(crate) fn come_in(&self) {
        self.is_busy.set(true);
        compiler_fence(SeqCst);
    }

    /// It is not any more.
    #[inline(always)]
    pub(crate) fn leave(&self) {
        compiler_fence(SeqCst);
        self.is_busy.set(false);
    }

    #[inline(always)]
    pub(crate) fn block(&self) -> &ThreadBlock {
        unsafe { &*self.block.get() }
    }

    /// The counters of a call path.
    #[inline(always)]
    pub(crate) fn counters(&self, state: &State, site: u32) -> Option<&Counters> {
        let index = site - 1;
        let segment = self.segments[(index / SITES_PER_SEGMENT) as usize].load(Relaxed);
        let segment =
            if segment.is_null() { self.new_segment(state, index / SITES_PER_SEGMENT)? } else { segment };
        Some(unsafe { &*segment.add((index % SITES_PER_SEGMENT) as usize) })
    }

    /// Bytes and blocks that were allocated on a call path less those that were freed, as this thread counted them.
    pub(crate) fn held(&self, site: u32) -> (i64, i64) {
        let index = site - 1;
        let segment = self.segments[(index / SITES_PER_SEGMENT) as usize].load(Relaxed);
        if segment.is_null() {
            return (0, 0);
        }
        let counters = unsafe { &*segment.add((index % SITES_PER_SEGMENT) as usize) };
        let net = |plus: &AtomicU64, minus: &AtomicU64| plus.load(Relaxed).wrapping_sub(minus.load(Relaxed));
        (
            net(&counters.allocated_bytes, &counters.freed_bytes) as i64,
            net(&counters.allocated_count, &counters.freed_count) as i64,
        )
    }

    #[cold]
    #[inline(never)]
    fn new_segment(&self, state: &State, index: u32) -> Option<*mut Counters> {
        let memory = state.paths.region().block(COUNTERS, self.number.get(), index)?;
        self.segments[index as usize].store(memory.cast().as_ptr(), Relaxed);
        Some(memory.cast().as_ptr())
    }

    /// A thread for the one that runs: that of one that has ended, or a new one.
    pub(crate) fn obtain(state: &State, whose: Whose) -> Result<*mut Self, Lost> {
        let (process, own) = (sys::process_id(), sys::thread_id());
        let list = if whose == Whose::Own { &state.own_threads } else { &state.threads };
        let mut newest = list.lock_unless_own(own).ok_or(Lost::Inside)?;
        let mut candidate = newest.first;
        let mut tries = 0;
        while !candidate.is_null() {
            let thread = unsafe { &*candidate };
            let owner = thread.block().thread.load(Relaxed);
            // Looking at a few is enough: what is not found now is found by a later thread.
            if owner == own || (tries < 64 && !sys::is_thread_alive(process, owner)) {
                thread.adopt(state, own);
                return Ok(candidate);
            }
            tries += 1;
            candidate = thread.next.load(Relaxed);
        }
        let thread = Self::new(state, whose, newest.count).ok_or(Lost::NoRoom)?;
        unsafe { (*thread).adopt(state, own) };
        unsafe { (*thread).next.store(newest.first, Relaxed) };
        newest.first = thread;
        newest.count += 1;
        let header = state.header();
        match whose {
            Whose::Program => {
                header.threads.store(newest.count, Release);
                state.n_threads.store(newest.count, Release);
            }
            Whose::Own => header.own_threads.store(newest.count, Release),
        }
        Ok(thread)
    }

    fn new(state: &State, whose: Whose, number: u32) -> Option<*mut Self> {
        let block = state.thread_block(whose, number)?;
        let thread = sys::map_private(size_of::<Self>(), AfterFork::Zeroed)?.cast::<Self>().as_ptr();
        unsafe {
            (*thread).number.set(if whose == Whose::Own { number | OWN } else { number });
            (*thread).filter.set(&raw const state.samples.filter);
            (*thread).block.set(block);
            if whose == Whose::Own {
                // What it holds is never the peak of the program.
                (*block).limit.store(i64::MAX, Relaxed);
            }
        }
        Some(thread)
    }

    /// Begins to serve the thread with this number of the system's.
    fn adopt(&self, state: &State, own: u32) {
        self.block().thread.store(own, Relaxed);
        unsafe { self.walker.forget() };
        self.last.set(0);
        self.is_busy.set(true);
        self.random.set(u64::from(own).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ calor_paths::ticks() | 1);
        self.until_sample.set(self.distance(state));
        self.grant(state);
        self.is_ready.set(true);
    }

    /// Begins a new stretch in which nothing is due.
    pub(crate) fn grant(&self, state: &State) {
        let granted = self.until_sample.get().min(state.most_granted());
        let own = self.block();
        bump(&own.allocated_bytes, own.granted.load(Relaxed).wrapping_sub(own.until.load(Relaxed)) as u64);
        own.granted.store(granted, Relaxed);
        own.until.store(granted, Relaxed);
    }

    /// Bytes to the next sampled block: exponentially distributed, so that each byte has the same chance and no
    /// pattern of the program can fall in step with it.
    pub(crate) fn distance(&self, state: &State) -> i64 {
        let mut random = self.random.get();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        self.random.set(random);
        let uniform = ((random >> 11) as f64 + 1.0) / 9_007_199_254_740_993.0;
        let mean = state.sampling_bytes.load(Relaxed) as f64;
        (-number::ln(uniform) * mean) as i64 + 1
    }
}
