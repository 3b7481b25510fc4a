//! All blocks, and which is whose. A thread takes a block when it first enters a scope and gives it back when
//! it ends; what it recorded stays in the block until somebody who reads, or needs a block, collects it.
//! Nothing here makes a recording thread wait: the list of blocks is only ever pushed to, and the one lock is
//! only tried.

#![expect(unsafe_code, reason = "blocks are reached by pointer")]

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::MutexGuard;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU64};

use crate::own_memory::as_own;
use crate::process_lock::ProcessLock;

use crate::{clock, labelled_site, time_on};

use super::block::{Block, ownership};
use super::collected::Collected;
use super::state;

static BLOCKS: AtomicPtr<Block> = AtomicPtr::new(null_mut());
static NEXT_SERIAL: AtomicU64 = AtomicU64::new(1);
static COLLECTED: ProcessLock<Collected> = ProcessLock::new();
/// Scopes entered while their thread was already being torn down, or the recorder was at work on it.
static LATE_SCOPES: AtomicU64 = AtomicU64::new(0);
/// Scopes closed on another thread than the one that opened them.
static STRAY_SCOPES: AtomicU64 = AtomicU64::new(0);
/// Stands for "no block yet" and "no block any more", so that the hot path needs no check for null.
static NOBODY: Block = Block::vacant();

thread_local! {
    /// The thread's block. Without a destructor, so that reading it is one load.
    static CURRENT: Cell<*const Block> = const { Cell::new(&raw const NOBODY) };
    static IS_ENDING: Cell<bool> = const { Cell::new(false) };
    static IS_AT_WORK: Cell<bool> = const { Cell::new(false) };
    /// Gives the block back when the thread ends.
    static OWNER: Owner = const { Owner };
}

/// The block of this thread, or one whose state matches nothing.
#[inline(always)]
pub(crate) fn current() -> &'static Block {
    // SAFETY: the cell points to a static or to a leaked block.
    unsafe { &*CURRENT.get() }
}

/// Gives the thread a block, or that of nobody; the allocator is told too.
fn set_current(block: *const Block) {
    CURRENT.set(block);
    #[cfg(feature = "told-heap")]
    crate::heap::local().block.set(if std::ptr::eq(block, &NOBODY) { std::ptr::null() } else { block });
}

/// The block of this thread, taken now if need be and told of the latest changes; `None` while the thread is
/// being torn down.
#[cold]
#[inline(never)]
pub(crate) fn current_up_to_date() -> Option<&'static Block> {
    at_work(|| {
        let block = if std::ptr::eq(current(), &NOBODY) { take_block()? } else { current() };
        let word = state::load();
        if block.adopted.get() != word {
            block.adopt(word);
        }
        Some(block)
    })
}

/// Runs work on the thread's block that allocates. A scope that an allocator or a signal handler opens meanwhile
/// finds the block half made: it gets `None`, and is counted.
pub(crate) fn at_work<T>(work: impl FnOnce() -> Option<T>) -> Option<T> {
    if IS_AT_WORK.replace(true) {
        LATE_SCOPES.fetch_add(1, Relaxed);
        return None;
    }
    #[cfg(feature = "told-heap")]
    let was_at_work = crate::heap::local().is_at_work.replace(true);
    let result = as_own(work);
    #[cfg(feature = "told-heap")]
    crate::heap::local().is_at_work.set(was_at_work);
    IS_AT_WORK.set(false);
    result
}

fn take_block() -> Option<&'static Block> {
    if IS_ENDING.get() {
        LATE_SCOPES.fetch_add(1, Relaxed);
        return None;
    }
    let block = take_free().or_else(collect_and_take).unwrap_or_else(push_new);
    block.settle_in(NEXT_SERIAL.fetch_add(1, Relaxed));
    set_current(block);
    OWNER.with(|_| {});
    Some(block)
}

/// Lends the thread another block while `run` runs; it is not among those that are read.
pub(crate) fn with_private_block<T>(block: &'static Block, run: impl FnOnce() -> T) -> T {
    let own = CURRENT.get();
    set_current(block);
    let result = run();
    set_current(own);
    result
}

/// All blocks that have or had an owner.
pub(crate) fn blocks() -> impl Iterator<Item = &'static Block> {
    // SAFETY: the list holds leaked blocks.
    let follow = |link: &AtomicPtr<Block>| unsafe { link.load(Acquire).as_ref() };
    std::iter::successors(follow(&BLOCKS), move |block: &&'static Block| follow(&block.next))
}

/// What was collected from threads that have ended. Whoever holds the lock may read blocks.
pub(crate) fn lock() -> MutexGuard<'static, Collected> {
    COLLECTED.lock()
}

