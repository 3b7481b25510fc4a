//! Tests of blocks by address.
//!
//! # Safety
//! Memory that is mapped for a test is never given back, and zeros are valid for what it is used as.

use std::collections::HashMap;

use super::{Block, Noted, Shadow};
use calor_paths::sys::{AfterFork, map_private};

fn shadow() -> &'static Shadow {
    let memory = map_private(size_of::<Shadow>(), AfterFork::Kept).expect("memory");
    let shadow: &'static Shadow = unsafe { memory.cast().as_ref() };
    assert!(shadow.start(AfterFork::Kept, true));
    shadow
}

fn block(site: u32, size: u64) -> Block {
    Block { site, size, is_sampled: site.is_multiple_of(3) }
}

#[test]
fn a_block_is_found_once() {
    let shadow = shadow();
    assert_eq!(shadow.remove(0x7f00_1000), None);
    assert_eq!(shadow.insert(0x7f00_1000, block(7, 100), AfterFork::Kept), Noted::Yes);
    assert_eq!(shadow.remove(0x7f00_1000), Some(block(7, 100)));
    assert_eq!(shadow.remove(0x7f00_1000), None);
}

#[test]
fn blocks_closer_than_a_word_and_huge_ones_are_kept_apart() {
    let shadow = shadow();
    let sizes =
        [(0x5000, 8), (0x5008, 8), (0x5010, 8), (0x5018, 8), (0x9000, 1 << 45), (0xa000, (1 << 39) - 1)];
    for (site, &(address, size)) in (1..).zip(&sizes) {
        assert_eq!(shadow.insert(address, block(site, size), AfterFork::Kept), Noted::Yes, "{address:x}");
    }
    for (site, &(address, size)) in (1..).zip(&sizes) {
        assert_eq!(shadow.remove(address), Some(block(site, size)), "{address:x}");
    }
    for &(address, _) in &sizes {
        assert_eq!(shadow.remove(address), None);
    }
}

#[test]
fn a_block_in_the_place_of_another_says_so() {
    let shadow = shadow();
    shadow.insert(0x4000, block(1, 10), AfterFork::Kept);
    assert_eq!(shadow.insert(0x4000, block(2, 20), AfterFork::Kept), Noted::Instead(block(1, 10)));
    assert_eq!(shadow.remove(0x4000), Some(block(2, 20)));
}

#[test]
fn many_crowded_blocks_come_and_go_as_in_a_map() {
    let shadow = shadow();
    let mut truth = HashMap::new();
    let mut random = 7u64;
    for _ in 0..200_000 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let address = 0x7f12_3400_0000 + (random as usize % 20_000) * 8;
        if let std::collections::hash_map::Entry::Vacant(e) = truth.entry(address) {
            let block = block(1 + (random >> 40) as u32 % 1000, random >> 30 & 0xffff);
            assert_eq!(shadow.insert(address, block, AfterFork::Kept), Noted::Yes);
            e.insert(block);
        } else {
            assert_eq!(shadow.remove(address), truth.remove(&address));
        }
    }
    for (address, block) in truth {
        assert_eq!(shadow.remove(address), Some(block));
    }
}

#[test]
fn without_sizes_blocks_are_told_apart_as_well() {
    let memory = map_private(size_of::<Shadow>(), AfterFork::Kept).expect("memory");
    let shadow: &'static Shadow = unsafe { memory.cast().as_ref() };
    assert!(shadow.start(AfterFork::Kept, false));
    let blocks = [(0x5000, 1), (0x5008, 2), (0x5010, (1 << 22) - 1), (0x9000, 4)];
    for (address, site) in blocks {
        assert_eq!(shadow.insert(address, block(site, 1 << 45), AfterFork::Kept), Noted::Yes);
    }
    for (address, site) in blocks {
        let known = shadow.remove(address).expect("it was told of");
        assert_eq!(shadow.sized(known, 1 << 45), block(site, 1 << 45), "{address:x}");
    }
}
