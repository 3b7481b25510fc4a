//! What the threads of a process share, in memory that a fork zeroes when the child is to begin anew.
//!
//! # Safety
//! The state and the region are mapped as long as the process runs. Blocks of threads and modules are written under their locks
//! before their number says that they are there.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize};

use crate::arena::Arena;
use crate::clock;
use crate::layout::{
    FILES_IN_A_PLACE, Header, Kind, MAGIC, MAX_MODULES, MODULES_PER_BLOCK, Mode, ModuleRecord,
    THREADS_PER_BLOCK, ThreadBlock, store_bytes,
};
use crate::lock::Lock;
use crate::nodes::Nodes;
use crate::options::Options;
use crate::peak::Threads;
use crate::python::{Codes, Interpreter};
use crate::sampled::Samples;
use crate::shadow::Shadow;
use crate::sites::Sites;
use crate::sys::{self, AfterFork};
use crate::thread::{Thread, Whose};
use crate::walk::objects::Object;
use crate::walk::rules::Rules;

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
    /// How often code was unloaded.
    pub(crate) unloaded: AtomicU32,
    arena: AtomicUsize,
    pub(crate) rules: AtomicUsize,
    pub(crate) sampling_bytes: AtomicUsize,
    /// Whether threads look again and again if the heap is at its peak: samples alone do not tell.
    looks_often: AtomicU32,
    /// Whether the door tells how large a block is that is freed, so that what a thread holds is known exactly.
    pub(crate) knows_sizes: AtomicU32,
    /// Whether the shadow has the sizes of all blocks, though only some are watched.
    pub(crate) remembers_sizes: AtomicU32,
    pub(crate) shadow: Shadow,
    pub(crate) nodes: Nodes,
    pub(crate) sites: Sites,
    pub(crate) samples: Samples,
    /// The interpreter whose functions are parts of paths, if there is one.
    pub(crate) python: AtomicPtr<Interpreter>,
    pub(crate) codes: Codes,
    /// Whether the interpreter was told that it runs.
    pub(crate) has_run_first: AtomicU32,
    pub(crate) threads: Lock<ThreadList>,
    pub(crate) n_threads: AtomicU32,
    thread_blocks: [AtomicPtr<ThreadBlock>; THREAD_BLOCKS],
    /// The same of threads while they are at work for the profiler itself: no part of the heap or its peak.
    pub(crate) own_threads: Lock<ThreadList>,
    own_thread_blocks: [AtomicPtr<ThreadBlock>; THREAD_BLOCKS],
    pub(crate) peak: Lock<()>,
    modules: Lock<Modules>,
}

#[repr(C)]
pub(crate) struct ThreadList {
    pub(crate) first: *mut Thread,
    pub(crate) count: u32,
}

unsafe impl Send for ThreadList {}

#[repr(C)]
struct Modules {
    blocks: [*mut ModuleRecord; (MAX_MODULES / MODULES_PER_BLOCK) as usize],
    count: u32,
}

unsafe impl Send for Modules {}

