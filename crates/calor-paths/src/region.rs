//! Blocks of the region, handed out one after the other and never taken back.
//!
//! # Safety
//! A region is mapped for as long as its process runs, and all of its types are valid as zeros. Blocks are handed out once each,
//! and lie inside the region because their numbers are compared with its length.

use core::ptr::NonNull;
use core::sync::atomic::Ordering::{AcqRel, Relaxed, Release};

use crate::layout::{
    BLOCK, Header, Kind, OWNER_OFFSET, REGION_LENGTHS, TABLE_OFFSET, block_entry, load_bytes, store_bytes,
};
use crate::sys::{self, AfterFork};

/// The region.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    base: NonNull<u8>,
}

/// How many blocks the header and the table take in a region of `length`.
pub(crate) fn reserved_blocks(length: usize) -> usize {
    (TABLE_OFFSET + length / BLOCK * 8).div_ceil(BLOCK)
}

/// Where there is less room than this for files, each block is made sure of.
const PLENTY: u64 = 256 << 20;
/// On systems that cannot make sure of memory, so much has to be left.
const LEAST: u64 = 4 << 20;

impl Region {
    /// A new region, in `file` or in memory of this process.
    #[must_use]
    pub fn new(file: Option<&[u8]>) -> Option<Self> {
        for length in REGION_LENGTHS {
            let base = match file {
                Some(path) => sys::map_new_file(path, length),
                None => sys::map_private(length, AfterFork::Kept),
            };
            let Some(base) = base else { continue };
            let region = Self { base };
            if file.is_some_and(|path| !has_room(path, base, BLOCK)) {
                sys::unmap(base, length);
                return None;
            }
            region.header().length.store(length as u64, Relaxed);
            store_bytes(&region.header().path, file.unwrap_or_default());
            region.header().blocks.store(reserved_blocks(length) as u32, Release);
            return Some(region);
        }
        if let Some(path) = file {
            sys::leave_sign(path);
        }
        None
    }

    /// Gives the region back: nothing was counted.
    pub fn give_back(self) {
        sys::unmap(self.base, self.header().length.load(Relaxed) as usize);
    }

    /// The region whose header is at this address.
    ///
    /// # Safety
    /// The address is that of the header of a region.
    #[inline(always)]
    #[must_use]
    pub unsafe fn at(header: usize) -> Self {
        Self { base: unsafe { NonNull::new_unchecked(header as *mut u8) } }
    }

    /// Its own header.
    #[inline(always)]
    #[must_use]
    pub fn header<'a>(self) -> &'a Header {
        unsafe { self.base.cast().as_ref() }
    }

    /// The header of whoever counts in the region.
    ///
    /// # Safety
    /// All of its bytes may be zeros, and it is reached as this type alone.
    #[inline(always)]
    #[must_use]
    pub unsafe fn owner_header<'a, T>(self) -> &'a T {
        const { assert!(size_of::<T>() <= TABLE_OFFSET - OWNER_OFFSET && align_of::<T>() <= 64) };
        unsafe { self.base.add(OWNER_OFFSET).cast().as_ref() }
    }

    /// A block for `kind`, zeroed; `None` when the region is full.
    #[must_use]
    pub fn block(self, kind: Kind, owner: u32, index: u32) -> Option<NonNull<u8>> {
        let header = self.header();
        let length = header.length.load(Relaxed) as usize;
        let number = header.blocks.fetch_add(1, AcqRel) as usize;
        if (number + 1) * BLOCK > length {
            header.blocks.fetch_sub(1, AcqRel);
            return None;
        }
        let entry = unsafe { self.base.add(TABLE_OFFSET + number * 8) };
        let block = unsafe { self.base.add(number * BLOCK) };
        let page = unsafe { self.base.add((TABLE_OFFSET + number * 8) & !4095) };
        let mut path = [0; 512];
        let path = load_bytes(&header.path, &mut path);
        let has_all = || has_room(path, block, BLOCK) && has_room(path, page, 4096);
        if !path.is_empty() && !has_all() {
            return None;
        }
        let entry = unsafe { entry.cast::<core::sync::atomic::AtomicU64>().as_ref() };
        entry.store(block_entry(kind, owner, index), Release);
        Some(block)
    }
}

/// Whether memory of the file at `path` may be touched.
fn has_room(path: &[u8], at: NonNull<u8>, length: usize) -> bool {
    match sys::room_beside(path) {
        Some(room) if room >= PLENTY => true,
        room => sys::is_backed(at, length) || room.is_some_and(|room| room >= LEAST),
    }
}
