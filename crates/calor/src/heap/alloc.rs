//! The allocator: passes everything on to another one, and counts.

#![expect(unsafe_code, reason = "an allocator hands out raw memory")]

use std::alloc::{GlobalAlloc, Layout, System};

use calor_heap::{Options, Quick, Taken};
use calor_paths::Registers;

use super::local::local;
use super::scope_event::ScopeEvent;
use super::tracked::{self, TRACKER, Way};

/// An allocator that counts what the one inside does. Make it the program's with `#[global_allocator]`.
///
/// ```no_run
/// #[global_allocator]
/// static ALLOCATOR: calor::Alloc = calor::Alloc::system();
/// ```
///
/// Any other allocator goes inside in the same way: `calor::Alloc::new(MiMalloc)` of the type `calor::Alloc<MiMalloc>`.
#[derive(Debug)]
pub struct Alloc<A = System> {
    inner: A,
    way: Way,
}

impl Alloc<System> {
    /// Over the allocator of the system, with sampled call paths.
    #[must_use]
    pub const fn system() -> Self {
        Self::new(System)
    }
}

impl<A> Alloc<A> {
    /// Over any allocator. Call paths are those of one block for every 512 KiB on average: cheap enough to leave on.
    #[must_use]
    pub const fn new(inner: A) -> Self {
        Self::sampled(inner, Options::SAMPLING_BYTES)
    }

    /// Call paths of one block for every so many bytes on average.
    #[must_use]
    pub const fn sampled(inner: A, bytes: u64) -> Self {
        Self { inner, way: Way::Sampled(if bytes < 1024 { 1024 } else { bytes }) }
    }

    /// The call path of every block: exact figures, at about the cost of a second allocator.
    #[must_use]
    pub const fn exact(inner: A) -> Self {
        Self { inner, way: Way::Exact }
    }

    /// No call paths: only what scopes allocate and free.
    #[must_use]
    pub const fn sums(inner: A) -> Self {
        Self { inner, way: Way::Sums }
    }
}

// These are functions of this crate, not of the program's, though allocators are generic: only here does the compiler
// reach thread-local storage without a call.
//
// What most events do is asked first and done then, all or nothing. So what is rare is another function that is called
// last, and no registers have to be saved for it.

/// Every call path begins with who called the allocator.
#[inline(always)]
fn allocated(way: Way, block: *mut u8, size: usize) {
    match way {
        Way::Sampled(_) => allocated_sampled(block, size, way),
        Way::Exact => {
            let Registers { pc, sp, bp } = Registers::here();
            allocated_exactly(block, size, pc, sp, bp);
        }
        Way::Sums => allocated_uncounted(block, size),
    }
}

#[inline(always)]
fn freed(way: Way, block: *mut u8, size: usize) {
    match way {
        Way::Sampled(_) => freed_sampled(block, size),
        Way::Exact => freed_exactly(block, size),
        Way::Sums => freed_uncounted(size),
    }
}

#[inline(never)]
fn allocated_sampled(block: *mut u8, size: usize, way: Way) {
    let local = local();
    let scope = ScopeEvent::allocation(local, size);
    match Quick::of(&local.slot) {
        Some(quick) if scope.is_quick() && quick.can_allocate(size) => {
            scope.allocate(local);
            quick.allocate(size);
        }
        _ => allocated_rarely(block, size, way),
    }
}

#[inline(never)]
fn allocated_rarely(block: *mut u8, size: usize, way: Way) {
    if !tracked::is_installed() {
        tracked::begin(way);
    }
    let local = local();
    ScopeEvent::allocation(local, size).allocate_and_rise(local);
    match Quick::of(&local.slot) {
        // While a scope grows, each block is the most that it held, and for the thread one as any other.
        Some(quick) if matches!(way, Way::Sampled(_)) && quick.can_allocate(size) => quick.allocate(size),
        _ if way == Way::Sums => {}
        _ => {
            let Registers { pc, sp, bp } = Registers::here();
            TRACKER.follow(&local.slot, block as usize, size, pc, sp, bp);
        }
    }
}

