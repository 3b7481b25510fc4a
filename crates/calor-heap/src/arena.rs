//! Blocks of the region, handed out one after the other and never taken back.

use core::ptr::NonNull;
use core::sync::atomic::Ordering::{AcqRel, Relaxed, Release};

use crate::layout::{BLOCK, Header, Kind, REGION_LENGTHS, block_entry};
use crate::sys::{self, AfterFork};

/// The region.
#[derive(Clone, Copy)]
pub(crate) struct Arena {
    base: NonNull<u8>,
}

/// The header and the table of blocks come first.
pub(crate) const TABLE_OFFSET: usize = 4096;

/// How many blocks the header and the table take in a region of `length`.
pub(crate) fn reserved_blocks(length: usize) -> usize {
    (TABLE_OFFSET + length / BLOCK * 8).div_ceil(BLOCK)
}

impl Arena {
    /// A new region, in `file` or in memory of this process.
    pub(crate) fn new(file: Option<&[u8]>) -> Option<Self> {
        for (turn, &length) in REGION_LENGTHS.iter().enumerate() {
            let base = match file {
                // A file that was made before its mapping failed stays behind, so each turn has its own name.
                Some(path) => sys::map_new_file(numbered(path, turn).as_slice(), length),
                None => sys::map_private(length, AfterFork::Kept),
            };
            if let Some(base) = base {
                let arena = Self { base };
                arena.header().length.store(length as u64, Relaxed);
                arena.header().blocks.store(reserved_blocks(length) as u32, Release);
                return Some(arena);
            }
        }
        None
    }

    /// The region whose header is at this address.
    ///
    /// # Safety
    /// The address is that of the header of a region.
    #[inline(always)]
    pub(crate) unsafe fn at(header: usize) -> Self {
        Self { base: unsafe { NonNull::new_unchecked(header as *mut u8) } }
    }

    #[inline(always)]
    pub(crate) fn header<'a>(self) -> &'a Header {
        unsafe { self.base.cast().as_ref() }
    }

    /// A block for `kind`, zeroed; `None` when the region is full.
    pub(crate) fn block(self, kind: Kind, owner: u32, index: u32) -> Option<NonNull<u8>> {
        let header = self.header();
        let length = header.length.load(Relaxed) as usize;
        let number = header.blocks.fetch_add(1, AcqRel) as usize;
        if (number + 1) * BLOCK > length {
            header.blocks.fetch_sub(1, AcqRel);
            return None;
        }
        let entry = unsafe {
            self.base.add(TABLE_OFFSET + number * 8).cast::<core::sync::atomic::AtomicU64>().as_ref()
        };
        entry.store(block_entry(kind, owner, index), Release);
        Some(unsafe { self.base.add(number * BLOCK) })
    }

    /// Where in the region an address is.
    pub(crate) fn offset_of(self, at: NonNull<u8>) -> u64 {
        at.as_ptr() as u64 - self.base.as_ptr() as u64
    }
}

/// A path with the number of the turn behind it, except the first.
fn numbered(path: &[u8], turn: usize) -> Path {
    let mut bytes = [0; 512];
    let length = path.len().min(bytes.len() - 2);
    bytes[..length].copy_from_slice(&path[..length]);
    let mut total = length;
    if turn > 0 {
        bytes[length] = b'.';
        bytes[length + 1] = b'0' + turn as u8;
        total += 2;
    }
    Path { bytes, length: total }
}

struct Path {
    bytes: [u8; 512],
    length: usize,
}

impl Path {
    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}
