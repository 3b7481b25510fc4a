//! The allocator: passes everything on to another one, and counts.

#![expect(unsafe_code, reason = "an allocator hands out raw memory")]

use std::alloc::{GlobalAlloc, Layout, System};

use calor_heap::walk::Registers;
use calor_heap::{Options, Taken};

use super::local::{Local, local};
use super::tracked::{self, TRACKER, Way};
use crate::recorder::memory::{self, Step};

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
// What is rare is the last thing that they do, and another function: so they need no registers saved.

/// Every call path begins with who called the allocator.
#[inline(always)]
fn allocated(way: Way, block: *mut u8, size: usize) {
    if way == Way::Exact {
        allocated_exactly(block, size, Registers::here());
    } else {
        allocated_quietly(way, block, size);
    }
}

#[inline(never)]
fn allocated_exactly(block: *mut u8, size: usize, registers: Registers) {
    if !tracked::is_installed() {
        tracked::begin(Way::Exact);
    }
    let local = local();
    if let Some(step) = count_allocated(local, size) {
        step.rise();
    }
    TRACKER.follow(&local.slot, block as usize, size, registers);
}

#[inline(never)]
fn allocated_quietly(way: Way, block: *mut u8, size: usize) {
    if !tracked::is_installed() {
        tracked::begin(way);
    }
    let local = local();
    let step = count_allocated(local, size);
    let is_quiet = way == Way::Sums || TRACKER.is_quiet(&local.slot, size);
    if step.is_none() && is_quiet {
        return;
    }
    allocated_rarely(local, step, is_quiet, block, size);
}

#[inline(never)]
fn allocated_rarely(local: &Local, step: Option<Step>, is_quiet: bool, block: *mut u8, size: usize) {
    if let Some(step) = step {
        step.rise();
    }
    if !is_quiet {
        TRACKER.follow(&local.slot, block as usize, size, Registers::here());
    }
}

#[inline(never)]
fn freed(way: Way, block: *mut u8, size: usize) {
    let local = local();
    let step = count_freed(local, size);
    let is_quiet = way == Way::Sums || TRACKER.is_quiet_free(&local.slot, block as usize, size);
    if step.is_none() && is_quiet {
        return;
    }
    freed_rarely(local, step, is_quiet, block, size);
}

#[inline(never)]
fn freed_rarely(local: &Local, step: Option<Step>, is_quiet: bool, block: *mut u8, size: usize) {
    if let Some(step) = step {
        step.rise();
    }
    if !is_quiet {
        TRACKER.let_go(&local.slot, block as usize, size);
    }
}

#[inline(never)]
fn reallocated(way: Way, taken: Taken, old_size: usize, block: *mut u8, size: usize) {
    let local = local();
    for step in [count_freed(local, old_size), count_allocated(local, size)].into_iter().flatten() {
        step.rise();
    }
    if way != Way::Sums {
        TRACKER.reallocated_sized(&local.slot, taken, old_size, block as usize, size);
    }
}

/// Outside of all scopes there is nothing to count for them.
#[inline(always)]
fn count_allocated(local: &Local, size: usize) -> Option<Step> {
    let node = memory::current()?;
    let net = local.net.get().wrapping_add(size as i64);
    local.net.set(net);
    memory::allocated(node, size, net)
}

#[inline(always)]
fn count_freed(local: &Local, size: usize) -> Option<Step> {
    let node = memory::current()?;
    let net = local.net.get().wrapping_sub(size as i64);
    local.net.set(net);
    memory::freed(node, size, net)
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
        let taken = TRACKER.take(&local().slot, block as usize);
        // SAFETY: as the caller promises.
        let new = unsafe { self.inner.realloc(block, layout, size) };
        if new.is_null() {
            TRACKER.put_back(&local().slot, taken);
            return new;
        }
        reallocated(self.way, taken, layout.size(), new, size);
        new
    }
}
