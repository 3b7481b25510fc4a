//! What a word of the shadow holds. A door that is told the size of each block that is freed needs no room for it: then a
//! word is half as wide, and half as much memory is touched.
//!
//! # Safety
//! Words are reached by addresses of words of the shadow, of the width that it was started with.

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};

use super::Block;

/// Where a word is.
pub(super) type Place = *const u8;

/// How wide a word is. A word of a block is never 0, since sites begin at 1.
pub(super) trait Width {
    const BYTES: usize;
    unsafe fn load(place: Place) -> u64;
    unsafe fn store(place: Place, word: u64);
    /// `None` when the block is too large, or may be too close to another.
    fn packed(address: usize, block: Block) -> Option<u64>;
    /// Whether it is a block of this address: several may share a word.
    fn is_of(word: u64, address: usize) -> bool;
    fn unpacked(word: u64) -> Block;
}

/// The bits of an address that the place of its word does not tell.
#[inline(always)]
fn rest_of(address: usize) -> u64 {
    address as u64 >> 3 & 3
}

/// Whether blocks of such addresses are at least eight bytes apart: others are not told apart by a word.
#[inline(always)]
fn is_apart(address: usize) -> bool {
    address & 7 == 0
}

/// With the size.
pub(super) struct Wide;

const SIZE_BITS: u32 = 39;
const LARGEST: u64 = (1 << SIZE_BITS) - 1;

impl Width for Wide {
    const BYTES: usize = 8;

    #[inline(always)]
    unsafe fn load(place: Place) -> u64 {
        unsafe { &*place.cast::<AtomicU64>() }.load(Relaxed)
    }

    #[inline(always)]
    unsafe fn store(place: Place, word: u64) {
        unsafe { &*place.cast::<AtomicU64>() }.store(word, Relaxed);
    }

    #[inline(always)]
    fn packed(address: usize, block: Block) -> Option<u64> {
        let word = u64::from(block.site) << 42
            | rest_of(address) << 40
            | u64::from(block.is_sampled) << SIZE_BITS
            | block.size;
        (block.size <= LARGEST && is_apart(address)).then_some(word)
    }

    #[inline(always)]
    fn is_of(word: u64, address: usize) -> bool {
        word >> 40 & 3 == rest_of(address) && is_apart(address)
    }

    #[inline(always)]
    fn unpacked(word: u64) -> Block {
        Block { site: (word >> 42) as u32, size: word & LARGEST, is_sampled: word >> SIZE_BITS & 1 != 0 }
    }
}

/// Without: the size that comes back is 0.
pub(super) struct Narrow;

impl Width for Narrow {
    const BYTES: usize = 4;

    #[inline(always)]
    unsafe fn load(place: Place) -> u64 {
        u64::from(unsafe { &*place.cast::<AtomicU32>() }.load(Relaxed))
    }

    #[inline(always)]
    unsafe fn store(place: Place, word: u64) {
        unsafe { &*place.cast::<AtomicU32>() }.store(word as u32, Relaxed);
    }

    #[inline(always)]
    fn packed(address: usize, block: Block) -> Option<u64> {
        let word = u64::from(block.site) << 3 | rest_of(address) << 1 | u64::from(block.is_sampled);
        is_apart(address).then_some(word)
    }

    #[inline(always)]
    fn is_of(word: u64, address: usize) -> bool {
        word >> 1 & 3 == rest_of(address) && is_apart(address)
    }

    #[inline(always)]
    fn unpacked(word: u64) -> Block {
        Block { site: (word >> 3) as u32, size: 0, is_sampled: word & 1 != 0 }
    }
}
