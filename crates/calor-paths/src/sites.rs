//! A number for each call path that allocates. Looking one up takes no lock; a new one is written down under a lock,
//! into the region.
//!
//! # Safety
//! Blocks of the region are never given back, and each word of one is handed out once.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Release;

use crate::layout::{Kind, MAX_SITES, PLACES_PER_BLOCK};
use crate::lock::Lock;
use crate::number_table::NumberTable;
use crate::region::Region;

/// Zeroed memory has no call paths.
#[repr(C)]
pub(crate) struct Sites {
    numbers: NumberTable,
    writer: Lock<Writer>,
}

#[repr(C)]
struct Writer {
    count: u32,
    places: *mut AtomicU64,
}

unsafe impl Send for Writer {}

/// A path: the node of its native frames and that of its Python frames, 0 where it has none.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) native: u32,
    pub(crate) python: u32,
}

impl Sites {
    /// The number of a path by its hash; 0 when there is no room. `place` finds the nodes of a new one.
    #[inline(always)]
    pub(crate) fn number(&self, region: Region, hash: u64, place: impl FnOnce() -> Option<Place>) -> u32 {
        match self.numbers.find(hash) {
            0 => place().map_or(0, |place| self.add(region, hash, place)),
            site => site,
        }
    }

    #[cold]
    #[inline(never)]
    fn add(&self, region: Region, hash: u64, place: Place) -> u32 {
        let mut writer = self.writer.lock();
        let known = self.numbers.find(hash);
        if known != 0 {
            return known;
        }
        let site = writer.count + 1;
        if site > MAX_SITES || writer.write(region, site, place).is_none() || !self.numbers.put(hash, site) {
            return 0;
        }
        writer.count = site;
        region.header().sites.store(site, Release);
        site
    }
}

impl Writer {
    fn write(&mut self, region: Region, site: u32, place: Place) -> Option<()> {
        let index = site - 1;
        if index.is_multiple_of(PLACES_PER_BLOCK) {
            self.places = region.block(Kind::PLACES, 0, index / PLACES_PER_BLOCK)?.cast().as_ptr();
        }
        let word = unsafe { self.places.add((index % PLACES_PER_BLOCK) as usize).as_ref() }?;
        word.store(u64::from(place.python) << 32 | u64::from(place.native), Release);
        Some(())
    }
}
