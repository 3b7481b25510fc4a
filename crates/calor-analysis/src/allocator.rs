//! Who allocates: from the heap's own rows where the heap was watched, otherwise from what scopes counted.

use std::cmp::Reverse;

use calor_model::{HeapMode, HeapSite, StackId};

use crate::{CallTree, HeapOrder, HeapPath, HeapPlaces, HeapTotals, ThreadChoice, heap_paths};

/// What one call path allocated itself, its callees not included.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Allocator {
    /// The path; of several to one place the one that allocated most.
    pub stack: StackId,
    /// How many paths are added up in it.
    pub n_paths: usize,
    /// Bytes allocated.
    pub allocated_bytes: u64,
    /// Number of allocations.
    pub allocated_count: u64,
    /// Bytes allocated here and not freed; `None` when blocks were not followed to their end.
    pub live_bytes: Option<u64>,
    /// Bytes of this path when the whole heap was largest; `None` when that moment is not known.
    pub peak_bytes: Option<u64>,
    /// Allocations that the next event of the thread freed; `None` when blocks were not followed, or samples do not tell.
    pub temporary_count: Option<u64>,
    /// All figures of the path; `None` when blocks were not followed.
    pub site: Option<HeapSite>,
    /// `allocated_bytes` as a fraction of all allocated bytes.
    pub share: f64,
    /// Whether the figures are estimates.
    pub is_estimated: bool,
}

/// All allocating places, the one with the most bytes first; what stands for paths that were left out is not listed.
/// `tree` is the tree of scopes, which have no place but their own.
#[must_use]
pub fn allocators(tree: &CallTree<'_>, threads: &ThreadChoice, places: &HeapPlaces) -> Vec<Allocator> {
    let mut list =
        if tree.profile().heap.is_empty() { of_scopes(tree) } else { of_heap(tree, threads, places) };
    let whole = list.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.allocated_bytes));
    for entry in &mut list {
        entry.share = entry.allocated_bytes as f64 / whole.max(1) as f64;
    }
    if let Some(left_out) = tree.profile().left_out_frame() {
        list.retain(|entry| tree.profile().stacks.get(entry.stack).frame != left_out);
    }
    list.sort_by_key(|entry| (Reverse((entry.allocated_bytes, entry.allocated_count)), entry.stack));
    list
}

fn of_heap(tree: &CallTree<'_>, threads: &ThreadChoice, places: &HeapPlaces) -> Vec<Allocator> {
    let summary = tree.profile().heap.summary;
    let totals = HeapTotals::of(tree.profile(), &ThreadChoice::All);
    let knows_temporary = totals.is_none_or(|totals| totals.knows_temporary());
    let is_estimated = summary.is_some_and(|summary| summary.mode == HeapMode::Sampled);
    let paths = heap_paths(tree.profile(), threads, HeapOrder::Allocated, places);
    let listed = paths.into_iter().map(|HeapPath { stack, site, n_paths }| Allocator {
        stack,
        n_paths,
        allocated_bytes: site.allocated_bytes,
        allocated_count: site.allocated_count,
        live_bytes: Some(site.live_bytes()),
        peak_bytes: summary.map(|_| site.peak_bytes),
        temporary_count: knows_temporary.then_some(site.temporary_count),
        site: Some(site),
        share: 0.0,
        is_estimated,
    });
    listed.collect()
}

fn of_scopes(tree: &CallTree<'_>) -> Vec<Allocator> {
    tree.nodes()
        .filter_map(|(_, node)| {
            let allocated_count = node.self_allocated_count.filter(|count| *count > 0)?;
            Some(Allocator {
                stack: node.stack,
                n_paths: 1,
                allocated_bytes: node.self_allocated_bytes?,
                allocated_count,
                live_bytes: None,
                peak_bytes: None,
                temporary_count: None,
                site: None,
                share: 0.0,
                is_estimated: false,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeOptions;
    use crate::sketch::Sketch;

    #[test]
    fn without_heap_rows_scopes_tell_who_allocated_less_their_children() {
        let profile = Sketch::new()
            .allocating_scope("main", &["run"], 1000, 10)
            .allocating_scope("main", &["run", "parse"], 900, 4)
            .profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let list = allocators(&tree, &ThreadChoice::All, &HeapPlaces::default());
        let figures: Vec<_> = list
            .iter()
            .map(|a| (profile.stack_name(a.stack), a.allocated_bytes, a.allocated_count))
            .collect();
        assert_eq!(figures, [("parse", 900, 4), ("run", 100, 6)]);
        assert_eq!((list[0].share, list[0].live_bytes), (0.9, None));
    }
}
