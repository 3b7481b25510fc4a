//! What call paths hold at an instant, without anything else of them: short enough to be looked at again and again.

use std::mem::offset_of;

use super::{Image, ImageError, Words};
use crate::arena::{TABLE_OFFSET, reserved_blocks};
use crate::layout::{BLOCK, Counters, Header, Kind, MAGIC, MAX_SITES, OWN, SITES_PER_SEGMENT};
use crate::sampled::PARTS;

/// Blocks that a call path holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeldImage {
    /// Which path: [`SiteImage::number`](super::SiteImage::number).
    pub site: u32,
    /// How many blocks.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Image {
    /// How many call paths there are so far.
    ///
    /// # Errors
    /// As for [`Image::read`].
    pub fn n_paths(word: &dyn Fn(u64) -> Option<u64>) -> Result<u32, ImageError> {
        Words { word }.half(offset_of!(Header, sites))
    }

    /// What call paths hold now, for those that hold something.
    ///
    /// # Errors
    /// As for [`Image::read`].
    pub fn held(word: &dyn Fn(u64) -> Option<u64>) -> Result<Vec<HeldImage>, ImageError> {
        let words = Words { word };
        if words.at(offset_of!(Header, magic))? != MAGIC {
            return Err(ImageError::NotStarted);
        }
        let parts = if words.half(offset_of!(Header, mode))? == 1 { 1.0 } else { PARTS };
        let length = words.at(offset_of!(Header, length))? as usize;
        let blocks = (words.half(offset_of!(Header, blocks))? as usize).min(length / BLOCK);
        let n_sites = words.half(offset_of!(Header, sites))?.min(MAX_SITES);
        // Of one thread alone, frees may be more than allocations.
        let mut sums = vec![(0_u64, 0_u64); n_sites as usize];
        for number in reserved_blocks(length)..blocks {
            let entry = words.at(TABLE_OFFSET + number * 8)?;
            let is_own = (entry >> 24) as u32 & OWN != 0;
            if entry >> 48 != Kind::Counters as u64 || is_own {
                continue;
            }
            let first = ((entry & 0xff_ffff) as u32).saturating_mul(SITES_PER_SEGMENT);
            for position in 0..n_sites.saturating_sub(first).min(SITES_PER_SEGMENT) {
                let at = number * BLOCK + position as usize * size_of::<Counters>();
                let (count, bytes) = &mut sums[(first + position) as usize];
                *count = count
                    .wrapping_add(words.at(at + offset_of!(Counters, allocated_count))?)
                    .wrapping_sub(words.at(at + offset_of!(Counters, freed_count))?);
                *bytes = bytes
                    .wrapping_add(words.at(at + offset_of!(Counters, allocated_bytes))?)
                    .wrapping_sub(words.at(at + offset_of!(Counters, freed_bytes))?);
            }
        }
        let held = (0..).zip(sums).filter_map(|(site, (count, bytes))| {
            // What is freed while it is looked at may be seen before what was allocated.
            let is_held = (count as i64) > 0 && (bytes as i64) >= 0;
            is_held.then(|| HeldImage { site, count: (count as f64 / parts).round() as u64, bytes })
        });
        Ok(held.collect())
    }
}
