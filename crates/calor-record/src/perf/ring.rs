//! The ring that the kernel writes records of one processor into. Records are looked at where they lie and
//! given back when they have been dealt with; only one that wraps around the end is copied.

#![expect(unsafe_code, reason = "the ring is memory shared with the kernel")]

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicU64, Ordering};

use perf_event_open_sys::bindings;

use super::event::Event;
use super::record::{SAMPLE_TASK_AT, SAMPLE_TIME_AT, TIME_BEFORE_END};

/// A mapped ring.
#[derive(Debug)]
pub(super) struct Ring {
    event: Event,
    base: *mut u8,
    page: usize,
    size: usize,
    /// Up to where the kernel had written when it was last asked.
    head: u64,
    /// Up to where records have been dealt with.
    tail: u64,
    /// Up to where samples have been announced.
    announced: u64,
    wrapped: Vec<u8>,
}

// SAFETY: the mapping belongs to this value alone; the kernel's side is reached through atomics.
unsafe impl Send for Ring {}

impl Ring {
    /// Maps the ring of an event; `size` is a power of two of pages.
    pub(super) fn new(event: Event, size: usize) -> io::Result<Self> {
        // SAFETY: asking for the page size cannot fail or do harm.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new shared mapping of an open descriptor, at an address of the kernel's choice.
        let base = unsafe {
            libc::mmap(std::ptr::null_mut(), page + size, protection, libc::MAP_SHARED, event.as_raw_fd(), 0)
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { event, base: base.cast(), page, size, head: 0, tail: 0, announced: 0, wrapped: Vec::new() })
    }

    pub(super) fn event(&self) -> &Event {
        &self.event
    }

    fn control(&self) -> *mut bindings::perf_event_mmap_page {
        self.base.cast()
    }

    /// Looks how far the kernel has written.
    pub(super) fn look(&mut self) {
        // SAFETY: the control page is mapped as long as this value lives, and the field is aligned.
        let head = unsafe { AtomicU64::from_ptr(&raw mut (*self.control()).data_head) };
        self.head = head.load(Ordering::Acquire);
    }

    /// A word of the ring. Records are multiples of eight bytes, so that a word never wraps.
    fn word(&self, at: u64) -> u64 {
        let offset = self.page + (usize::try_from(at).unwrap_or(0) & (self.size - 1) & !7);
        // SAFETY: the offset is inside the mapping and aligned; the kernel does not write between tail and head.
        unsafe { self.base.add(offset).cast::<u64>().read() }
    }

    fn front_header(&self) -> Option<(u32, u64)> {
        if self.tail >= self.head {
            return None;
        }
        let header = self.word(self.tail);
        let (kind, length) = (header as u32, header >> 48);
        // A record without a length would never be passed; the kernel writes none.
        Some((kind, length.max(8)))
    }

    /// Tells of each sample that was not told of yet: its process, thread and time.
    pub(super) fn announce(&mut self, mut tell: impl FnMut(i32, i32, u64)) {
        self.announced = self.announced.max(self.tail);
        while self.announced < self.head {
            let header = self.word(self.announced);
            if header as u32 == bindings::PERF_RECORD_SAMPLE {
                let task = self.word(self.announced + SAMPLE_TASK_AT);
                let (pid, tid) = ((task as u32).cast_signed(), ((task >> 32) as u32).cast_signed());
                tell(pid, tid, self.word(self.announced + SAMPLE_TIME_AT));
            }
            self.announced += (header >> 48).max(8);
        }
    }

    /// When the oldest record was written.
    pub(super) fn front_time(&self) -> Option<u64> {
        let (kind, length) = self.front_header()?;
        Some(self.word(if kind == bindings::PERF_RECORD_SAMPLE {
            self.tail + SAMPLE_TIME_AT
        } else {
            self.tail + length.saturating_sub(TIME_BEFORE_END)
        }))
    }

    /// The oldest record, whole.
    pub(super) fn front(&mut self) -> Option<&[u8]> {
        let (_, length) = self.front_header()?;
        let length = usize::try_from(length).unwrap_or(8);
        let offset = usize::try_from(self.tail).unwrap_or(0) & (self.size - 1);
        if offset + length <= self.size {
            // SAFETY: the range is inside the mapping, and the kernel does not write between tail and head.
            return Some(unsafe { std::slice::from_raw_parts(self.base.add(self.page + offset), length) });
        }
        self.wrapped.clear();
        // SAFETY: both ranges are inside the mapping, and the kernel does not write between tail and head.
        let (end, start) = unsafe {
            let ring = self.base.add(self.page);
            (
                std::slice::from_raw_parts(ring.add(offset), self.size - offset),
                std::slice::from_raw_parts(ring, (length - (self.size - offset)).min(self.size)),
            )
        };
        self.wrapped.extend_from_slice(end);
        self.wrapped.extend_from_slice(start);
        Some(&self.wrapped)
    }

    /// Gives the oldest record's room back to the kernel.
    pub(super) fn pass(&mut self) {
        let Some((_, length)) = self.front_header() else { return };
        self.tail += length;
        // SAFETY: the control page is mapped as long as this value lives, and the field is aligned.
        let tail = unsafe { AtomicU64::from_ptr(&raw mut (*self.control()).data_tail) };
        tail.store(self.tail, Ordering::Release);
    }
}

impl AsRawFd for Ring {
    fn as_raw_fd(&self) -> RawFd {
        self.event.as_raw_fd()
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this length, and no reference into it outlives this value.
        unsafe { libc::munmap(self.base.cast(), self.page + self.size) };
    }
}
