//! What the threads of a process share, in memory that a fork zeroes when the child is to begin anew.
//!
//! # Safety
//! The state and the region are mapped as long as the process runs. Blocks of threads and modules are written under their locks
//! before their number says that they are there.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize};

use calor_paths::sys::AfterFork;
use calor_paths::{Lock, Paths, Region, Rules};

use crate::layout::{Header, MAGIC, Mode, OWN_THREADS, THREADS, THREADS_PER_BLOCK, ThreadBlock};
use crate::options::Options;
use crate::peak::Threads;
use crate::sampled::Samples;
use crate::shadow::Shadow;
use crate::thread::{Thread, Whose};

/// Threads that are told apart at one time.
const MAX_THREADS: u32 = 64 * 1024;
/// The peak is known to so many bytes for each thread when blocks are sampled, and to fewer while the heap is small.
const LOOK_BYTES: usize = 64 << 10;
/// Of a small heap the peak is known to this part of it for each thread, or to so many bytes.
const PARTS_OF_PEAK: usize = 32;
const LEAST_LOOK_BYTES: usize = 512;
const THREAD_BLOCKS: usize = (MAX_THREADS / THREADS_PER_BLOCK + 1) as usize;

/// The state; zeroed memory is one that was not started.
#[repr(C)]
pub(crate) struct State {
    pub(crate) is_ready: AtomicU32,
    pub(crate) after_fork: AtomicU32,
    pub(crate) sampling_bytes: AtomicUsize,
    /// Whether threads look again and again if the heap is at its peak: samples alone do not tell.
    looks_often: AtomicU32,
    /// Whether the door tells how large a block is that is freed, so that what a thread holds is known exactly.
    pub(crate) knows_sizes: AtomicU32,
    /// Whether the shadow has the sizes of all blocks, though only some are watched.
    pub(crate) remembers_sizes: AtomicU32,
    pub(crate) shadow: Shadow,
    pub(crate) paths: Paths,
    pub(crate) samples: Samples,
    pub(crate) threads: Lock<ThreadList>,
    pub(crate) n_threads: AtomicU32,
    thread_blocks: [AtomicPtr<ThreadBlock>; THREAD_BLOCKS],
    /// The same of threads while they are at work for the profiler itself: no part of the heap or its peak.
    pub(crate) own_threads: Lock<ThreadList>,
    own_thread_blocks: [AtomicPtr<ThreadBlock>; THREAD_BLOCKS],
    pub(crate) peak: Lock<()>,
}

#[repr(C)]
pub(crate) struct ThreadList {
    pub(crate) first: *mut Thread,
    pub(crate) count: u32,
}

unsafe impl Send for ThreadList {}

impl State {
    /// Sets everything up; whether that was possible.
    pub(crate) fn start(&self, options: &Options<'_>, rules: Rules) -> bool {
        let after_fork = if options.restarts_after_fork { AfterFork::Zeroed } else { AfterFork::Kept };
        self.after_fork.store(u32::from(options.restarts_after_fork), Relaxed);
        let Some(region) = Region::new(options.file) else { return false };
        if !self.shadow.start(after_fork, !options.frees_tell_sizes) || !self.samples.start() {
            region.give_back();
            return false;
        }
        self.paths.start(region, rules);
        let header = self.header();
        header.mode.store(options.mode as u32, Relaxed);
        header.sampling_bytes.store(options.sampling_bytes.max(1), Relaxed);
        // The first peak is above nothing at all.
        header.epoch.store(1, Relaxed);
        self.sampling_bytes.store(options.sampling_bytes.max(1) as usize, Relaxed);
        let looks_often = options.mode == Mode::Sampled && options.knows_sizes;
        self.knows_sizes.store(u32::from(options.knows_sizes), Relaxed);
        self.remembers_sizes.store(u32::from(options.remembers_sizes), Relaxed);
        self.looks_often.store(u32::from(looks_often), Relaxed);
        region.header().magic.store(MAGIC, Release);
        self.is_ready.store(options.mode as u32, Release);
        true
    }

    #[inline(always)]
    pub(crate) fn mode(&self) -> Option<Mode> {
        match self.is_ready.load(Acquire) {
            1 => Some(Mode::Exact),
            2 => Some(Mode::Sampled),
            _ => None,
        }
    }

    /// After so many bytes that were freed at the latest a thread looks what it holds.
    pub(crate) fn look_bytes(&self) -> usize {
        let peak = self.header().peak_bytes.load(Relaxed).max(0) as usize;
        (peak / PARTS_OF_PEAK).clamp(LEAST_LOOK_BYTES, LOOK_BYTES)
    }

    /// The same of bytes that were allocated, where the heap may be at its peak then.
    pub(crate) fn most_granted(&self) -> i64 {
        if self.looks_often.load(Relaxed) == 0 { i64::MAX } else { self.look_bytes() as i64 }
    }

    #[inline(always)]
    pub(crate) fn after_fork(&self) -> AfterFork {
        if self.after_fork.load(Relaxed) == 0 { AfterFork::Kept } else { AfterFork::Zeroed }
    }

    #[inline(always)]
    pub(crate) fn header(&self) -> &Header {
        unsafe { self.paths.region().owner_header() }
    }

    /// An allocation has no call path, for want of room.
    #[cold]
    pub(crate) fn lose_site(&self) {
        self.header().sites_lost.fetch_add(1, Relaxed);
    }

    /// The counters of the thread with this number. Called under the lock of the threads.
    pub(crate) fn thread_block(&self, whose: Whose, number: u32) -> Option<*const ThreadBlock> {
        if number >= MAX_THREADS {
            return None;
        }
        let (index, rest) = (number / THREADS_PER_BLOCK, number % THREADS_PER_BLOCK);
        let (blocks, kind) = match whose {
            Whose::Program => (&self.thread_blocks, THREADS),
            Whose::Own => (&self.own_thread_blocks, OWN_THREADS),
        };
        let place = &blocks[index as usize];
        if place.load(Relaxed).is_null() {
            place.store(self.paths.region().block(kind, 0, index)?.cast().as_ptr(), Release);
        }
        Some(unsafe { place.load(Relaxed).add(rest as usize) })
    }

    /// All threads that there ever were at one time.
    pub(crate) fn all_threads(&self) -> Threads<'_> {
        let count = self.n_threads.load(Acquire) as usize;
        Threads { blocks: &self.thread_blocks, left: 0..count, per_block: THREADS_PER_BLOCK as usize }
    }
}
