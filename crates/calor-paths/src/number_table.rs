//! Numbers by hash, looked up without a lock. Whoever adds one holds a lock of his own.
//!
//! # Safety
//! Tables are never given back. A table's entries lie behind it in one mapping; places are taken modulo its capacity. New
//! entries are written under the caller's lock, and their hash last.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};

use crate::sys::{self, AfterFork};

/// Entries of the first table.
const FIRST: usize = 4096;

#[repr(C)]
struct Entry {
    /// 0 when empty.
    hash: AtomicU64,
    number: AtomicU32,
}

/// Entries behind their number: a power of two.
#[repr(C)]
struct Table {
    capacity: usize,
    len: AtomicU64,
    entries: [Entry; 0],
}

impl Table {
    fn entry(&self, place: u64) -> &Entry {
        let place = place as usize & (self.capacity - 1);
        unsafe { &*self.entries.as_ptr().add(place) }
    }

    /// The entry of a hash, or the one that it would have.
    #[inline(always)]
    fn place(&self, hash: u64) -> (&Entry, bool) {
        let mut place = hash >> 20;
        loop {
            let entry = self.entry(place);
            match entry.hash.load(Acquire) {
                0 => return (entry, false),
                known if known == hash => return (entry, true),
                _ => place = place.wrapping_add(1),
            }
        }
    }

    fn put(&self, hash: u64, number: u32) {
        let (entry, is_there) = self.place(hash);
        entry.number.store(number, Relaxed);
        if !is_there {
            entry.hash.store(hash, Release);
            self.len.store(self.len.load(Relaxed) + 1, Relaxed);
        }
    }
}

/// Zeroed memory is an empty one.
#[repr(C)]
pub(crate) struct NumberTable {
    table: AtomicPtr<Table>,
}

impl NumberTable {
    /// The number that a hash has; 0 when it has none.
    #[inline(always)]
    pub(crate) fn find(&self, hash: u64) -> u32 {
        let table = self.table.load(Acquire);
        if table.is_null() {
            return 0;
        }
        match unsafe { &*table }.place(hash | 1) {
            (entry, true) => entry.number.load(Relaxed),
            (_, false) => 0,
        }
    }

    /// Gives a hash its number, or another one. `false` when there is no memory for it.
    pub(crate) fn put(&self, hash: u64, number: u32) -> bool {
        let mut table = self.table.load(Acquire);
        let is_full = |table: &Table| table.len.load(Relaxed) as usize * 2 >= table.capacity;
        if table.is_null() || is_full(unsafe { &*table }) {
            let Some(larger) = self.grow(table) else { return false };
            table = larger;
        }
        unsafe { &*table }.put(hash | 1, number);
        true
    }

    /// Takes all numbers back.
    pub(crate) fn forget_all(&self) {
        if let Some(table) = unsafe { self.table.load(Acquire).as_ref() } {
            (0..table.capacity as u64).for_each(|place| table.entry(place).number.store(0, Relaxed));
        }
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
                // Those that were taken back are not carried along.
                if entry.hash.load(Relaxed) != 0 && entry.number.load(Relaxed) != 0 {
                    table.put(entry.hash.load(Relaxed), entry.number.load(Relaxed));
                }
            }
        }
        self.table.store(table, Release);
        Some(table)
    }
}
