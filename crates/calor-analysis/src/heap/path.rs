//! Places by what they did to the heap: the list behind every question about who.

use std::cmp::Reverse;

use calor_model::{HeapBlocks, HeapSite, Profile, StackId};

use super::HeapPlaces;
use super::thread::heap_mask;
use crate::ThreadChoice;

/// What one call path did to the heap itself, its callees not included, or all paths to one place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HeapPath {
    /// The path; of several the one that allocated most.
    pub stack: StackId,
    /// Its figures, all chosen threads together where the heap is told by thread.
    pub site: HeapSite,
    /// How many call paths are added up in it that have anything to show.
    pub n_paths: usize,
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
    rows(profile, threads, order, places, |_| true)
}

/// The same of the paths that are wanted.
pub(super) fn rows(
    profile: &Profile,
    threads: &ThreadChoice,
    order: HeapOrder,
    places: &HeapPlaces,
    is_wanted: impl Fn(StackId) -> bool,
) -> Vec<HeapPath> {
    let chosen = heap_mask(profile, threads);
    let mut of_paths: Vec<Option<HeapSite>> = vec![None; profile.stacks.len()];
    for (key, site) in profile.heap.iter() {
        if chosen.get(key.thread.index()).copied().unwrap_or(false) && is_wanted(key.stack) {
            of_paths[places.path(key.stack).index()].get_or_insert_default().add(site);
        }
    }
    let mut of_places: Vec<Option<HeapPath>> = vec![None; profile.stacks.len()];
    for (index, site) in of_paths.iter().enumerate() {
        let Some(site) = site else { continue };
        let stack = places.of(StackId::from_index(index));
        let nothing = HeapPath { stack, site: HeapSite::default(), n_paths: 0 };
        let place = of_places[stack.index()].get_or_insert(nothing);
        place.site.add(site);
        place.n_paths += usize::from(!order.blocks(site).is_empty());
    }
    let left_out = profile.left_out_frame();
    let is_listed = |path: &HeapPath| {
        !order.blocks(&path.site).is_empty() && Some(profile.stacks.get(path.stack).frame) != left_out
    };
    let mut paths: Vec<HeapPath> = of_places.into_iter().flatten().filter(is_listed).collect();
    paths.sort_by_key(|path| {
        let blocks = order.blocks(&path.site);
        (Reverse((blocks.bytes, blocks.count)), path.stack)
    });
    paths
}