#[inline(never)]
fn freed_sampled(block: *mut u8, size: usize) {
    let local = local();
    let scope = ScopeEvent::free(local, size);
    match Quick::of(&local.slot) {
        Some(quick) if scope.is_quick() && quick.can_free(block as usize, size) => {
            scope.free_quickly(local);
            quick.free(size);
        }
        _ => freed_rarely(block, size),
    }
}

#[cold]
#[inline(never)]
fn freed_rarely(block: *mut u8, size: usize) {
    let local = local();
    ScopeEvent::free(local, size).free_and_rise(local);
    TRACKER.let_go(&local.slot, block as usize, size);
}

#[inline(never)]
fn allocated_exactly(block: *mut u8, size: usize, pc: usize, sp: usize, bp: usize) {
    let local = local();
    let scope = ScopeEvent::allocation(local, size);
    if !scope.is_quick() || !tracked::is_installed() {
        return allocated_exactly_and_rarely(block, size, pc, sp, bp);
    }
    scope.allocate(local);
    TRACKER.follow(&local.slot, block as usize, size, pc, sp, bp);
}

#[cold]
#[inline(never)]
fn allocated_exactly_and_rarely(block: *mut u8, size: usize, pc: usize, sp: usize, bp: usize) {
    if !tracked::is_installed() {
        tracked::begin(Way::Exact);
    }
    let local = local();
    ScopeEvent::allocation(local, size).allocate_and_rise(local);
    TRACKER.follow(&local.slot, block as usize, size, pc, sp, bp);
}

#[inline(never)]
fn freed_exactly(block: *mut u8, size: usize) {
    TRACKER.expect_free(block as usize);
    let local = local();
    let scope = ScopeEvent::free(local, size);
    if !scope.is_quick() {
        return freed_rarely(block, size);
    }
    scope.free_quickly(local);
    TRACKER.let_go(&local.slot, block as usize, size);
}

#[inline(never)]
fn allocated_uncounted(block: *mut u8, size: usize) {
    let local = local();
    let scope = ScopeEvent::allocation(local, size);
    if scope.is_quick() && tracked::is_installed() {
        scope.allocate(local);
    } else {
        allocated_rarely(block, size, Way::Sums);
    }
}

#[inline(never)]
fn freed_uncounted(size: usize) {
    let local = local();
    ScopeEvent::free(local, size).count_free(local);
}

#[inline(never)]
fn resized_uncounted(old_size: usize, size: usize) {
    let local = local();
    ScopeEvent::free(local, old_size).count_free(local);
    let scope = ScopeEvent::allocation(local, size);
    if scope.is_quick() { scope.allocate(local) } else { scope.allocate_and_rise(local) }
}

#[inline(never)]
fn taken(block: *mut u8) -> Taken {
    TRACKER.take(&local().slot, block as usize)
}

#[cold]
#[inline(never)]
fn put_back(taken: Taken) {
    TRACKER.put_back(&local().slot, taken);
}

#[inline(never)]
fn reallocated(taken: Taken, old_size: usize, block: *mut u8, size: usize) {
    let local = local();
    ScopeEvent::free(local, old_size).free_and_rise(local);
    ScopeEvent::allocation(local, size).allocate_and_rise(local);
    TRACKER.reallocated_sized(&local.slot, taken, old_size, block as usize, size);
}

// SAFETY: every call is passed on with the same arguments, and its answer is given back as it is.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Alloc<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let block = unsafe { self.inner.alloc(layout) };
        if !block.is_null() {
            allocated(self.way, block, layout.size());
        }
        block
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let block = unsafe { self.inner.alloc_zeroed(layout) };
        if !block.is_null() {
            allocated(self.way, block, layout.size());
        }
        block
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        freed(self.way, block, layout.size());
        // SAFETY: as the caller promises.
        unsafe { self.inner.dealloc(block, layout) };
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Nobody has to know where a block was that is merely counted.
        let taken = (self.way != Way::Sums).then(|| taken(block));
        // SAFETY: as the caller promises.
        let new = unsafe { self.inner.realloc(block, layout, size) };
        match taken {
            Some(taken) if new.is_null() => put_back(taken),
            Some(taken) => reallocated(taken, layout.size(), new, size),
            None if new.is_null() => {}
            None => resized_uncounted(layout.size(), size),
        }
        new
    }
}