/// Runs `run` unless somebody reads.
pub(crate) fn if_nobody_reads(run: impl FnOnce()) {
    if let Some(_guard) = COLLECTED.try_lock() {
        run();
    }
}

/// The same, and unless a recording has told a part of it.
pub(crate) fn if_nobody_reads_or_records(run: impl FnOnce()) {
    if let Some(collected) = COLLECTED.try_lock()
        && collected.stream.is_none()
    {
        run();
    }
}

/// How many nodes all running threads have together, about.
pub(crate) fn n_nodes() -> usize {
    blocks().filter(|block| block.is_in_use()).map(|block| block.n_nodes.load(Relaxed) as usize).sum()
}

/// The serial number and the head of each running thread's ring. Under the registry's lock.
pub(crate) fn heads() -> impl Iterator<Item = (u64, u64)> {
    blocks().filter(|block| block.is_in_use()).map(|block| (block.serial(), block.head.load(Acquire)))
}

/// The names of running threads, by their number.
#[cfg(all(feature = "sampling", target_os = "linux", target_arch = "x86_64"))]
pub(crate) fn names() -> std::collections::HashMap<u64, String> {
    let _nobody_else_reads = lock();
    blocks().filter(|block| block.is_in_use()).map(Block::identity).collect()
}

/// Losses that belong to no block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Losses {
    /// Scopes entered while their thread was being torn down, or the recorder was at work on it.
    pub(crate) late: u64,
    /// Scopes closed on another thread than the one that opened them.
    pub(crate) stray: u64,
    /// Calls that were recorded without their labels.
    pub(crate) unlabelled: u64,
}

impl Losses {
    /// Those of all time, since the last reset.
    pub(crate) fn so_far() -> Self {
        let (late, stray) = (LATE_SCOPES.load(Relaxed), STRAY_SCOPES.load(Relaxed));
        Self { late, stray, unlabelled: labelled_site::n_lost() }
    }

    /// Those that are not among earlier ones.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            late: self.late.saturating_sub(earlier.late),
            stray: self.stray.saturating_sub(earlier.stray),
            unlabelled: self.unlabelled.saturating_sub(earlier.unlabelled),
        }
    }
}

pub(crate) fn clear_losses() {
    LATE_SCOPES.store(0, Relaxed);
    STRAY_SCOPES.store(0, Relaxed);
    labelled_site::clear_lost();
}

pub(crate) fn count_stray() {
    STRAY_SCOPES.fetch_add(1, Relaxed);
}

/// In a forked child: what was recorded belongs to the parent, and only the forking thread exists.
pub(crate) fn start_afresh() {
    COLLECTED.forget();
    let own = current();
    // Who was reading it does not exist here.
    own.is_read.store(false, Relaxed);
    for block in blocks().filter(|block| !std::ptr::eq(*block, own)) {
        block.ownership.store(ownership::LEFT_BEHIND, Relaxed);
    }
    clear_losses();
    // Before the reset, which asks it.
    time_on::start_afresh(state::is_on());
    state::reset();
}

fn take_free() -> Option<&'static Block> {
    blocks().find(|block| {
        block.ownership.compare_exchange(ownership::FREE, ownership::LIVE, AcqRel, Relaxed).is_ok()
    })
}

/// Collects what ended threads left behind, which frees their blocks, and takes one.
fn collect_and_take() -> Option<&'static Block> {
    let mut collected = COLLECTED.try_lock()?;
    // Ticks cannot be told in nanoseconds yet, and this thread must not wait for that.
    if !clock::Scale::is_known() {
        return None;
    }
    collected.collect_ended();
    take_free()
}

fn push_new() -> &'static Block {
    let block = Block::leak();
    block.ownership.store(ownership::LIVE, Relaxed);
    let pointer = std::ptr::from_ref(block).cast_mut();
    let mut first = BLOCKS.load(Relaxed);
    loop {
        block.next.store(first, Relaxed);
        match BLOCKS.compare_exchange_weak(first, pointer, AcqRel, Relaxed) {
            Ok(_) => return block,
            Err(now) => first = now,
        }
    }
}

struct Owner;

impl Drop for Owner {
    fn drop(&mut self) {
        IS_ENDING.set(true);
        let block = current();
        set_current(&raw const NOBODY);
        if !std::ptr::eq(block, &NOBODY) {
            block.fold_now();
            block.forget_state();
            block.ended_at.store(clock::ticks(), Relaxed);
            block.ownership.store(ownership::ENDED, Release);
        }
    }
}
