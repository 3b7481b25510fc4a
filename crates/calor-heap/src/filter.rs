//! Whether a block may be a sampled one, asked at every free. A bit for each hash of an address, in two sizes: the small
//! filter stays in the processor's nearest cache and is enough for most programs; where many blocks are sampled it lets
//! many through, and the large one is asked.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

const SMALL_BITS: usize = 1 << 12;
const LARGE_BITS: usize = 1 << 16;

/// Zeroed memory lets nothing through.
#[repr(C, align(64))]
pub(crate) struct Filter {
    small: [AtomicU64; SMALL_BITS / 64],
    large: [AtomicU64; LARGE_BITS / 64],
}

/// How many blocks each bit stands for.
#[repr(C)]
pub(crate) struct FilterCounts {
    small: [u32; SMALL_BITS],
    large: [u16; LARGE_BITS],
}

/// The bits of an address.
#[inline(always)]
fn bits_of(address: usize) -> (usize, usize) {
    let hash = (address >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> (64 - SMALL_BITS.trailing_zeros()), hash >> (64 - LARGE_BITS.trailing_zeros()))
}

impl Filter {
    /// Whether the block at this address may be one of them.
    #[inline(always)]
    pub(crate) fn may_hold(&self, address: usize) -> bool {
        let (small, large) = bits_of(address);
        is_set(&self.small, small) && is_set(&self.large, large)
    }

    /// One more.
    pub(crate) fn add(&self, address: usize, counts: &mut FilterCounts) {
        let (small, large) = bits_of(address);
        counts.small[small] += 1;
        counts.large[large] += 1;
        self.small[small / 64].fetch_or(1 << (small % 64), Relaxed);
        self.large[large / 64].fetch_or(1 << (large % 64), Relaxed);
    }

    /// One of them is gone.
    pub(crate) fn remove(&self, address: usize, counts: &mut FilterCounts) {
        let (small, large) = bits_of(address);
        counts.small[small] -= 1;
        if counts.small[small] == 0 {
            self.small[small / 64].fetch_and(!(1 << (small % 64)), Relaxed);
        }
        counts.large[large] -= 1;
        if counts.large[large] == 0 {
            self.large[large / 64].fetch_and(!(1 << (large % 64)), Relaxed);
        }
    }
}

impl FilterCounts {
    /// Whether there is no room for one more at this address.
    pub(crate) fn is_full(&self, address: usize) -> bool {
        self.large[bits_of(address).1] == u16::MAX
    }
}

#[inline(always)]
fn is_set(words: &[AtomicU64], bit: usize) -> bool {
    words[bit / 64].load(Relaxed) >> (bit % 64) & 1 != 0
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Filter, FilterCounts};

    #[test]
    fn whatever_is_there_gets_through_and_nothing_once_all_are_gone() {
        // SAFETY: zeros are what both begin as.
        let (filter, mut counts) = unsafe {
            (Box::<Filter>::new_zeroed().assume_init(), Box::<FilterCounts>::new_zeroed().assume_init())
        };
        let mut there = HashSet::new();
        let mut random = 88_172_645_463_325_252_u64;
        for _ in 0..50_000 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let address = 0x7f00_0000_0000 + (random >> 20) as usize % 100_000 * 16;
            if there.remove(&address) {
                filter.remove(address, &mut counts);
            } else {
                there.insert(address);
                filter.add(address, &mut counts);
            }
        }
        assert!(there.len() > 1000 && there.iter().all(|address| filter.may_hold(*address)));
        for address in there.drain() {
            filter.remove(address, &mut counts);
        }
        assert!((0..100_000).all(|block| !filter.may_hold(0x7f00_0000_0000 + block * 16)));
    }
}
