//! How long blocks of a place live in the mean. Recorders keep the lifetimes of some blocks, and not by place; but what a
//! place holds in the mean, divided by what it allocates in a second, is how many seconds its bytes live in the mean
//! (Little's law). What it holds is known at the snapshots.

use std::collections::BTreeMap;

use calor_model::{Profile, StackId};

use super::HeapPlaces;

/// Fewer snapshots say too little of what is held in the mean.
const SNAPSHOTS: usize = 8;
/// A place that holds something in fewer of them is not told of.
const SEEN: usize = 3;

/// Nanoseconds that bytes of places live in the mean, about: of places that are seen often enough in snapshots of one run.
/// What a place still holds at the end has lived until then.
#[must_use]
pub fn mean_lifetimes(profile: &Profile, places: &HeapPlaces) -> BTreeMap<StackId, u64> {
    let snapshots: Vec<_> = profile.heap.snapshots.iter().collect();
    let [first, .., last] = &snapshots[..] else { return BTreeMap::default() };
    let span = last.at_nanos.saturating_sub(first.at_nanos);
    if snapshots.len() < SNAPSHOTS || profile.runs.len() > 1 || span == 0 {
        return BTreeMap::default();
    }
    // Bytes times nanoseconds, and snapshots in which there were any. A snapshot stands for half the time to its neighbours.
    let mut held: BTreeMap<StackId, (f64, usize)> = BTreeMap::default();
    for (at, snapshot) in snapshots.iter().enumerate() {
        let before = snapshots[at.saturating_sub(1)].at_nanos;
        let after = snapshots.get(at + 1).map_or(snapshot.at_nanos, |next| next.at_nanos);
        let weight = (after - before) as f64 / 2.0;
        let mut of_places: BTreeMap<StackId, u64> = BTreeMap::default();
        for (stack, blocks) in snapshot.iter() {
            let sum = of_places.entry(places.of(stack)).or_default();
            *sum = sum.saturating_add(blocks.bytes);
        }
        for (place, bytes) in of_places {
            let sum = held.entry(place).or_default();
            *sum = (sum.0 + bytes as f64 * weight, sum.1 + 1);
        }
    }
    let mut allocated: BTreeMap<StackId, u64> = BTreeMap::default();
    for (key, site) in profile.heap.iter() {
        let sum = allocated.entry(places.of(key.stack)).or_default();
        *sum = sum.saturating_add(site.allocated_bytes);
    }
    let lifetime = |(place, (held, seen)): (StackId, (f64, usize))| {
        let bytes = allocated.get(&place).copied().filter(|bytes| *bytes > 0)?;
        (seen >= SEEN).then_some((place, (held / bytes as f64) as u64))
    };
    held.into_iter().filter_map(lifetime).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use calor_model::{FrameKind, HeapBlocks, HeapKey, HeapSite, HeapSnapshot, LabelTable};

    #[test]
    fn what_is_held_in_the_mean_by_what_is_allocated_is_how_long_it_lives() {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        let mut place = |name, allocated_bytes| {
            let stack = profile.intern_named_path(&["main", name], FrameKind::Native).expect("a path");
            let site = HeapSite { allocated_bytes, allocated_count: 1, ..HeapSite::default() };
            profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
            stack
        };
        // One holds 100 bytes all the time, of 10,000 in ten seconds; one holds all that it ever got; one is hardly seen.
        let [passing, kept, rare] = [place("passing", 10_000), place("kept", 500), place("rare", 9)];
        for second in 0..=10 {
            let mut snapshot = HeapSnapshot::new(second * 1_000_000_000);
            snapshot.add(passing, HeapBlocks { count: 1, bytes: 100 });
            snapshot.add(kept, HeapBlocks { count: 1, bytes: 500 });
            if second == 4 {
                snapshot.add(rare, HeapBlocks { count: 1, bytes: 9 });
            }
            profile.heap.snapshots.add(snapshot);
        }
        let found = mean_lifetimes(&profile, &HeapPlaces::whole_paths());
        assert_eq!(found.get(&passing), Some(&100_000_000));
        assert_eq!(found.get(&kept), Some(&10_000_000_000));
        assert_eq!(found.get(&rare), None);
        profile.heap.snapshots = Default::default();
        assert!(mean_lifetimes(&profile, &HeapPlaces::whole_paths()).is_empty());
    }
}
