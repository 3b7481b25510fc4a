//! From the address of a block to what is known of it. The address space has a shadow: a word for each 32 bytes,
//! which is the least distance between two blocks of the usual allocators. A block's word is written by the thread
//! that got the block and cleared by the one that gives it back, so plain loads and stores are enough: the program
//! itself orders the two. Blocks of allocators that pack more closely, and those of half a tebibyte and more, are kept
//! in a table behind a lock.
//!
//! # Safety
//! Shadows are mapped whole and never given back; a word's place is taken modulo the number of words of its region, a region's
//! modulo the number of regions. Only addresses of blocks are looked up.

use core::ptr::NonNull;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use core::sync::atomic::{AtomicPtr, AtomicU32};

mod width;

use calor_paths::Lock;
use calor_paths::sys::{self, AfterFork};

use crate::address_table::AddressTable;
use width::{Narrow, Place, Wide, Width};

/// Bits of an address that choose the word within a region.
const REGION_BITS: u32 = 21;
const GRANULE_BITS: u32 = 5;
/// User space.
const ADDRESS_BITS: u32 = 47;
const REGIONS: usize = 1 << (ADDRESS_BITS - REGION_BITS);
const WORDS: usize = 1 << (REGION_BITS - GRANULE_BITS);
/// Shadows of so many regions are mapped at once.
const REGIONS_PER_MAPPING: usize = 32;
const PAGE: usize = 4096;

/// What is known of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Block {
    /// The call path that allocated it.
    pub(crate) site: u32,
    pub(crate) size: u64,
    /// Whether more is known of it among the samples.
    pub(crate) is_sampled: bool,
}

impl Block {
    /// It was taken out, and out of the samples too.
    pub(crate) fn taken(self) -> Self {
        Self { is_sampled: false, ..self }
    }
}

/// The shadow; zeroed memory is an empty one.
#[repr(C)]
pub(crate) struct Shadow {
    regions: AtomicPtr<AtomicPtr<u8>>,
    is_narrow: AtomicU32,
    unused: Lock<Unused>,
    crowd: Lock<AddressTable<Block>>,
    n_crowded: AtomicU32,
}

#[repr(C)]
struct Unused {
    next: *mut u8,
    left: usize,
    /// The last mapping; behind its words stands the address of the one before it.
    last: *mut u8,
}

unsafe impl Send for Unused {}

/// What became of a block that was told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Noted {
    Yes,
    /// Another block was known at this very address: its free was missed.
    Instead(Block),
    /// There was no room.
    No,
}

impl Shadow {
    /// Prepares an empty shadow; without sizes when whoever frees a block tells its size.
    pub(crate) fn start(&self, after_fork: AfterFork, keeps_sizes: bool) -> bool {
        let Some(regions) = sys::map_private(REGIONS * 8, after_fork) else { return false };
        self.is_narrow.store(u32::from(!keeps_sizes), Relaxed);
        self.regions.store(regions.cast().as_ptr(), Relaxed);
        true
    }

    /// Whether sizes are not kept.
    #[inline(always)]
    pub(crate) fn is_narrow(&self) -> bool {
        self.is_narrow.load(Relaxed) != 0
    }

    /// A block that was known, of the size that is told when it is freed where that is not kept.
    #[inline(always)]
    pub(crate) fn sized(&self, block: Block, size: usize) -> Block {
        if self.is_narrow() { Block { size: size as u64, ..block } } else { block }
    }

    #[inline(always)]
    fn place<W: Width>(&self, address: usize) -> Option<Place> {
        let region = (address >> REGION_BITS) & (REGIONS - 1);
        let words = unsafe { (*self.regions.load(Relaxed).add(region)).load(Acquire) };
        if words.is_null() {
            return None;
        }
        let index = (address >> GRANULE_BITS) & (WORDS - 1);
        Some(unsafe { words.add(index * W::BYTES) }.cast_const())
    }

    /// Has the word of a block fetched, which is needed soon.
    #[inline(always)]
    pub(crate) fn expect(&self, address: usize) {
        let place =
            if self.is_narrow() { self.place::<Narrow>(address) } else { self.place::<Wide>(address) };
        if let Some(place) = place {
            fetch(place);
        }
    }

    #[cold]
    #[inline(never)]
    fn new_place<W: Width>(&self, address: usize, after_fork: AfterFork) -> Option<Place> {
        let region = (address >> REGION_BITS) & (REGIONS - 1);
        let words = {
            let mut unused = self.unused.lock();
            if unused.left == 0 {
                let length = REGIONS_PER_MAPPING * WORDS * W::BYTES;
                let memory = sys::map_private(length + PAGE, after_fork)?.as_ptr();
                unsafe { memory.add(length).cast::<*mut u8>().write(unused.last) };
                *unused = Unused { next: memory, left: REGIONS_PER_MAPPING, last: memory };
            }
            let words = unused.next;
            unused.next = unsafe { words.add(WORDS * W::BYTES) };
            unused.left -= 1;
            words
        };
        let place = unsafe { &*self.regions.load(Relaxed).add(region) };
        // Another thread may have been quicker; what we took is then never used.
        let _ = place.compare_exchange(core::ptr::null_mut(), words, AcqRel, Acquire);
        self.place::<W>(address)
    }

