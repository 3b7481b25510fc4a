//! What call paths hold at an instant, without anything else of them: short enough to be looked at again and again.

use std::mem::offset_of;

use super::Image;
use calor_paths::{BlockImage, ImageError, RegionImage, Words};

use crate::layout::{COUNTERS, Counters, Header, MAGIC, OWN, SITES_PER_SEGMENT};
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
        RegionImage::n_sites(&Words::new(word))
    }

    /// What call paths hold now, for those that hold something.
    ///
    /// # Errors
    /// As for [`Image::read`].
    pub fn held(word: &dyn Fn(u64) -> Option<u64>) -> Result<Vec<HeldImage>, ImageError> {
        let words = Words::new(word);
        RegionImage::process(&words, MAGIC)?;
        let mode = words.half(RegionImage::OWNER + offset_of!(Header, mode))?;
        let parts = if mode == 1 { 1.0 } else { PARTS };
        let n_sites = RegionImage::n_sites(&words)?;
        // Of one thread alone, frees may be more than allocations.
        let mut sums = vec![(0_u64, 0_u64); n_sites as usize];
        for BlockImage { kind, owner, index, at } in RegionImage::blocks(&words)? {
            if kind != COUNTERS || owner & OWN != 0 {
                continue;
            }
            let first = index.saturating_mul(SITES_PER_SEGMENT);
            for position in 0..n_sites.saturating_sub(first).min(SITES_PER_SEGMENT) {
                let at = at + position as usize * size_of::<Counters>();
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
