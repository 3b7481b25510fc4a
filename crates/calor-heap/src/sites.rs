//! A number for each call path. Looking one up takes no lock; a new one is written down under a lock, into the region.
//!
//! # Safety
//! Blocks of the region are never given back, and each word of one is handed out once.

use core::ptr::NonNull;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Relaxed, Release};

use crate::arena::Arena;
use crate::layout::{BLOCK, Kind, MAX_SITES, PLACES_PER_BLOCK};
use crate::lock::Lock;
use crate::number_table::NumberTable;

/// Zeroed memory has no call paths.
#[repr(C)]
pub(crate) struct Sites {
    numbers: NumberTable,
    writer: Lock<Writer>,
}

#[repr(C)]
struct Writer {
    count: u32,
    words: *mut AtomicU64,
    words_left: usize,
    places: *mut AtomicU64,
    n_path_blocks: u32,
}

unsafe impl Send for Writer {}

impl Sites {
    /// The number of a path by its hash; 0 when there is no room. `words` are what a new one is written down as.
    #[inline(always)]
    pub(crate) fn number<W: Iterator<Item = u64>>(
        &self,
        arena: Arena,
        hash: u64,
        words: impl Fn() -> (usize, W),
    ) -> u32 {
        match self.numbers.find(hash) {
            0 => {
                let (length, words) = words();
                self.add(arena, hash, length, words)
            }
            site => site,
        }
    }

    #[cold]
    #[inline(never)]
    fn add(&self, arena: Arena, hash: u64, length: usize, words: impl Iterator<Item = u64>) -> u32 {
        let mut writer = self.writer.lock();
        let known = self.numbers.find(hash);
        if known != 0 {
            return known;
        }
        if writer.count >= MAX_SITES {
            return 0;
        }
        let site = writer.count + 1;
        if writer.write(arena, site, length, words).is_none() || !self.numbers.put(hash, site) {
            return 0;
        }
        writer.count = site;
        arena.header().sites.store(site, Release);
        site
    }
}

impl Writer {
    /// Writes a path into the region, and where it is.
    fn write(
        &mut self,
        arena: Arena,
        site: u32,
        length: usize,
        words: impl Iterator<Item = u64>,
    ) -> Option<()> {
        let index = site - 1;
        if index.is_multiple_of(PLACES_PER_BLOCK) {
            self.places = arena.block(Kind::Places, 0, index / PLACES_PER_BLOCK)?.cast().as_ptr();
        }
        if length > self.words_left {
            self.words = arena.block(Kind::Paths, 0, self.n_path_blocks)?.cast().as_ptr();
            self.words_left = BLOCK / 8;
            self.n_path_blocks += 1;
        }
        let first = NonNull::new(self.words)?;
        for (position, word) in words.take(length).enumerate() {
            unsafe { first.add(position).as_ref() }.store(word, Relaxed);
        }
        self.words = unsafe { self.words.add(length) };
        self.words_left -= length;
        let place = unsafe { &*self.places.add((index % PLACES_PER_BLOCK) as usize) };
        place.store(arena.offset_of(first.cast()) << 16 | length as u64, Release);
        Some(())
    }
}
