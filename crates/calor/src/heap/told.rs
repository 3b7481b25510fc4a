//! Blocks that somebody else tells of: whoever stands before the allocators of an interpreter in this process, where no
//! allocator of the program can be ours. Scopes, call paths, peaks and snapshots are then as with `calor::Alloc`.
//!
//! **You bring** each block when it was allocated ([`Door::allocated`]) and before it is freed ([`Door::freed`]); sizes of
//! freed blocks need not be known. Of blocks that were allocated before the door was open, or while it was closed, nothing is
//! counted when they are freed. An allocator that calls another one which is told of, too, tells so
//! ([`Door::inside`]): then each block counts once.
//!
//! The door may be closed and opened again. What was held when it was closed is told until then; afterwards nobody knows what
//! became of it.

use std::collections::HashMap;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use calor_heap::{Image, Mode, Options, PythonWatch, Quick, SiteImage, Taken, Tracker};

use super::local::{Local, local};
use super::scope_event::ScopeEvent;
use super::tracked::use_loader;
use crate::process_lock::ProcessLock;

pub use calor_paths::Interpreter;

/// How blocks are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Following {
    /// Call paths of one block for every 512 KiB on average.
    Sampled,
    /// The call path of every block.
    Exact,
}

/// One for each way: what is counted for a call path differs.
static TRACKERS: [Tracker; 2] = [const { Tracker::new() }; 2];
const SAMPLED: usize = 0;
const EXACT: usize = 1;

/// Which of them is told of blocks: its number and 1; 0 while the door is closed.
static OPEN: AtomicU32 = AtomicU32::new(0);
/// The same, of the last one that was open.
static LAST: AtomicU32 = AtomicU32::new(0);
/// Those that were begun, as bits.
static BEGUN: AtomicU32 = AtomicU32::new(0);
/// Whether scopes were told of blocks since the last reset.
static HAS_COUNTED: AtomicU32 = AtomicU32::new(0);
/// What call paths did before the last reset, by their number.
static EARLIER: ProcessLock<Option<Earlier>> = ProcessLock::new();

#[cfg_attr(
    not(feature = "report"),
    expect(dead_code, reason = "only reports ask for what was before a reset")
)]
struct Earlier {
    mode: Mode,
    sites: HashMap<u32, SiteImage>,
    sizes: Vec<(u64, u64)>,
    lifetimes: Vec<(u64, u64)>,
}

impl Following {
    fn number(self) -> usize {
        match self {
            Self::Sampled => SAMPLED,
            Self::Exact => EXACT,
        }
    }
}

/// Opens the door: blocks are told from now on. `false` where there is no memory for it.
pub fn open(following: Following) -> bool {
    let number = following.number();
    let bit = 1 << number;
    if BEGUN.load(Acquire) & bit == 0 {
        use_loader();
        TRACKERS[number].restart_with([start_sampled, start_exact][number]);
        if !start(number) {
            return false;
        }
        BEGUN.fetch_or(bit, AcqRel);
    } else if OPEN.load(Acquire) != number as u32 + 1 {
        TRACKERS[number].abandon(&local().told[number]);
    }
    HAS_COUNTED.store(1, Relaxed);
    LAST.store(number as u32 + 1, Relaxed);
    OPEN.store(number as u32 + 1, Release);
    true
}

/// Closes the door: nothing is counted from now on, and what was counted stays.
pub fn close() {
    OPEN.store(0, Release);
}

/// Whether it is open.
#[must_use]
pub fn is_open() -> bool {
    OPEN.load(Relaxed) != 0
}

/// Has functions of an interpreter be parts of call paths; without one, its blocks are counted without them.
pub fn watch_python(interpreter: Option<&'static Interpreter>) {
    let watch = if interpreter.is_some() { PythonWatch::Whole } else { PythonWatch::BlocksOnly };
    TRACKERS.iter().for_each(|tracker| tracker.watch_python(watch, interpreter));
}

fn start_sampled() {
    start(SAMPLED);
}

fn start_exact() {
    start(EXACT);
}

