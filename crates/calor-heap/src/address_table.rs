//! A table by address that doubles when it is half full: for the few blocks of which more is to be known than the
//! shadow has room for. Used under a lock.
//!
//! # Safety
//! A table's entries lie in a mapping of its capacity, which is never given back; places are taken modulo that capacity, a power
//! of two. Zeroed bytes are an empty entry. Whoever uses a table holds the lock around it.

use calor_paths::sys::{self, AfterFork};

#[derive(Clone, Copy)]
#[repr(C)]
struct Entry<T> {
    /// 0 when empty.
    address: usize,
    value: T,
}

const FIRST: usize = 4096;

/// Zeroed memory is an empty table.
#[repr(C)]
pub(crate) struct AddressTable<T> {
    entries: *mut Entry<T>,
    capacity: usize,
    len: usize,
}

unsafe impl<T: Send> Send for AddressTable<T> {}

impl<T: Copy> AddressTable<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn home(&self, address: usize) -> usize {
        (address >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - self.capacity.trailing_zeros())
    }

    fn at(&self, place: usize) -> *mut Entry<T> {
        unsafe { self.entries.add(place & (self.capacity - 1)) }
    }

    fn address(&self, place: usize) -> usize {
        unsafe { (*self.at(place)).address }
    }

    /// Puts a value at an address and gives back the one that was there. `Err` when there is no room.
    pub(crate) fn insert(&mut self, address: usize, value: T) -> Result<Option<T>, ()> {
        if self.len * 2 >= self.capacity && !self.grow() {
            return Err(());
        }
        let mut place = self.home(address);
        while self.address(place) != 0 && self.address(place) != address {
            place += 1;
        }
        let entry = unsafe { &mut *self.at(place) };
        let before = (entry.address == address).then_some(entry.value);
        *entry = Entry { address, value };
        self.len += usize::from(before.is_none());
        Ok(before)
    }

    /// Takes the value of an address out.
    pub(crate) fn remove(&mut self, address: usize) -> Option<T> {
        if self.capacity == 0 {
            return None;
        }
        let mut place = self.home(address);
        while self.address(place) != address {
            if self.address(place) == 0 {
                return None;
            }
            place += 1;
        }
        let value = unsafe { (*self.at(place)).value };
        self.len -= 1;
        self.close_gap(place);
        Some(value)
    }

    /// Takes all of them out, and tells their addresses.
    pub(crate) fn take_all(&mut self, mut told: impl FnMut(usize)) {
        for place in 0..self.capacity {
            let address = self.address(place);
            if address != 0 {
                unsafe { (*self.at(place)).address = 0 };
                told(address);
            }
        }
        self.len = 0;
    }

    /// What follows without a gap may have to move up, so that no search ends early.
    fn close_gap(&mut self, place: usize) {
        let mask = self.capacity - 1;
        let mut gap = place;
        let mut next = place + 1;
        while self.address(next) != 0 {
            let distance = |from: usize| next.wrapping_sub(from) & mask;
            if distance(self.home(self.address(next))) >= distance(gap) {
                unsafe { *self.at(gap) = *self.at(next) };
                gap = next;
            }
            next += 1;
        }
        unsafe { (*self.at(gap)).address = 0 };
    }

    /// The old table is left where it is: it is small beside the new one.
    fn grow(&mut self) -> bool {
        let capacity = (self.capacity * 2).max(FIRST);
        let length = capacity * size_of::<Entry<T>>();
        let Some(memory) = sys::map_private(length, AfterFork::Zeroed) else { return false };
        let old = Self { entries: self.entries, capacity: self.capacity, len: 0 };
        *self = Self { entries: memory.cast().as_ptr(), capacity, len: 0 };
        for place in 0..old.capacity {
            let entry = unsafe { *old.at(place) };
            if entry.address != 0 {
                let _ = self.insert(entry.address, entry.value);
            }
        }
        true
    }
}
