//! Everything that is known of a heap, before it is put into words: one value for the report and for what is asked about
//! the heap alone.

use std::collections::BTreeMap;

use calor_model::{CounterPoint, HEAP_LIVE, HeapSite, Profile, RSS, StackId};

use crate::{
    Growth, HeapOrder, HeapPath, HeapPlaces, HeapTotals, Leaks, Residence, Suppressions, ThreadChoice,
    growth, heap_paths, leaks, mapped, mean_lifetimes,
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
    /// Finds the facts; `totals` are those of the chosen threads. Growth, memory and what is over time are of all threads.
    #[must_use]
    pub fn new(
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
}