/// Begins in this process, or in the child of a fork, which counts anew.
fn start(number: usize) -> bool {
    TRACKERS[number].start(&Options {
        mode: if number == EXACT { Mode::Exact } else { Mode::Sampled },
        sampling_bytes: Options::SAMPLING_BYTES,
        file: None,
        restarts_after_fork: true,
        knows_sizes: true,
        frees_tell_sizes: false,
        remembers_sizes: true,
    })
}

/// What was counted by the one that is told of blocks, or was last.
pub(crate) fn image() -> Option<Image> {
    let number = LAST.load(Relaxed).checked_sub(1)? as usize;
    TRACKERS[number].image().ok()
}

/// Whether scopes were told of blocks.
pub(crate) fn has_counted() -> bool {
    HAS_COUNTED.load(Relaxed) != 0
}

/// Forgets what was counted, but for what is held.
pub(crate) fn reset() {
    let open = OPEN.load(Acquire);
    HAS_COUNTED.store(u32::from(open != 0), Relaxed);
    let Some(image) = image() else { return };
    if open == 0 {
        // There is nothing to tell of until the door is opened again.
        LAST.store(0, Relaxed);
    } else {
        let number = open as usize - 1;
        TRACKERS[number].forget_peak(&local().told[number]);
    }
    let Image { mode, sites, sizes, lifetimes, .. } = image;
    let sites = sites.into_iter().map(|site| (site.number, site)).collect();
    *EARLIER.lock() = Some(Earlier { mode, sites, sizes, lifetimes });
}

/// In the child of a fork: it counts anew.
pub(crate) fn forget() {
    EARLIER.forget();
}

/// Takes out of an image what was counted before the last reset.
#[cfg(feature = "report")]
pub(crate) fn leave_out_earlier(image: &mut Image) {
    let earlier = EARLIER.lock();
    let Some(earlier) = earlier.as_ref().filter(|earlier| earlier.mode == image.mode) else { return };
    for site in &mut image.sites {
        let Some(before) = earlier.sites.get(&site.number) else { continue };
        site.allocated_bytes = site.allocated_bytes.saturating_sub(before.allocated_bytes);
        site.allocated_count = (site.allocated_count - before.allocated_count).max(0.0);
        site.freed_bytes = site.freed_bytes.saturating_sub(before.freed_bytes);
        site.freed_count = (site.freed_count - before.freed_count).max(0.0);
        site.temporary_bytes = site.temporary_bytes.saturating_sub(before.temporary_bytes);
        site.temporary_count = site.temporary_count.saturating_sub(before.temporary_count);
        site.samples = site.samples.saturating_sub(before.samples);
        site.variance = (site.variance - before.variance).max(0.0);
    }
    for (now, before) in [(&mut image.sizes, &earlier.sizes), (&mut image.lifetimes, &earlier.lifetimes)] {
        for (now, before) in now.iter_mut().zip(before) {
            *now = (now.0.saturating_sub(before.0), now.1.saturating_sub(before.1));
        }
    }
}

/// The door, as the thread that runs reaches it.
#[derive(Clone, Copy)]
pub struct Door {
    local: &'static Local,
    number: usize,
}

impl std::fmt::Debug for Door {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Door").field("number", &self.number).finish_non_exhaustive()
    }
}

/// A block that was given to `realloc`, whose outcome decides what is counted.
#[derive(Clone, Copy, Debug)]
#[must_use = "what becomes of the block has to be told"]
pub struct Moving {
    taken: Taken,
    address: usize,
    /// `None` of a block that is not known.
    size: Option<usize>,
}

impl Door {
    /// The door, if it is open and the thread is not inside an allocator that tells of its blocks already.
    #[inline(always)]
    #[must_use]
    pub fn here() -> Option<Self> {
        let number = (OPEN.load(Relaxed) as usize).checked_sub(1)?;
        let local = local();
        (local.told_depth.get() == 0).then_some(Self { local, number })
    }

    /// Runs an allocator. What it asks of others meanwhile is a part of what is told of it.
    #[inline(always)]
    pub fn inside<T>(self, run: impl FnOnce() -> T) -> T {
        let depth = &self.local.told_depth;
        depth.set(depth.get() + 1);
        let answer = run();
        depth.set(depth.get() - 1);
        answer
    }

