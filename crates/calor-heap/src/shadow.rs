//! From the address of a block to what is known of it. The address space has a shadow: a word for each 32 bytes,
//! which is the least distance between two blocks of the usual allocators. A block's word is written by the thread
//! that got the block and cleared by the one that gives it back, so plain loads and stores are enough: the program
//! itself orders the two. Blocks of allocators that pack more closely, and those of half a tebibyte and more, are kept
//! in a table behind a lock.
//!
//! # Safety
//! Shadows are mapped whole and never given back; a word's place is taken modulo the number of words of its region, a region's
//! modulo the number of regions. Only addresses of blocks are looked up.

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};

use crate::address_table::AddressTable;
use crate::lock::Lock;
use crate::sys::{self, AfterFork};

/// Bits of an address that choose the word within a region.
const REGION_BITS: u32 = 21;
const GRANULE_BITS: u32 = 5;
/// User space.
const ADDRESS_BITS: u32 = 47;
const REGIONS: usize = 1 << (ADDRESS_BITS - REGION_BITS);
const WORDS: usize = 1 << (REGION_BITS - GRANULE_BITS);
/// Shadows of so many regions are mapped at once.
const REGIONS_PER_MAPPING: usize = 32;

const SIZE_BITS: u32 = 39;
const LARGEST: u64 = (1 << SIZE_BITS) - 1;

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
    regions: AtomicPtr<AtomicPtr<AtomicU64>>,
    unused: Lock<Unused>,
    crowd: Lock<AddressTable<Block>>,
    n_crowded: AtomicU32,
}

#[repr(C)]
struct Unused {
    next: *mut AtomicU64,
    left: usize,
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
    /// Prepares an empty shadow.
    pub(crate) fn start(&self, after_fork: AfterFork) -> bool {
        let Some(regions) = sys::map_private(REGIONS * 8, after_fork) else { return false };
        self.regions.store(regions.cast().as_ptr(), Relaxed);
        true
    }

    #[inline(always)]
    fn word(&self, address: usize) -> Option<&AtomicU64> {
        let region = (address >> REGION_BITS) & (REGIONS - 1);
        let words = unsafe { (*self.regions.load(Relaxed).add(region)).load(Acquire) };
        if words.is_null() {
            return None;
        }
        Some(unsafe { &*words.add((address >> GRANULE_BITS) & (WORDS - 1)) })
    }

    /// Has the word of a block fetched, which is needed soon.
    #[inline(always)]
    pub(crate) fn expect(&self, address: usize) {
        if let Some(word) = self.word(address) {
            fetch(core::ptr::from_ref(word).cast());
        }
    }

    #[cold]
    #[inline(never)]
    fn new_word(&self, address: usize, after_fork: AfterFork) -> Option<&AtomicU64> {
        let region = (address >> REGION_BITS) & (REGIONS - 1);
        let words = {
            let mut unused = self.unused.lock();
            if unused.left == 0 {
                let memory = sys::map_private(REGIONS_PER_MAPPING * WORDS * 8, after_fork)?;
                *unused = Unused { next: memory.cast().as_ptr(), left: REGIONS_PER_MAPPING };
            }
            let words = unused.next;
            unused.next = unsafe { words.add(WORDS) };
            unused.left -= 1;
            words
        };
        let place = unsafe { &*self.regions.load(Relaxed).add(region) };
        // Another thread may have been quicker; what we took is then never used.
        let _ = place.compare_exchange(core::ptr::null_mut(), words, AcqRel, Acquire);
        self.word(address)
    }

    /// Remembers a block.
    #[inline(always)]
    pub(crate) fn insert(&self, address: usize, block: Block, after_fork: AfterFork) -> Noted {
        let word = match self.word(address) {
            Some(word) => word,
            None => match self.new_word(address, after_fork) {
                Some(word) => word,
                None => return Noted::No,
            },
        };
        let known = word.load(Relaxed);
        if known != 0 || block.size > LARGEST {
            return self.insert_crowded(address, block, word);
        }
        word.store(packed(address, block), Relaxed);
        Noted::Yes
    }

    #[cold]
    #[inline(never)]
    fn insert_crowded(&self, address: usize, block: Block, word: &AtomicU64) -> Noted {
        let known = word.load(Relaxed);
        if known != 0 && is_of(known, address) {
            word.store(0, Relaxed);
            let noted = self.insert_again(address, block, word);
            return if noted == Noted::No { noted } else { Noted::Instead(unpacked(known)) };
        }
        self.insert_again(address, block, word)
    }

    fn insert_again(&self, address: usize, block: Block, word: &AtomicU64) -> Noted {
        if word.load(Relaxed) == 0 && block.size <= LARGEST {
            word.store(packed(address, block), Relaxed);
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

    /// Forgets a block and says what was known of it.
    #[inline(always)]
    pub(crate) fn remove(&self, address: usize) -> Option<Block> {
        if let Some(word) = self.word(address) {
            let known = word.load(Relaxed);
            if known != 0 && is_of(known, address) {
                word.store(0, Relaxed);
                return Some(unpacked(known));
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

/// The bits of an address that the shadow's place does not tell, never zero as a whole word since sites begin at 1.
#[inline(always)]
fn packed(address: usize, block: Block) -> u64 {
    u64::from(block.site) << 42
        | (address as u64 >> 3 & 3) << 40
        | u64::from(block.is_sampled) << SIZE_BITS
        | block.size
}

#[inline(always)]
fn is_of(word: u64, address: usize) -> bool {
    (word >> 40) & 3 == (address as u64 >> 3) & 3
}

#[inline(always)]
fn unpacked(word: u64) -> Block {
    Block { site: (word >> 42) as u32, size: word & LARGEST, is_sampled: word >> SIZE_BITS & 1 != 0 }
}

#[cfg(test)]
mod tests;
