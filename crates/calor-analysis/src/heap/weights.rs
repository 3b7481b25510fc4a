//! A figure of the heap as if it were sampled, with bytes in the place of time: what makes a call tree of samples, and an
//! outline of it, makes them of the heap as well.

use calor_model::{LabelTable, Profile, SampleKey, SampleKind, SampleWeight, ThreadId};

use super::{HeapOrder, HeapPlaces, heap_paths};
use crate::ThreadChoice;

/// A profile of samples of [`SampleKind::Cpu`] alone, under the same handles: a nanosecond of one stands for a byte, and a
/// sample for a block.
#[must_use]
pub fn heap_as_samples(
    profile: &Profile,
    threads: &ThreadChoice,
    order: HeapOrder,
    places: &HeapPlaces,
) -> Profile {
    let mut weights = Profile {
        strings: profile.strings.clone(),
        frames: profile.frames.clone(),
        stacks: profile.stacks.clone(),
        threads: profile.threads.clone(),
        ..Profile::default()
    };
    // Threads are added up already, so any of them will do.
    let Some(thread) = (!profile.threads.is_empty()).then(|| ThreadId::from_index(0)) else { return weights };
    for path in heap_paths(profile, threads, order, places) {
        let (labels, at_nanos) = (LabelTable::none(), None);
        let key = SampleKey { kind: SampleKind::Cpu, stack: path.stack, thread, labels, at_nanos };
        let blocks = order.blocks(&path.site);
        weights.samples.add(key, SampleWeight { count: blocks.count, nanos: blocks.bytes });
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;
    use crate::{CallTree, TreeOptions, outline};

    #[test]
    fn a_call_tree_of_the_heap_has_bytes_for_time() {
        let profile = Sketch::new()
            .heap(&["main", "load", "parse"], 100, 40)
            .heap(&["main", "load"], 30, 0)
            .heap(&["main", "run"], 50, 50)
            .profile();
        let live = HeapOrder::Live;
        let weights = heap_as_samples(&profile, &ThreadChoice::All, live, &HeapPlaces::whole_paths());
        let tree = CallTree::of_samples(&weights, SampleKind::Cpu, &TreeOptions::default());
        let rows: Vec<_> = outline(&tree, 9)
            .iter()
            .map(|row| (tree.name(row.node), tree.node(row.node).inclusive_nanos, row.n_folded))
            .collect();
        assert_eq!(rows, [("load", 90, 1), ("parse", 60, 0)]);
        assert!(
            heap_as_samples(&Profile::default(), &ThreadChoice::All, live, &HeapPlaces::default()).is_empty()
        );
    }
}
