//! The doors' way in: what became of a block.
//!
//! # Safety
//! The state is set once it is ready and never given back; threads likewise. Functions are called by addresses that the door
//! said are theirs.

mod abandoned;
mod own;
mod python;
mod remembered;

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize};

use calor_paths::sys::{self, AfterFork};
use calor_paths::{Interpreter, Registers, Rules};

use crate::exact;
use crate::layout::{Mode, bump};
use crate::options::Options;
use crate::quick::Quick;
use crate::sampled::{self, Sample};
use crate::shadow::{Block, fetch};
use crate::state::State;
use crate::thread::{Lost, Thread, ThreadSlot, Whose};

/// The heap of a process, as one door sees it: a static of the door's.
pub struct Tracker {
    pub(crate) state: AtomicPtr<State>,
    rules: AtomicUsize,
    /// The mode, also while the child of a fork has not begun yet; 0 before the first start.
    way: AtomicU32,
    /// The process that could not be watched: it is not tried again.
    failed: AtomicU32,
    restart: AtomicUsize,
    /// The interpreter in this process, if there is one, and what is watched of it.
    interpreter: AtomicPtr<Interpreter>,
    python: AtomicU32,
}

/// A block that was taken out before a `realloc`, whose outcome decides what is counted.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    address: usize,
    block: Option<Block>,
    sample: Option<Sample>,
}

impl Taken {
    /// Whether anything is known of the block.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.block.is_some() || self.sample.is_some()
    }

    /// Its size, 0 when that is not known.
    #[must_use]
    pub fn size(&self) -> usize {
        self.block.map_or(0, |block| block.size as usize)
    }
}

impl Tracker {
    /// A heap that is not watched.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a tracker is a static, and Default is not const")]
    pub const fn new() -> Self {
        Self {
            state: AtomicPtr::new(core::ptr::null_mut()),
            rules: AtomicUsize::new(0),
            way: AtomicU32::new(0),
            failed: AtomicU32::new(0),
            restart: AtomicUsize::new(0),
            interpreter: AtomicPtr::new(core::ptr::null_mut()),
            python: AtomicU32::new(0),
        }
    }

    /// What to call in the child of a fork before its first event: it starts the tracker anew.
    pub fn restart_with(&self, restart: fn()) {
        self.restart.store(restart as usize, Relaxed);
    }

    /// Begins to watch. `false` when there is no memory for it, or no file. Called by one thread at a time.
    pub fn start(&self, options: &Options<'_>) -> bool {
        let after_fork = if options.restarts_after_fork { AfterFork::Zeroed } else { AfterFork::Kept };
        let rules = match self.rules.load(Relaxed) {
            0 => Rules::new(after_fork),
            address => Some(Rules::at(address)),
        };
        let Some(rules) = rules else { return false };
        self.rules.store(rules.address(), Relaxed);
        let state = match self.state.load(Acquire) {
            state if !state.is_null() => Some(state),
            _ => sys::map_private(size_of::<State>(), after_fork).map(|memory| memory.cast().as_ptr()),
        };
        let Some(state) = state else { return false };
        let is_started = unsafe { (*state).start(options, rules) };
        if is_started {
            self.way.store(options.mode as u32, Relaxed);
            self.state.store(state, core::sync::atomic::Ordering::Release);
            self.show_python();
        }
        is_started
    }

    /// Whether, and how, the heap is watched.
    #[inline(always)]
    #[must_use]
    pub fn mode(&self) -> Option<Mode> {
        self.state().and_then(State::mode)
    }

    #[inline(always)]
    fn state(&self) -> Option<&State> {
        unsafe { self.state.load(Acquire).as_ref() }
    }

