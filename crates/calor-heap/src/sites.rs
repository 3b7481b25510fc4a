//! A number for each call path. Looking one up takes no lock; a new one is written down under a lock, into the region.
//!
//! # Safety
//! Tables and blocks of the region are never given back. A table's entries lie behind it in one mapping; places are taken modulo
//! its capacity. New entries are written under the lock, and their hash last.

use core::ptr::NonNull;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};

use crate::arena::Arena;
use crate::layout::{BLOCK, Kind, MAX_SITES, PLACES_PER_BLOCK};
use crate::lock::Lock;
use crate::sys::{self, AfterFork};
use crate::walk::path::Path;

/// Entries of the first table.
const FIRST: usize = 4096;

#[repr(C)]
struct Entry {
    /// 0 when empty.
    hash: AtomicU64,
    site: AtomicU32,
}

/// Entries behind their number: a power of two.
#[repr(C)]
struct Table {
    capacity: usize,
    entries: [Entry; 0],
}

impl Table {
    fn entry(&self, place: u64) -> &Entry {
        let place = place as usize & (self.capacity - 1);
        unsafe { &*self.entries.as_ptr().add(place) }
    }
}

/// Zeroed memory has no call paths.
#[repr(C)]
pub(crate) struct Sites {
    table: AtomicPtr<Table>,
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
    /// The number of a path by its hash; 0 when there is no room.
    #[inline(always)]
    pub(crate) fn number(&self, arena: Arena, hash: u64, path: &Path) -> u32 {
        let table = self.table.load(Acquire);
        if !table.is_null()
            && let Some(site) = find(unsafe { &*table }, hash)
        {
            return site;
        }
        self.add(arena, hash, path)
    }

    #[cold]
    #[inline(never)]
    fn add(&self, arena: Arena, hash: u64, path: &Path) -> u32 {
        let mut writer = self.writer.lock();
        let mut table = self.table.load(Acquire);
        if table.is_null() || writer.count as usize * 2 >= unsafe { (*table).capacity } {
            let Some(larger) = self.grow(table) else { return 0 };
            table = larger;
        }
        let table = unsafe { &*table };
        if let Some(site) = find(table, hash) {
            return site;
        }
        if writer.count >= MAX_SITES {
            return 0;
        }
        let site = writer.count + 1;
        if writer.write(arena, site, path).is_none() {
            return 0;
        }
        writer.count = site;
        put(table, hash, site);
        arena.header().sites.store(site, Release);
        site
    }

    /// A table of twice the size. The old one stays where it is, since others may be looking in it.
    fn grow(&self, old: *mut Table) -> Option<*mut Table> {
        let capacity = if old.is_null() { FIRST } else { unsafe { (*old).capacity * 2 } };
        let length = size_of::<Table>() + capacity * size_of::<Entry>();
        let table = sys::map_private(length, AfterFork::Zeroed)?.cast::<Table>().as_ptr();
        unsafe { (*table).capacity = capacity };
        if !old.is_null() {
            let (old, table) = unsafe { (&*old, &*table) };
            for place in 0..old.capacity as u64 {
                let entry = old.entry(place);
                if entry.hash.load(Relaxed) != 0 {
                    put(table, entry.hash.load(Relaxed), entry.site.load(Relaxed));
                }
            }
        }
        self.table.store(table, Release);
        Some(table)
    }
}

#[inline(always)]
fn find(table: &Table, hash: u64) -> Option<u32> {
    let hash = hash | 1;
    let mut place = hash >> 20;
    loop {
        let entry = table.entry(place);
        let known = entry.hash.load(Acquire);
        if known == hash {
            return Some(entry.site.load(Relaxed));
        }
        if known == 0 {
            return None;
        }
        place = place.wrapping_add(1);
    }
}

fn put(table: &Table, hash: u64, site: u32) {
    let hash = hash | 1;
    let mut place = hash >> 20;
    while table.entry(place).hash.load(Relaxed) != 0 {
        place = place.wrapping_add(1);
    }
    let entry = table.entry(place);
    entry.site.store(site, Relaxed);
    entry.hash.store(hash, Release);
}

impl Writer {
    /// Writes a path's addresses into the region, and where they are.
    fn write(&mut self, arena: Arena, site: u32, path: &Path) -> Option<()> {
        let index = site - 1;
        if index.is_multiple_of(PLACES_PER_BLOCK) {
            self.places = arena.block(Kind::Places, 0, index / PLACES_PER_BLOCK)?.cast().as_ptr();
        }
        let addresses = path.addresses();
        let length = addresses.len();
        if length > self.words_left {
            self.words = arena.block(Kind::Paths, 0, self.n_path_blocks)?.cast().as_ptr();
            self.words_left = BLOCK / 8;
            self.n_path_blocks += 1;
        }
        let first = NonNull::new(self.words)?;
        for (position, address) in addresses.enumerate() {
            unsafe { first.add(position).as_ref() }.store(address as u64, Relaxed);
        }
        self.words = unsafe { self.words.add(length) };
        self.words_left -= length;
        let place = unsafe { &*self.places.add((index % PLACES_PER_BLOCK) as usize) };
        place.store(arena.offset_of(first.cast()) << 16 | length as u64, Release);
        Some(())
    }
}
