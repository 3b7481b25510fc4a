//! Call paths by what they did to the heap: the list behind every question about who.

use std::cmp::Reverse;

use calor_model::{HeapBlocks, HeapSite, Profile, StackId};

use super::HeapPlaces;
use super::thread::heap_mask;
use crate::ThreadChoice;

/// What one call path did to the heap itself, its callees not included.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HeapPath {
    /// The path.
    pub stack: StackId,
    /// Its figures, all chosen threads together where the heap is told by thread.
    pub site: HeapSite,
}

/// What paths are listed by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HeapOrder {
    /// Bytes allocated.
    #[default]
    Allocated,
    /// Bytes not freed.
    Live,
    /// Bytes held when the heap was largest.
    Peak,
    /// Bytes freed by the next event of the thread.
    Temporary,
}

impl HeapOrder {
    /// The blocks of a site that this order is about.
    #[must_use]
    pub fn blocks(self, site: &HeapSite) -> HeapBlocks {
        let (count, bytes) = match self {
            Self::Allocated => (site.allocated_count, site.allocated_bytes),
            Self::Live => (site.live_count(), site.live_bytes()),
            Self::Peak => (site.peak_count, site.peak_bytes),
            Self::Temporary => (site.temporary_count, site.temporary_bytes),
        };
        HeapBlocks { count, bytes }
    }

    /// The variance of the bytes of a site; 0 when they were counted.
    #[must_use]
    pub fn variance(self, site: &HeapSite) -> f64 {
        match self {
            Self::Allocated => site.allocated_variance,
            Self::Live => site.live_variance,
            Self::Peak => site.peak_variance,
            Self::Temporary => 0.0,
        }
    }

    /// Where the bytes of a site truly lie, with 95 % certainty; `None` when they were counted or nobody knows.
    #[must_use]
    pub fn interval(self, site: &HeapSite) -> Option<[u64; 2]> {
        match self {
            Self::Allocated => site.allocated_interval(),
            Self::Live => site.live_interval(),
            Self::Peak => site.peak_interval(),
            Self::Temporary => None,
        }
    }
}

/// The places that have anything to show in that order, the one with the most bytes first. What stands for paths that
/// were left out is not listed.
#[must_use]
pub fn heap_paths(
    profile: &Profile,
    threads: &ThreadChoice,
    order: HeapOrder,
    places: &HeapPlaces,
) -> Vec<HeapPath> {
    rows(profile, threads, order, |stack| Some(places.of(stack)))
}

/// The same of the paths that `place` gives a place in the list.
pub(super) fn rows(
    profile: &Profile,
    threads: &ThreadChoice,
    order: HeapOrder,
    place: impl Fn(StackId) -> Option<StackId>,
) -> Vec<HeapPath> {
    let chosen = heap_mask(profile, threads);
    let mut sites: Vec<Option<HeapSite>> = vec![None; profile.stacks.len()];
    for (key, site) in profile.heap.iter() {
        let is_chosen = chosen.get(key.thread.index()).copied().unwrap_or(false);
        if let Some(stack) = place(key.stack).filter(|_| is_chosen) {
            sites[stack.index()].get_or_insert_default().add(site);
        }
    }
    let left_out = profile.left_out_frame();
    let listed = sites.into_iter().enumerate().filter_map(|(index, site)| {
        let (stack, site) = (StackId::from_index(index), site?);
        let is_listed = !order.blocks(&site).is_empty() && Some(profile.stacks.get(stack).frame) != left_out;
        is_listed.then_some(HeapPath { stack, site })
    });
    let mut paths: Vec<HeapPath> = listed.collect();
    paths.sort_by_key(|path| {
        let blocks = order.blocks(&path.site);
        (Reverse((blocks.bytes, blocks.count)), path.stack)
    });
    paths
}
