//! Records from programs in the kernel, oldest first.

#![expect(unsafe_code, reason = "the ring is memory shared with the kernel")]

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::map::{Kind, Map};

/// The kernel is still writing a record.
const BUSY: u32 = 1 << 31;
/// A record that the program took back.
const DISCARDED: u32 = 1 << 30;
const HEADER: usize = 8;

/// A ring that the kernel writes and we read.
#[derive(Debug)]
pub(crate) struct Queue {
    map: Map,
    /// A page with how far we have read, then one with how far the kernel has written, then the data, twice in a row, so
    /// that a record that wraps around is whole all the same.
    consumer: *mut u8,
    producer: *mut u8,
    page: usize,
    size: usize,
}

// SAFETY: the mappings belong to this value alone; the kernel's side is reached through atomics.
unsafe impl Send for Queue {}

impl Queue {
    /// Makes one of `size` bytes, a power of two of pages.
    pub(crate) fn new(size: usize) -> io::Result<Self> {
        let map = Map::new(Kind::Ring, 0, 0, u32::try_from(size).map_err(io::Error::other)?)?;
        // SAFETY: asking for the page size cannot fail or do harm.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
        let consumer = share(&map, page, libc::PROT_READ | libc::PROT_WRITE, 0)?;
        let producer = match share(&map, page + 2 * size, libc::PROT_READ, page) {
            Ok(producer) => producer,
            Err(error) => {
                // SAFETY: it was mapped with this length just now.
                unsafe { libc::munmap(consumer.cast(), page) };
                return Err(error);
            }
        };
        Ok(Self { map, consumer, producer, page, size })
    }

    /// Hands over all records that are there.
    pub(crate) fn read(&mut self, mut take: impl FnMut(&[u8])) {
        // SAFETY: both pages are mapped as long as this value lives, and the positions are at their beginnings.
        let (read, written) =
            unsafe { (AtomicU64::from_ptr(self.consumer.cast()), AtomicU64::from_ptr(self.producer.cast())) };
        let end = written.load(Ordering::Acquire);
        let mut at = read.load(Ordering::Relaxed);
        while at < end {
            let offset = self.page + (usize::try_from(at).unwrap_or(0) & (self.size - 1));
            // SAFETY: the offset is inside the mapping, and records are multiples of eight bytes.
            let length =
                unsafe { AtomicU32::from_ptr(self.producer.add(offset).cast()) }.load(Ordering::Acquire);
            if length & BUSY != 0 {
                break;
            }
            let size = (length & !DISCARDED) as usize;
            if size > self.size {
                break;
            }
            if length & DISCARDED == 0 {
                // SAFETY: the data is mapped twice in a row, so that a record from anywhere in the first half is inside.
                take(unsafe { std::slice::from_raw_parts(self.producer.add(offset + HEADER), size) });
            }
            at += ((size + HEADER).next_multiple_of(8)) as u64;
            read.store(at, Ordering::Release);
        }
    }
}

fn share(map: &Map, length: usize, protection: libc::c_int, offset: usize) -> io::Result<*mut u8> {
    let offset = libc::off_t::try_from(offset).map_err(io::Error::other)?;
    // SAFETY: a new shared mapping of an open descriptor, at an address of the kernel's choice.
    let base = unsafe {
        libc::mmap(std::ptr::null_mut(), length, protection, libc::MAP_SHARED, map.as_raw_fd(), offset)
    };
    if base == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(base.cast()) }
}

impl AsRawFd for Queue {
    fn as_raw_fd(&self) -> RawFd {
        self.map.as_raw_fd()
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: both were mapped with these lengths, and no reference into them outlives this value.
        unsafe {
            libc::munmap(self.consumer.cast(), self.page);
            libc::munmap(self.producer.cast(), self.page + 2 * self.size);
        }
    }
}
