//! Memory to measure: aligned to large pages, and on large pages where the system has them. On small ones each run would get
//! other physical pages, some of which share sets of a cache, and the bandwidth of the second tier would differ from run to run.

#![expect(
    unsafe_code,
    reason = "memory of a given alignment, told to lie on large pages before it is touched"
)]

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

/// A large page of most processors.
const PAGE: usize = 2 << 20;

/// Zeros, of a length in whole large pages.
#[derive(Debug)]
pub(crate) struct Buffer {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the memory belongs to this value alone, like that of a box.
unsafe impl Send for Buffer {}

impl Buffer {
    /// At least so many bytes; `None` where the system does not give them.
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        let size = bytes.max(1).checked_next_multiple_of(PAGE)?;
        let layout = Layout::from_size_align(size, PAGE).ok()?;
        // SAFETY: the layout is not empty.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        let buffer = Self { start, layout };
        buffer.ask_for_large_pages();
        // SAFETY: all of it was just allocated and belongs to us.
        unsafe { buffer.start.as_ptr().write_bytes(0, layout.size()) };
        Some(buffer)
    }

    /// Its bytes; the length is a multiple of any line and any vector.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: `new` has written all of it, and the borrow lasts as long as the slice.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
    }

    /// Where it is refused, small pages do as well.
    #[cfg(target_os = "linux")]
    fn ask_for_large_pages(&self) {
        let start = self.start.as_ptr().cast();
        // SAFETY: the range is our own allocation, and the advice changes no content.
        let _ = unsafe { rustix::mm::madvise(start, self.layout.size(), rustix::mm::Advice::LinuxHugepage) };
    }

    #[cfg(not(target_os = "linux"))]
    fn ask_for_large_pages(&self) {}
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout, and freed once.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_zero_aligned_and_at_least_as_long_as_asked() {
        let mut buffer = Buffer::new(5_000_000).expect("there is memory");
        let bytes = buffer.bytes();
        assert!(bytes.len() >= 5_000_000 && bytes.len().is_multiple_of(PAGE));
        assert!(bytes.as_ptr().addr().is_multiple_of(PAGE) && bytes.iter().all(|byte| *byte == 0));
        assert!(Buffer::new(usize::MAX).is_none());
    }
}
