//! A figure of the heap as if it were sampled, with bytes in the place of time: what makes a call tree of samples, and an
//! outline of it, makes them of the heap as well.

use calor_model::{LabelTable, Profile, SampleKey, SampleKind, SampleWeight, ThreadId};

use super::{HeapOrder, HeapPlaces, heap_paths};
use crate::{CallTree, HeapGroup, ThreadChoice, TreeOptions};

/// A figure of the heap as a call tree: what each function has with all that it called.
pub struct HeapTree {
    weights: Profile,
}

impl HeapTree {
    /// The figure of the chosen threads; unless whole paths are asked for, they are cut where others would be, too.
    #[must_use]
    pub fn new(profile: &Profile, threads: &ThreadChoice, order: HeapOrder, group: HeapGroup) -> Self {
        let places = match group {
            HeapGroup::WholePath => HeapPlaces::whole_paths(),
            _ => HeapPlaces::cut_paths(profile),
        };
        Self { weights: heap_as_samples(profile, threads, order, &places) }
    }

    /// The tree, in which a nanosecond stands for a byte and a sample for a block.
    #[must_use]
    pub fn tree(&self) -> CallTree<'_> {
        CallTree::of_samples(&self.weights, SampleKind::Cpu, &TreeOptions::default())
    }
}

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
        let rows: Vec<_> = tree
            .outline(9)
            .iter()
            .map(|row| (tree.name(row.node), tree.node(row.node).inclusive_nanos, row.n_folded))
            .collect();
        assert_eq!(rows, [("load", 90, 1), ("parse", 60, 0)]);
        assert!(
            heap_as_samples(&Profile::default(), &ThreadChoice::All, live, &HeapPlaces::default()).is_empty()
        );
    }
}
