//! The heap when it is compiled out: the allocator passes everything on, and there is nothing to look at.

#![expect(unsafe_code, reason = "an allocator hands out raw memory")]

use std::alloc::{GlobalAlloc, Layout, System};

/// An allocator that is the one inside it.
#[derive(Debug)]
pub struct Alloc<A = System> {
    inner: A,
}

impl Alloc<System> {
    /// The allocator of the system.
    #[must_use]
    pub const fn system() -> Self {
        Self::new(System)
    }
}

impl<A> Alloc<A> {
    /// The allocator that is given.
    #[must_use]
    pub const fn new(inner: A) -> Self {
        Self { inner }
    }

    /// The allocator that is given.
    #[must_use]
    pub const fn sampled(inner: A, _bytes: u64) -> Self {
        Self { inner }
    }

    /// The allocator that is given.
    #[must_use]
    pub const fn exact(inner: A) -> Self {
        Self { inner }
    }

    /// The allocator that is given.
    #[must_use]
    pub const fn sums(inner: A) -> Self {
        Self { inner }
    }
}

// SAFETY: every call is passed on with the same arguments, and its answer is given back as it is.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Alloc<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { self.inner.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { self.inner.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { self.inner.dealloc(block, layout) };
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { self.inner.realloc(block, layout, size) }
    }
}
