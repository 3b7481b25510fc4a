//! What was told of the call paths of one process. A profile is written in parts that add up, so that each part has what
//! came since the last one; and a path that was small and grew is told of another place than before, which must not make
//! either place free more than it allocated.

use std::collections::HashMap;

use calor_heap::{Mode, SiteImage};
use calor_model::{HeapBlocks, HeapSite};

use crate::python::Written;

/// The paths of one process by their numbers, what was told of them, and what they are called.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// As they were when they were last told of, and where that was.
    before: Vec<(SiteImage, u32)>,
    /// Places that they were told of before, with what those still hold, the first one first.
    earlier: HashMap<u32, Vec<(u32, HeapBlocks)>>,
    /// The paths of those that are told with all their frames.
    pub(super) nodes: HashMap<u32, Option<u32>>,
    pub(super) functions: Written,
}

/// Not told of yet.
const NOWHERE: u32 = u32::MAX;

impl Told {
    /// What a path did since it was last told of.
    pub(super) fn news(&self, now: &SiteImage, mode: Mode, tells_peak: bool) -> HeapSite {
        let before = self.before.get(now.number as usize).map_or_else(SiteImage::default, |before| before.0);
        let count = |now: f64, before: f64| (now.round() - before.round()).max(0.0) as u64;
        let live = |site: &SiteImage| site.allocated_bytes.saturating_sub(site.freed_bytes) as f64;
        // Blocks of one path are much alike, so that what is held has its part of the variance.
        let part = |site: &SiteImage, of: f64| match site.allocated_bytes {
            0 => 0.0,
            all => site.variance * of / all as f64,
        };
        let mut news = HeapSite {
            allocated_bytes: now.allocated_bytes.saturating_sub(before.allocated_bytes),
            allocated_count: count(now.allocated_count, before.allocated_count),
            freed_bytes: now.freed_bytes.saturating_sub(before.freed_bytes),
            freed_count: count(now.freed_count, before.freed_count),
            temporary_bytes: now.temporary_bytes.saturating_sub(before.temporary_bytes),
            temporary_count: now.temporary_count.saturating_sub(before.temporary_count),
            ..HeapSite::default()
        };
        if tells_peak {
            news.peak_bytes = now.peak_bytes;
            news.peak_count = now.peak_count.round() as u64;
        }
        if mode == Mode::Sampled {
            news.samples = now.samples.saturating_sub(before.samples);
            news.allocated_variance = (now.variance - before.variance).max(0.0);
            news.live_variance = part(now, live(now)) - part(&before, live(&before));
            news.peak_variance = if tells_peak { part(now, now.peak_bytes as f64) } else { 0.0 };
        }
        news
    }

    /// From now on, news are what comes after this.
    pub(super) fn keep(&mut self, now: &SiteImage, target: u32) {
        let index = now.number as usize;
        if self.before.len() <= index {
            self.before.resize(index + 1, (SiteImage::default(), NOWHERE));
        }
        self.before[index] = (*now, target);
    }

    /// Tells news of a path by `tell`, of a place: what is freed now was allocated at the place that the path had first.
    pub(super) fn place(
        &mut self,
        now: &SiteImage,
        mut news: HeapSite,
        target: u32,
        mut tell: impl FnMut(u32, HeapSite),
    ) {
        let last = self.before.get(now.number as usize).map_or(NOWHERE, |before| before.1);
        if last != target && last != NOWHERE {
            let held = self.held_before(now.number);
            self.earlier.entry(now.number).or_default().push((last, held));
        }
        if let Some(earlier) = self.earlier.get_mut(&now.number) {
            for (place, blocks) in &mut *earlier {
                let freed = HeapSite {
                    freed_count: blocks.count.min(news.freed_count),
                    freed_bytes: blocks.bytes.min(news.freed_bytes),
                    ..HeapSite::default()
                };
                if freed != HeapSite::default() {
                    blocks.count -= freed.freed_count;
                    blocks.bytes -= freed.freed_bytes;
                    news.freed_count -= freed.freed_count;
                    news.freed_bytes -= freed.freed_bytes;
                    tell(*place, freed);
                }
            }
            earlier.retain(|(_, blocks)| !blocks.is_empty());
            if earlier.is_empty() {
                self.earlier.remove(&now.number);
            }
        }
        if news != HeapSite::default() {
            tell(target, news);
        }
    }

    /// What the place holds that a path was last told of.
    fn held_before(&self, number: u32) -> HeapBlocks {
        let before = &self.before[number as usize].0;
        let elsewhere = self.earlier.get(&number).into_iter().flatten();
        let elsewhere = elsewhere.fold(HeapBlocks::default(), |mut sum, (_, blocks)| {
            sum.add(*blocks);
            sum
        });
        let count = (before.allocated_count.round() - before.freed_count.round()).max(0.0) as u64;
        let bytes = before.allocated_bytes.saturating_sub(before.freed_bytes);
        HeapBlocks {
            count: count.saturating_sub(elsewhere.count),
            bytes: bytes.saturating_sub(elsewhere.bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A path allocates and frees, and is told of other places from time to time.
        #[test]
        fn no_place_frees_more_than_it_allocated_and_all_of_them_add_up(
            turns in proptest::collection::vec((0_u64..50, 0_u64..50, 0_u32..3, 1_u64..9), 1..30),
        ) {
            let mut told = Told::default();
            let mut now = SiteImage { number: 5, ..SiteImage::default() };
            let mut places = HashMap::<u32, HeapSite>::new();
            for (made, gone, target, size) in turns {
                now.allocated_count += made as f64;
                now.allocated_bytes += made * size;
                let held = now.allocated_count - now.freed_count;
                let gone = gone.min(held as u64);
                let bytes = now.allocated_bytes - now.freed_bytes;
                now.freed_count += gone as f64;
                now.freed_bytes += if gone as f64 == held { bytes } else { gone.min(bytes) };
                let news = told.news(&now, Mode::Exact, false);
                told.place(&now, news, target, |place, site| places.entry(place).or_default().add(&site));
                told.keep(&now, target);
                let mut sum = HeapSite::default();
                for place in places.values() {
                    prop_assert!(place.freed_bytes <= place.allocated_bytes, "{:?}", places);
                    prop_assert!(place.freed_count <= place.allocated_count, "{:?}", places);
                    sum.add(place);
                }
                prop_assert_eq!((sum.allocated_bytes, sum.freed_bytes), (now.allocated_bytes, now.freed_bytes));
                prop_assert_eq!((sum.allocated_count, sum.freed_count), (now.allocated_count as u64, now.freed_count as u64));
            }
        }
    }
}
