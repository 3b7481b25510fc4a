//! The heap as rules see it: by the line of the program that asked for the memory.

use std::collections::BTreeMap;

use calor_model::{HeapSite, Profile, StackId};

use crate::findings::Share;
use crate::{
    Growth, HeapOrder, HeapPlaces, HeapTotals, Leaks, Residence, Suppressions, ThreadChoice, growth,
    heap_paths, leaks, mean_lifetimes,
};

/// The heap of a profile.
#[derive(Clone, Debug)]
pub struct HeapFacts {
    /// All of it.
    pub totals: HeapTotals,
    /// Places of the program, the one with the most bytes allocated first.
    pub places: Vec<HeapPlace>,
    /// What grew.
    pub growth: Growth,
    /// What was never freed.
    pub leaks: Leaks,
    /// The memory of the process beside the heap; `None` where it was not watched.
    pub residence: Option<Residence>,
    /// How long bytes of places live in the mean, in nanoseconds, of places of which that is known.
    pub lifetimes: BTreeMap<StackId, u64>,
}

/// What one place did to the heap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HeapPlace {
    /// The place.
    pub stack: StackId,
    /// Its figures.
    pub site: HeapSite,
}

impl HeapFacts {
    pub(super) fn of(profile: &Profile) -> Option<Self> {
        let totals = HeapTotals::of(profile, &ThreadChoice::All)?;
        let owners = HeapPlaces::owners(profile);
        let paths = heap_paths(profile, &ThreadChoice::All, HeapOrder::Allocated, &owners);
        Some(Self {
            totals,
            places: paths.into_iter().map(|path| HeapPlace { stack: path.stack, site: path.site }).collect(),
            growth: growth(profile, &owners),
            leaks: leaks(profile, &ThreadChoice::All, &Suppressions::default(), &owners),
            residence: Residence::of(profile),
            lifetimes: mean_lifetimes(profile, &owners),
        })
    }

    /// Bytes as a part of the peak, with what sampling leaves uncertain.
    #[must_use]
    pub fn share_of_peak(&self, site: &HeapSite) -> Share {
        let peak = self.totals.peak_bytes.max(1) as f64;
        let of = |bytes: u64| bytes as f64 / peak;
        let [low, high] = site.peak_interval().unwrap_or([site.peak_bytes; 2]);
        Share::between(of(low), of(site.peak_bytes), of(high))
    }

    /// Whether there is enough to judge growth by.
    pub(crate) fn has_growth(&self) -> bool {
        matches!(self.growth, Growth::Measured { .. })
    }
}

#[cfg(test)]
mod tests {
    use crate::findings::Facts;
    use crate::findings::draft::Draft;
    use calor_model::HeapSite;

    #[test]
    fn memory_is_told_by_the_line_that_asked_for_it() {
        let site = |bytes| HeapSite {
            allocated_bytes: bytes,
            allocated_count: 1,
            peak_bytes: bytes,
            ..HeapSite::default()
        };
        let profile = Draft::new()
            .heap(&["app::main@src/main.rs:3", "app::load@src/load.rs:7", "malloc!libc.so.6"], site(300))
            .heap(&["app::main@src/main.rs:3", "app::load@src/load.rs:7", "alloc::alloc!app"], site(100))
            .heap(&["app::main@src/main.rs:3"], site(100))
            .profile();
        let facts = Facts::new(&profile, None);
        let heap = facts.heap().unwrap();
        let told: Vec<_> =
            heap.places.iter().map(|place| (facts.name(place.stack), place.site.allocated_bytes)).collect();
        assert_eq!(told, [("app::load", 400), ("app::main", 100)]);
        assert_eq!((heap.totals.peak_bytes, heap.share_of_peak(&heap.places[0].site).estimate), (500, 0.8));
        assert!(!heap.has_growth());
        assert!(Facts::new(&Draft::new().profile(), None).heap().is_none());
    }
}
