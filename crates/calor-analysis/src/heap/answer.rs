//! Everything that is known of a heap, before it is put into words: one value for the report and for what is asked about
//! the heap alone.

use std::collections::BTreeMap;

use calor_model::{CounterPoint, HEAP_LIVE, HeapSite, Profile, RSS, StackId};

use crate::{
    Allocator, CallTree, Error, Growth, HeapGroup, HeapOrder, HeapPath, HeapPlaces, HeapTotals, Leaks,
    Residence, Suppressions, ThreadChoice, TreeOptions, allocators, growth, heap_paths, is_heap_by_thread,
    leaks, mapped, mean_lifetimes, selection,
};

/// The facts of a heap that was watched.
pub struct HeapAnswer {
    /// The places that lists have a row for.
    pub places: HeapPlaces,
    /// All of it.
    pub totals: HeapTotals,
    /// What was never freed, the largest first.
    pub leaks: Leaks,
    /// What grew while the program ran.
    pub growth: Growth,
    /// Who allocated most.
    pub allocated: Vec<HeapPath>,
    /// Who held most when the heap was largest.
    pub peak: Vec<HeapPath>,
    /// Who freed most at once.
    pub temporary: Vec<HeapPath>,
    /// How long bytes of places lived in the mean, where snapshots tell.
    pub lifetimes: BTreeMap<StackId, u64>,
    /// What the program mapped itself.
    pub mapped: HeapSite,
    /// The heap beside the program's memory; `None` where they were not both watched.
    pub residence: Option<Residence>,
    /// What was held over time.
    pub live_points: Vec<CounterPoint>,
    /// The program's memory over time.
    pub rss_points: Vec<CounterPoint>,
}

impl HeapAnswer {
    /// What is known of the heap of the chosen threads, in lists of places.
    ///
    /// # Errors
    /// When the heap was not recorded, or not by thread and one is chosen, or there is no thread of that name.
    pub fn of(
        profile: &Profile,
        threads: &ThreadChoice,
        suppressions: &Suppressions,
        group: HeapGroup,
    ) -> Result<Self, Error> {
        let totals = HeapTotals::of(profile, threads).ok_or_else(|| missing(profile))?;
        if *threads != ThreadChoice::All && !is_heap_by_thread(profile) {
            return Err(Error::HeapNotByThread);
        }
        selection::check_thread(profile, threads)?;
        Ok(Self::new(profile, totals, threads, suppressions, &HeapPlaces::new(profile, group)))
    }

    /// The same; `totals` are those of the chosen threads. Growth, memory and what is over time are of all threads.
    pub(crate) fn new(
        profile: &Profile,
        totals: HeapTotals,
        threads: &ThreadChoice,
        suppressions: &Suppressions,
        places: &HeapPlaces,
    ) -> Self {
        Self {
            places: places.clone(),
            totals,
            leaks: leaks(profile, threads, suppressions, places),
            growth: growth(profile, places),
            allocated: heap_paths(profile, threads, HeapOrder::Allocated, places),
            lifetimes: mean_lifetimes(profile, places),
            mapped: mapped(profile, threads),
            peak: heap_paths(profile, threads, HeapOrder::Peak, places),
            temporary: heap_paths(profile, threads, HeapOrder::Temporary, places),
            residence: Residence::of(profile),
            live_points: profile.heap_points(HEAP_LIVE),
            rss_points: profile.heap_points(RSS),
        }
    }

    /// The places in the order of a figure; of what was never freed without what is known and meant to be.
    #[must_use]
    pub fn listed(&self, order: HeapOrder) -> &[HeapPath] {
        match order {
            HeapOrder::Allocated => &self.allocated,
            HeapOrder::Peak => &self.peak,
            HeapOrder::Temporary => &self.temporary,
            HeapOrder::Live => &self.leaks.paths,
        }
    }

    /// Who allocates, the heap's places and scopes that counted for themselves.
    #[must_use]
    pub fn allocators(&self, profile: &Profile, threads: &ThreadChoice) -> Vec<Allocator> {
        let tree = CallTree::of_scopes(profile, &TreeOptions::default());
        allocators(&tree, threads, &self.places)
    }
}

/// Whether the heap was recorded.
///
/// # Errors
/// When it was not, with the reason as far as the recorder reported it.
pub fn check_heap(profile: &Profile) -> Result<(), Error> {
    profile.heap.summary.map(|_| ()).ok_or_else(|| missing(profile))
}

/// Why a profile has no heap.
fn missing(profile: &Profile) -> Error {
    let said = |code: &str| profile.warnings.iter().find(|warning| warning.code == code);
    match said("heap_not_watched").or_else(|| said("heap_not_begun")) {
        Some(warning) => Error::HeapNotWatched { why: warning.message.clone() },
        None if profile.scopes.iter().any(|(_, stats)| stats.memory.is_some()) => Error::HeapOfSums,
        None => Error::HeapNotRecorded,
    }
}
