//! The hot list of a program that calls itself: paths that differ in nothing but how deep a recursion was are one
//! entry. Sampled by depth, a recursive function would fill a page with rows that each say little.

use std::cmp::Reverse;

use calor_model::Frame;
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::totals::first;
use crate::{CallTree, HotPath, NodeId, Order, Totals};

/// Paths that are one once every function that called itself is on them once.
pub(crate) struct FoldedPath {
    nodes: Vec<NodeId>,
    pub(crate) totals: Totals,
}

/// The first `limit` entries of the hot list, or all, with direct recursion folded, and how many there are. What is
/// listed at all is as in [`hot_paths`](crate::hot_paths).
#[must_use]
pub fn folded_paths(tree: &CallTree<'_>, order: Order, limit: Option<usize>) -> (Vec<HotPath>, usize) {
    let mut all = listed(tree);
    let n_all = all.len();
    let outermost = |path: &FoldedPath| path.nodes.iter().min().copied();
    let keys = all.iter().enumerate().map(|(place, path)| (path.totals.key(order), outermost(path), place));
    let chosen = first(keys.collect(), limit.unwrap_or(usize::MAX));
    let entries = chosen.into_iter().map(|(_, _, place)| {
        let mut nodes = std::mem::take(&mut all[place].nodes);
        nodes.sort_unstable_by_key(|id| (Reverse(tree.node(*id).self_nanos), *id));
        HotPath::new(tree, nodes, all[place].totals)
    });
    (entries.collect(), n_all)
}

/// All entries, in no order.
pub(crate) fn listed(tree: &CallTree<'_>) -> Vec<FoldedPath> {
    let left_out = tree.profile().left_out_frame();
    let mut numbers: IndexMap<_, (), RandomState> = IndexMap::default();
    let mut paths: Vec<FoldedPath> = Vec::new();
    let mut waiting: Vec<(NodeId, Option<usize>)> = tree.roots().iter().map(|root| (*root, None)).collect();
    while let Some((id, caller)) = waiting.pop() {
        let node = tree.node(id);
        let function = identity(tree.frame(id));
        let calls_itself = caller.filter(|caller| {
            let key: Option<(&(Option<usize>, _), &())> = numbers.get_index(*caller);
            key.is_some_and(|((_, known), ())| *known == function)
        });
        let number = calls_itself.unwrap_or_else(|| numbers.insert_full((caller, function), ()).0);
        if number == paths.len() {
            paths.push(FoldedPath { nodes: Vec::new(), totals: Totals::default() });
        }
        if Some(node.frame) != left_out {
            paths[number].nodes.push(id);
            paths[number].totals.add(&node, calls_itself.is_none());
        }
        waiting.extend(tree.children(id).iter().map(|child| (*child, Some(number))));
    }
    paths.retain(|path| path.totals.is_listed());
    paths
}

/// What makes two frames the same function: not the line, which differs inside one.
fn identity(frame: Frame) -> impl Eq + std::hash::Hash + Copy {
    (frame.name, frame.kind, frame.module, frame.file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeOptions;
    use crate::sketch::Sketch;
    use calor_model::SampleKind;

    #[test]
    fn paths_that_differ_in_the_depth_of_a_recursion_alone_are_one() {
        let profile = Sketch::new()
            .samples("main", SampleKind::Cpu, &["main", "fib"], 1)
            .samples("main", SampleKind::Cpu, &["main", "fib", "fib"], 2)
            .samples("main", SampleKind::Cpu, &["main", "fib", "fib", "fib"], 4)
            .samples("main", SampleKind::Cpu, &["main", "fib", "fib", "add"], 8)
            .samples("main", SampleKind::Cpu, &["main", "fib", "add"], 16)
            .samples("main", SampleKind::Cpu, &["main", "run", "fib"], 32)
            .profile();
        let tree = CallTree::of_samples(&profile, SampleKind::Cpu, &TreeOptions::default());
        let (list, n_all) = folded_paths(&tree, Order::SelfTime, None);
        let per_sample = tree.recorded_nanos() / 63;
        let rows: Vec<_> = list
            .iter()
            .map(|entry| {
                let path = profile.path_names(tree.node(entry.nodes[0]).stack).join(" ");
                (path, entry.nodes.len(), entry.samples, entry.total_nanos / per_sample)
            })
            .collect();
        let expected = [
            ("main run fib".to_owned(), 1, Some(32), 32),
            ("main fib add".to_owned(), 2, Some(24), 24),
            ("main fib fib fib".to_owned(), 3, Some(7), 31),
        ];
        assert_eq!((&rows[..], n_all), (&expected[..], 3));
        let (first, n_all) = folded_paths(&tree, Order::Total, Some(1));
        assert_eq!((first.len(), first[0].samples, n_all), (1, Some(32), 3));
    }
}