    #[inline(always)]
    fn slot(self) -> &'static calor_heap::ThreadSlot {
        &self.local.told[self.number]
    }

    /// A block was allocated.
    #[inline(always)]
    pub fn allocated(self, address: usize, size: usize) {
        if self.number == SAMPLED {
            self.allocated_sampled(address, size);
        } else {
            self.allocated_exactly(address, size);
        }
    }

    /// A block is about to be freed.
    #[inline(always)]
    pub fn freed(self, address: usize) {
        if self.number == SAMPLED {
            if let Some(size) = TRACKERS[SAMPLED].recall(address) {
                self.freed_sampled(address, size);
            }
        } else if let Some(size) = TRACKERS[EXACT].let_go_known(self.slot(), address) {
            let scope = ScopeEvent::free(self.local, size);
            if scope.is_quick() { scope.free_quickly(self.local) } else { scope.free_and_rise(self.local) }
        }
    }

    /// A block is about to be freed that the interpreter may have kept a function in.
    #[inline(always)]
    pub fn forget_function(self, address: usize) {
        TRACKERS[self.number].forget_function(self.slot(), address);
    }

    #[inline(always)]
    fn allocated_sampled(self, address: usize, size: usize) {
        TRACKERS[SAMPLED].remember(self.slot(), address, size);
        let scope = ScopeEvent::allocation(self.local, size);
        match Quick::of(self.slot()) {
            Some(quick) if scope.is_quick() && quick.can_allocate(size) => {
                scope.allocate(self.local);
                quick.allocate(size);
            }
            _ => self.allocated_rarely(address, size),
        }
    }

    #[inline(never)]
    fn allocated_rarely(self, address: usize, size: usize) {
        ScopeEvent::allocation(self.local, size).allocate_and_rise(self.local);
        TRACKERS[SAMPLED].allocated(self.slot(), address, size);
    }

    #[inline(never)]
    fn allocated_exactly(self, address: usize, size: usize) {
        let scope = ScopeEvent::allocation(self.local, size);
        if scope.is_quick() {
            scope.allocate(self.local);
        } else {
            scope.allocate_and_rise(self.local);
        }
        TRACKERS[EXACT].allocated(self.slot(), address, size);
    }

    #[inline(always)]
    fn freed_sampled(self, address: usize, size: usize) {
        let scope = ScopeEvent::free(self.local, size);
        match Quick::of(self.slot()) {
            Some(quick) if scope.is_quick() && quick.can_free(address, size) => {
                scope.free_quickly(self.local);
                quick.free(size);
            }
            _ => self.freed_rarely(address, size),
        }
    }

    #[cold]
    #[inline(never)]
    fn freed_rarely(self, address: usize, size: usize) {
        ScopeEvent::free(self.local, size).free_and_rise(self.local);
        TRACKERS[SAMPLED].freed_sized(self.slot(), address, size);
    }

    /// A block is about to be given to `realloc`.
    #[inline(never)]
    pub fn moving(self, address: usize) -> Moving {
        let tracker = &TRACKERS[self.number];
        let remembered = if self.number == SAMPLED { tracker.recall(address) } else { None };
        let taken = tracker.take(self.slot(), address);
        let size = if self.number == SAMPLED { remembered } else { taken.is_known().then(|| taken.size()) };
        Moving { taken, address, size }
    }

    /// The `realloc` failed: the block is where it was.
    #[cold]
    #[inline(never)]
    pub fn stayed(self, moving: Moving) {
        let tracker = &TRACKERS[self.number];
        if let Some(size) = moving.size.filter(|_| self.number == SAMPLED) {
            tracker.remember(self.slot(), moving.address, size);
        }
        tracker.put_back(self.slot(), moving.taken);
    }

    /// The `realloc` succeeded: the block is gone, and another is there.
    #[inline(never)]
    pub fn moved(self, moving: Moving, address: usize, size: usize) {
        let Some(old_size) = moving.size else { return self.allocated(address, size) };
        ScopeEvent::free(self.local, old_size).free_and_rise(self.local);
        ScopeEvent::allocation(self.local, size).allocate_and_rise(self.local);
        let tracker = &TRACKERS[self.number];
        if self.number == SAMPLED {
            tracker.remember(self.slot(), address, size);
        }
        tracker.reallocated_sized(self.slot(), moving.taken, old_size, address, size);
    }
}