    /// The thread that runs, unless it is inside the core already.
    #[inline(always)]
    fn enter<'a>(&'a self, slot: &ThreadSlot) -> Option<(&'a State, &'a Thread, Mode)> {
        let state = self.state()?;
        let thread = unsafe { slot.get().as_ref() };
        match thread {
            Some(thread) if thread.is_ready.get() => {
                if thread.is_busy.get() {
                    bump(&thread.block().nested, 1);
                    return None;
                }
                thread.come_in();
                let mode = state.mode()?;
                Some((state, thread, mode))
            }
            _ => self.enter_anew(slot),
        }
    }

    #[cold]
    #[inline(never)]
    fn enter_anew<'a>(&'a self, slot: &ThreadSlot) -> Option<(&'a State, &'a Thread, Mode)> {
        let process = sys::process_id();
        if self.failed.load(Relaxed) == process {
            return None;
        }
        if self.mode().is_none() {
            let restart = self.restart.load(Relaxed);
            // Until the restart has come to its end, nothing is watched: it must not call itself.
            self.failed.store(process, Relaxed);
            if restart == 0 {
                return None;
            }
            let restart = unsafe { core::mem::transmute::<usize, fn()>(restart) };
            restart();
            self.mode()?;
            self.failed.store(0, Relaxed);
        }
        let state = self.state()?;
        let thread = match Thread::obtain(state, Whose::Program) {
            Ok(thread) => thread,
            Err(lost) => {
                let count = match lost {
                    Lost::Inside => &state.header().nested,
                    Lost::NoRoom => &state.header().threads_lost,
                };
                count.fetch_add(1, AcqRel);
                return None;
            }
        };
        slot.set(thread);
        Some((state, unsafe { &*thread }, state.mode()?))
    }

    /// A block was allocated.
    #[inline(always)]
    pub fn allocated(&self, slot: &ThreadSlot, address: usize, size: usize) {
        if !self.is_quiet(slot, size) {
            let Registers { pc, sp, bp } = Registers::here();
            self.follow(slot, address, size, pc, sp, bp);
        }
    }

    /// The same for a block whose size nobody knows when it is freed: when blocks are sampled, what is held in such
    /// blocks is known by the sampled ones alone.
    #[inline(always)]
    pub fn allocated_unsized(&self, slot: &ThreadSlot, address: usize, size: usize) {
        if !self.is_quiet(slot, size) {
            self.follow_unsized(slot, address, size, Registers::here());
        }
    }

    #[inline(never)]
    fn follow_unsized(&self, slot: &ThreadSlot, address: usize, size: usize, registers: Registers) {
        self.follow_any(slot, address, size, registers, true);
    }

    /// Counts a block that was allocated, if that is all that is to be done for it, as it is for most blocks of a sampled
    /// heap. Otherwise nothing was done.
    #[inline(always)]
    fn is_quiet(&self, slot: &ThreadSlot, size: usize) -> bool {
        let quick = if self.is_sampled() { Quick::of(slot) } else { None };
        let quick = quick.filter(|quick| quick.can_allocate(size));
        if let Some(quick) = quick {
            quick.allocate(size);
        }
        quick.is_some()
    }

    /// Adds to what is held, for a door that knows of freed blocks only what the allocator reckons: `size` is its
    /// reckoning of a block that was allocated. Whether it was added: not before the first event of a thread.
    #[inline(always)]
    pub fn reckon(&self, slot: &ThreadSlot, size: impl FnOnce() -> usize) -> bool {
        let own = if self.is_sampled() { Thread::block_of(slot) } else { None };
        if let Some(own) = own {
            bump(&own.reckoned_bytes, size() as u64);
        }
        own.is_some()
    }

    /// Looks whether the heap is at its peak, after something was added to what is held.
    #[cold]
    #[inline(never)]
    pub fn look(&self, slot: &ThreadSlot) {
        if let Some((state, thread, mode)) = self.enter(slot) {
            if mode == Mode::Sampled {
                sampled::look(state, thread);
            }
            thread.leave();
        }
    }

    /// Whether some blocks are watched and not all.
    #[inline(always)]
    #[must_use]
    pub fn is_sampling(&self) -> bool {
        self.is_sampled()
    }

    /// Counts a block that is about to be freed if that is all, as in [`is_quiet`](Self::is_quiet).
    #[inline(always)]
    fn is_quiet_free(&self, slot: &ThreadSlot, address: usize, size: usize) -> bool {
        if !self.is_sampled() {
            self.expect_free(address);
            return false;
        }
        let quick = Quick::of(slot).filter(|quick| quick.can_free(address, size));
        if let Some(quick) = quick {
            quick.free(size);
        }
        quick.is_some()
    }

    /// What allocators keep before a block is needed next, and what is known of it: it comes while we look elsewhere.
    #[inline(always)]
    pub fn expect_free(&self, address: usize) {
        fetch(address.wrapping_sub(16) as *const u8);
    }

    /// A block was allocated that is not merely to be counted. The call path is that of the registers, which are those of
    /// a function that is still running: what lies between it and here need not be walked. They come one by one, since as
    /// one they would come through memory.
    #[inline(never)]
    pub fn follow(&self, slot: &ThreadSlot, address: usize, size: usize, pc: usize, sp: usize, bp: usize) {
        self.follow_any(slot, address, size, Registers { pc, sp, bp }, false);
    }

    #[inline(always)]
    fn follow_any(
        &self,
        slot: &ThreadSlot,
        address: usize,
        size: usize,
        registers: Registers,
        is_unsized: bool,
    ) {
        let Some((state, thread, mode)) = self.enter(slot) else { return };
        match mode {
            Mode::Exact => exact::allocated(state, thread, address, size, registers),
            Mode::Sampled if sampled::count_down(thread.block(), size) => {
                sampled::due(state, thread, address, size, registers, is_unsized);
            }
            Mode::Sampled => {}
        }
        thread.leave();
        state.paths.greet_python(&thread.walker);
    }

    /// A block is about to be freed: told before, since afterwards another thread may get it.
    #[inline(always)]
    pub fn freed(&self, slot: &ThreadSlot, address: usize) {
        self.freed_sized(slot, address, 0);
    }

    /// The same by a door that knows the size.
    #[inline(always)]
    pub fn freed_sized(&self, slot: &ThreadSlot, address: usize, size: usize) {
        if !self.is_quiet_free(slot, address, size) {
            self.let_go(slot, address, size);
        }
    }

    /// The same where it is not merely to be counted.
    #[inline(never)]
    pub fn let_go(&self, slot: &ThreadSlot, address: usize, size: usize) {
        let Some((state, thread, mode)) = self.enter(slot) else { return };
        match mode {
            Mode::Exact => match state.shadow.remove(address) {
                Some(block) => exact::freed(state, thread, address, state.shadow.sized(block, size)),
                None => bump(&thread.block().unknown_frees, 1),
            },
            Mode::Sampled => sampled::freed(state, thread, address, size),
        }
        thread.leave();
    }

    /// A block is about to be freed inside another allocator: it may have been told of, or be a part of one that was.
    #[inline(never)]
    pub fn let_go_inside(&self, slot: &ThreadSlot, address: usize) {
        let Some((state, thread, Mode::Exact)) = self.enter(slot) else { return };
        if let Some(block) = state.shadow.remove(address) {
            exact::freed(state, thread, address, block);
        }
        thread.leave();
    }

    #[inline(always)]
    fn is_sampled(&self) -> bool {
        self.way.load(Relaxed) == Mode::Sampled as u32
    }

    /// A block is about to be given to `realloc`.
    #[inline(always)]
    pub fn take(&self, slot: &ThreadSlot, address: usize) -> Taken {
        let mut taken = Taken { address, block: None, sample: None };
        let Some(state) = self.state() else { return taken };
        if self.is_sampled() && !state.samples.may_hold(address) {
            return taken;
        }
        let Some((state, thread, mode)) = self.enter(slot) else { return taken };
        if mode == Mode::Exact {
            taken.block = state.shadow.remove(address);
        }
        if mode == Mode::Sampled || taken.block.is_some_and(|block| block.is_sampled) {
            taken.sample = sampled::ended(state, address);
        }
        thread.leave();
        taken
    }

    /// A block that was taken out is gone.
    pub fn freed_taken(&self, slot: &ThreadSlot, taken: Taken) {
        self.shrunk(slot, taken, 0, 0);
    }

    /// Of a block that was taken out only `size` bytes are left, which begin at `address`.
    pub fn shrunk(&self, slot: &ThreadSlot, taken: Taken, address: usize, size: usize) {
        let Some((state, thread, _)) = self.enter(slot) else { return };
        match (taken.block, taken.sample) {
            (Some(block), _) if size == 0 => exact::freed(state, thread, taken.address, block.taken()),
            (Some(block), _) => exact::shrunk(state, thread, block, address, size as u64),
            // What is left of a sampled one is not followed.
            (None, Some(sample)) => sampled::uncount(state, thread, sample),
            (None, None) => {}
        }
        thread.leave();
    }

    /// The `realloc` failed: the block is still there.
    pub fn put_back(&self, slot: &ThreadSlot, taken: Taken) {
        if !taken.is_known() {
            return;
        }
        let Some((state, thread, _)) = self.enter(slot) else { return };
        if let Some(sample) = taken.sample {
            let _ = state.samples.insert(taken.address, sample);
        }
        if let Some(block) = taken.block {
            state.shadow.insert(taken.address, block, state.after_fork());
        }
        thread.leave();
    }

    /// The `realloc` succeeded: the block is gone, and another is there.
    #[inline(always)]
    pub fn reallocated(&self, slot: &ThreadSlot, taken: Taken, address: usize, size: usize) {
        self.reallocated_sized(slot, taken, 0, address, size);
    }

    /// The same for a block whose size nobody knows when it is freed.
    #[inline(always)]
    pub fn reallocated_unsized(&self, slot: &ThreadSlot, taken: Taken, address: usize, size: usize) {
        self.replaced(slot, taken, 0);
        self.allocated_unsized(slot, address, size);
    }

    /// The same by a door that knows the old size.
    #[inline(always)]
    pub fn reallocated_sized(
        &self,
        slot: &ThreadSlot,
        taken: Taken,
        old_size: usize,
        address: usize,
        size: usize,
    ) {
        self.replaced(slot, taken, old_size);
        self.allocated(slot, address, size);
    }

    /// Another block is there in the place of one that was taken out.
    #[inline(always)]
    fn replaced(&self, slot: &ThreadSlot, taken: Taken, old_size: usize) {
        if self.is_sampled() && taken.sample.is_none() && self.is_quiet_free(slot, taken.address, old_size) {
            return;
        }
        if let Some((state, thread, mode)) = self.enter(slot) {
            match (mode, taken.block) {
                (Mode::Exact, Some(block)) => {
                    let block = state.shadow.sized(block.taken(), old_size);
                    exact::freed(state, thread, taken.address, block);
                }
                (Mode::Exact, None) => bump(&thread.block().unknown_frees, 1),
                (Mode::Sampled, _) => {
                    bump(&thread.block().freed_bytes, old_size as u64);
                    bump(&thread.block().freed_count, 1);
                    if let Some(sample) = taken.sample {
                        sampled::uncount(state, thread, sample);
                    }
                }
            }
            thread.leave();
        }
    }

    /// What was counted so far.
    ///
    /// # Errors
    /// When nothing is watched.
    #[cfg(feature = "read")]
    pub fn image(&self) -> Result<crate::Image, calor_paths::ImageError> {
        let state =
            self.state().filter(|state| state.mode().is_some()).ok_or(calor_paths::ImageError::NotStarted)?;
        let header = state.paths.region().header();
        let length = header.length.load(Relaxed);
        let base = core::ptr::from_ref(header).cast::<u8>();
        crate::Image::read(&|offset| {
            if offset % 8 != 0 || offset.checked_add(8)? > length {
                return None;
            }
            let word = unsafe { &*base.add(offset as usize).cast::<core::sync::atomic::AtomicU64>() };
            Some(word.load(Relaxed))
        })
    }

    /// A file was unloaded: what was known of its code may be wrong for what is loaded there next.
    pub fn forget_code(&self) {
        let rules = self.rules.load(Relaxed);
        if rules != 0 {
            Rules::at(rules).clear();
        }
        if let Some(state) = self.state() {
            state.paths.forget_code();
        }
    }

    /// The process ends in an orderly way: what is not freed now was leaked.
    pub fn end(&self) {
        // The child of a `vfork` has the memory of its parent, which goes on.
        if let Some(state) = self.state()
            && state.mode().is_some()
            && let header = state.paths.region().header()
            && header.process.load(Relaxed) == sys::process_id()
        {
            header.has_ended.store(1, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