    /// Remembers a block where there is nothing special about it, as with nearly all. Otherwise nothing was done, and
    /// [`insert`](Self::insert) says what it is.
    #[inline(always)]
    pub(crate) fn note(&self, address: usize, block: Block) -> bool {
        if self.is_narrow() {
            self.note_as::<Narrow>(address, block)
        } else {
            self.note_as::<Wide>(address, block)
        }
    }

    #[inline(always)]
    fn note_as<W: Width>(&self, address: usize, block: Block) -> bool {
        let (Some(place), Some(word)) = (self.place::<W>(address), W::packed(address, block)) else {
            return false;
        };
        let is_free = unsafe { W::load(place) } == 0;
        if is_free {
            unsafe { W::store(place, word) };
        }
        is_free
    }

    /// Remembers a block.
    pub(crate) fn insert(&self, address: usize, block: Block, after_fork: AfterFork) -> Noted {
        if self.is_narrow() {
            self.insert_as::<Narrow>(address, block, after_fork)
        } else {
            self.insert_as::<Wide>(address, block, after_fork)
        }
    }

    fn insert_as<W: Width>(&self, address: usize, block: Block, after_fork: AfterFork) -> Noted {
        let place = match self.place::<W>(address) {
            Some(place) => place,
            None => match self.new_place::<W>(address, after_fork) {
                Some(place) => place,
                None => return Noted::No,
            },
        };
        match W::packed(address, block) {
            Some(word) if unsafe { W::load(place) } == 0 => {
                unsafe { W::store(place, word) };
                Noted::Yes
            }
            _ => self.insert_crowded::<W>(address, block, place),
        }
    }

    fn insert_crowded<W: Width>(&self, address: usize, block: Block, place: Place) -> Noted {
        let known = unsafe { W::load(place) };
        if known != 0 && W::is_of(known, address) {
            unsafe { W::store(place, 0) };
            let noted = self.insert_again::<W>(address, block, place);
            return if noted == Noted::No { noted } else { Noted::Instead(W::unpacked(known)) };
        }
        self.insert_again::<W>(address, block, place)
    }

    fn insert_again<W: Width>(&self, address: usize, block: Block, place: Place) -> Noted {
        if let Some(word) = W::packed(address, block).filter(|_| unsafe { W::load(place) } == 0) {
            unsafe { W::store(place, word) };
            return Noted::Yes;
        }
        let mut crowd = self.crowd.lock();
        let known = crowd.insert(address, block);
        self.n_crowded.store(crowd.len() as u32, Relaxed);
        match known {
            Ok(None) => Noted::Yes,
            Ok(Some(known)) => Noted::Instead(known),
            Err(()) => Noted::No,
        }
    }

    /// Forgets all blocks, and gives the memory back that their words took.
    pub(crate) fn forget_all(&self) {
        let unused = self.unused.lock();
        let width = if self.is_narrow() { Narrow::BYTES } else { Wide::BYTES };
        let length = REGIONS_PER_MAPPING * WORDS * width;
        let mut mapping = unused.last;
        while let Some(memory) = NonNull::new(mapping) {
            unsafe {
                sys::zero(memory, length);
                mapping = mapping.add(length).cast::<*mut u8>().read();
            }
        }
        let mut crowd = self.crowd.lock();
        crowd.take_all(|_| {});
        self.n_crowded.store(0, Relaxed);
    }

    /// Forgets a block and says what was known of it.
    #[inline(always)]
    pub(crate) fn remove(&self, address: usize) -> Option<Block> {
        if self.is_narrow() { self.remove_as::<Narrow>(address) } else { self.remove_as::<Wide>(address) }
    }

    #[inline(always)]
    fn remove_as<W: Width>(&self, address: usize) -> Option<Block> {
        if let Some(place) = self.place::<W>(address) {
            let known = unsafe { W::load(place) };
            if known != 0 && W::is_of(known, address) {
                unsafe { W::store(place, 0) };
                return Some(W::unpacked(known));
            }
        }
        if self.n_crowded.load(Relaxed) != 0 { self.remove_crowded(address) } else { None }
    }

    #[cold]
    #[inline(never)]
    fn remove_crowded(&self, address: usize) -> Option<Block> {
        let mut crowd = self.crowd.lock();
        let block = crowd.remove(address);
        self.n_crowded.store(crowd.len() as u32, Relaxed);
        block
    }
}

/// Asks the processor to fetch the memory at an address.
#[inline(always)]
pub(crate) fn fetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // A prefetch reads nothing and cannot fault, whatever the address.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

#[cfg(test)]
mod tests;