impl State {
    /// Sets everything up; whether that was possible.
    pub(crate) fn start(&self, options: &Options<'_>, rules: Rules) -> bool {
        let after_fork = if options.restarts_after_fork { AfterFork::Zeroed } else { AfterFork::Kept };
        self.after_fork.store(u32::from(options.restarts_after_fork), Relaxed);
        let Some(arena) = Arena::new(options.file) else { return false };
        if !self.shadow.start(after_fork, !options.frees_tell_sizes) || !self.samples.start() {
            arena.give_back();
            return false;
        }
        let header = arena.header();
        header.mode.store(options.mode as u32, Relaxed);
        header.process.store(sys::process_id(), Relaxed);
        header.sampling_bytes.store(options.sampling_bytes.max(1), Relaxed);
        header.started_ticks.store(clock::ticks(), Relaxed);
        header.started_nanos.store(sys::monotonic_nanos(), Relaxed);
        // The first peak is above nothing at all.
        header.epoch.store(1, Relaxed);
        let mut executable = [0; 512];
        let length = sys::read_link(b"/proc/self/exe", &mut executable);
        store_bytes(&header.executable, &executable[..length.min(511)]);
        self.arena.store(core::ptr::from_ref(header) as usize, Relaxed);
        self.rules.store(rules.address(), Relaxed);
        self.sampling_bytes.store(options.sampling_bytes.max(1) as usize, Relaxed);
        let looks_often = options.mode == Mode::Sampled && options.knows_sizes;
        self.knows_sizes.store(u32::from(options.knows_sizes), Relaxed);
        self.remembers_sizes.store(u32::from(options.remembers_sizes), Relaxed);
        self.looks_often.store(u32::from(looks_often), Relaxed);
        header.magic.store(MAGIC, Release);
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
    pub(crate) fn arena(&self) -> Arena {
        unsafe { Arena::at(self.arena.load(Relaxed)) }
    }

    #[inline(always)]
    pub(crate) fn header(&self) -> &Header {
        unsafe { &*(self.arena.load(Relaxed) as *const Header) }
    }

    #[inline(always)]
    pub(crate) fn rules(&self) -> Rules {
        Rules::at(self.rules.load(Relaxed))
    }

    /// The counters of the thread with this number. Called under the lock of the threads.
    pub(crate) fn thread_block(&self, whose: Whose, number: u32) -> Option<*const ThreadBlock> {
        if number >= MAX_THREADS {
            return None;
        }
        let (index, rest) = (number / THREADS_PER_BLOCK, number % THREADS_PER_BLOCK);
        let (blocks, kind) = match whose {
            Whose::Program => (&self.thread_blocks, Kind::Threads),
            Whose::Own => (&self.own_thread_blocks, Kind::OwnThreads),
        };
        let place = &blocks[index as usize];
        if place.load(Relaxed).is_null() {
            place.store(self.arena().block(kind, 0, index)?.cast().as_ptr(), Release);
        }
        Some(unsafe { place.load(Relaxed).add(rest as usize) })
    }

    /// All threads that there ever were at one time.
    pub(crate) fn all_threads(&self) -> Threads<'_> {
        let count = self.n_threads.load(Acquire) as usize;
        Threads { blocks: &self.thread_blocks, left: 0..count, per_block: THREADS_PER_BLOCK as usize }
    }

    /// Writes down a loaded file, once; which of those it is that lay at its place one after the other.
    pub(crate) fn remember(&self, object: &Object) -> u8 {
        let mut modules = self.modules.lock();
        let mut file = 0;
        for index in 0..modules.count {
            let known = modules.record(index);
            if known.is(object) {
                return known.file.load(Relaxed) as u8;
            }
            let (start, end) = (known.start.load(Relaxed) as usize, known.end.load(Relaxed) as usize);
            if start < object.end && object.start < end {
                file = file.max(known.file.load(Relaxed) + 1);
            }
        }
        // Of more than can be told apart the last ones share a number.
        let file = file.min(FILES_IN_A_PLACE - 1);
        if modules.count < MAX_MODULES && modules.make_room(self.arena()).is_some() {
            modules.record(modules.count).write(object, file);
            modules.count += 1;
            self.header().modules.store(modules.count, Release);
        }
        file as u8
    }
}

impl Modules {
    fn record(&self, index: u32) -> &ModuleRecord {
        let block = self.blocks[(index / MODULES_PER_BLOCK) as usize];
        unsafe { &*block.add((index % MODULES_PER_BLOCK) as usize) }
    }

    fn make_room(&mut self, arena: Arena) -> Option<()> {
        let index = self.count / MODULES_PER_BLOCK;
        if self.blocks[index as usize].is_null() {
            self.blocks[index as usize] = arena.block(Kind::Modules, 0, index)?.cast().as_ptr();
        }
        Some(())
    }
}

impl ModuleRecord {
    /// Whether it is this very file in this very place.
    fn is(&self, object: &Object) -> bool {
        let path = object.path.as_bytes();
        self.start.load(Relaxed) == object.start as u64
            && self.bias.load(Relaxed) == object.bias as u64
            && self.path_length.load(Relaxed) == path.len() as u32
            && path.chunks(8).zip(&self.path).all(|(piece, word)| {
                let word = word.load(Relaxed).to_ne_bytes();
                word[..piece.len()] == *piece
            })
    }

    fn write(&self, object: &Object, file: u32) {
        self.start.store(object.start as u64, Relaxed);
        self.end.store(object.end as u64, Relaxed);
        self.bias.store(object.bias as u64, Relaxed);
        self.path_length.store(object.path.as_bytes().len() as u32, Relaxed);
        self.file.store(file, Relaxed);
        store_bytes(&self.path, object.path.as_bytes());
    }
}
