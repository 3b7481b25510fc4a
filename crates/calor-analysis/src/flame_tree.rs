//! A flame graph before it is drawn: call paths merged into a tree, laid out from left to right. Nodes are kept
//! in columns, depth first and siblings by name, so that equal programs give equal pictures and a node's inside
//! is the run of nodes behind it. Built in time linear in the weights and the paths they stand on.

use std::ops::Range;

use calor_model::Profile;

use crate::counting_sort::by_place;
use crate::flame_paths::{FlameFrame, FlamePaths, ROOT};
use crate::{FlameMetric, FlameUnit};

/// How paths become a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FlameTreeOptions {
    /// Whether each thread is a tree of its own under the root.
    pub is_by_thread: bool,
    /// Whether the tree starts at the innermost frames and leads to their callers.
    pub is_inverted: bool,
}

/// The tree of one metric. Node 0 is the root and holds everything.
#[derive(Clone, Debug)]
pub struct FlameTree<'p> {
    metric: String,
    unit: FlameUnit,
    options: FlameTreeOptions,
    frames: Vec<FlameFrame<'p>>,
    frame: Vec<u32>,
    parent: Vec<u32>,
    depth: Vec<u32>,
    start: Vec<u64>,
    own: Vec<u64>,
    total: Vec<u64>,
    end: Vec<u32>,
}

/// One node of a [`FlameTree`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FlameNode<'t, 'p> {
    /// What it is.
    pub frame: &'t FlameFrame<'p>,
    /// Which of [`FlameTree::frames`] that is.
    pub frame_idx: usize,
    /// The calling node; `None` at the root.
    pub parent: Option<usize>,
    /// How far from the root.
    pub depth: usize,
    /// Where it begins, from 0 to the root's total.
    pub start: u64,
    /// What weighs on it alone.
    pub self_value: u64,
    /// What weighs on it and what hangs below it.
    pub total: u64,
}

impl<'p> FlameTree<'p> {
    /// Merges the weights of a metric over the paths of `profile`. Should they add up to more than a `u64`
    /// holds, what comes last counts less, so that a node is still as wide as its parts.
    #[must_use]
    pub fn new(profile: &'p Profile, metric: &FlameMetric, options: FlameTreeOptions) -> Self {
        let mut paths = FlamePaths::new(profile);
        let mut own: Vec<u64> = vec![0];
        let mut room = u64::MAX;
        for weight in &metric.weights {
            let value = weight.self_value.min(room);
            if value == 0 {
                continue;
            }
            room -= value;
            let root = if options.is_by_thread { paths.thread(weight.thread) } else { ROOT };
            let node = match options.is_inverted {
                true => paths.place_inverted(root, weight.stack, weight.leaf),
                false => paths.place(root, weight.stack, weight.leaf),
            };
            own.resize(paths.len(), 0);
            own[node as usize] += value;
        }
        Self::laid_out(paths, &own, metric, options)
    }

    fn laid_out(paths: FlamePaths<'p>, own: &[u64], metric: &FlameMetric, options: FlameTreeOptions) -> Self {
        let mut total = own.to_vec();
        for node in (1..own.len()).rev() {
            // Callers stand before their callees.
            total[paths.node(node as u32).0 as usize] += total[node];
        }
        let children = Children::new(&paths);
        let mut tree = Self {
            metric: metric.name.clone(),
            unit: metric.unit,
            options,
            frames: Vec::new(),
            frame: Vec::with_capacity(own.len()),
            parent: Vec::with_capacity(own.len()),
            depth: Vec::with_capacity(own.len()),
            start: Vec::with_capacity(own.len()),
            own: Vec::with_capacity(own.len()),
            total: Vec::with_capacity(own.len()),
            end: vec![0; own.len()],
        };
        // Where the next child of a node begins.
        let mut cursor: Vec<u64> = Vec::with_capacity(own.len());
        let mut waiting: Vec<(u32, u32, u32)> = vec![(ROOT, u32::MAX, 0)];
        while let Some((node, parent, depth)) = waiting.pop() {
            let place = tree.frame.len() as u32;
            let start = match cursor.get_mut(parent as usize) {
                Some(at) => std::mem::replace(at, *at + total[node as usize]),
                None => 0,
            };
            cursor.push(start);
            tree.frame.push(paths.node(node).1);
            tree.parent.push(parent);
            tree.depth.push(depth);
            tree.start.push(start);
            tree.own.push(own[node as usize]);
            tree.total.push(total[node as usize]);
            waiting.extend(children.of(node).iter().rev().map(|child| (*child, place, depth + 1)));
        }
        for node in (0..tree.len()).rev() {
            let end = tree.end[node].max(node as u32 + 1);
            tree.end[node] = end;
            if let Some(parent_end) = tree.end.get_mut(tree.parent[node] as usize) {
                *parent_end = (*parent_end).max(end);
            }
        }
        tree.frames = paths.into_frames();
        tree
    }

    /// What the metric is called.
    #[must_use]
    pub fn metric(&self) -> &str {
        &self.metric
    }

    /// What values are counted in.
    #[must_use]
    pub fn unit(&self) -> FlameUnit {
        self.unit
    }

    /// How the tree was made.
    #[must_use]
    pub fn options(&self) -> FlameTreeOptions {
        self.options
    }

    /// The places that nodes stand for.
    #[must_use]
    pub fn frames(&self) -> &[FlameFrame<'p>] {
        &self.frames
    }

    /// How many nodes there are; the root is always there.
    #[must_use]
    pub fn len(&self) -> usize {
        self.frame.len()
    }

    /// Whether nothing weighs on any path.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }

    /// What all paths weigh together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total[0]
    }

    /// The totals of all nodes.
    #[must_use]
    pub fn totals(&self) -> &[u64] {
        &self.total
    }

    /// The node at a place in the order.
    ///
    /// # Panics
    /// When there are not so many.
    #[must_use]
    pub fn node(&self, node: usize) -> FlameNode<'_, 'p> {
        let frame_idx = self.frame[node] as usize;
        FlameNode {
            frame: &self.frames[frame_idx],
            frame_idx,
            parent: (node > 0).then(|| self.parent[node] as usize),
            depth: self.depth[node] as usize,
            start: self.start[node],
            self_value: self.own[node],
            total: self.total[node],
        }
    }

    /// The nodes, depth first and siblings by name.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = FlameNode<'_, 'p>> {
        (0..self.len()).map(|node| self.node(node))
    }

    /// All that hangs below a node.
    #[must_use]
    pub fn inside(&self, node: usize) -> Range<usize> {
        node + 1..self.end[node] as usize
    }
}

/// The callees of each node, by name.
struct Children {
    /// Where those of a node begin.
    first: Vec<usize>,
    nodes: Vec<u32>,
}

impl Children {
    fn new(paths: &FlamePaths<'_>) -> Self {
        let ranks = paths.ranks();
        let all: Vec<u32> = (1..paths.len() as u32).collect();
        let by_name = by_place(&all, ranks.len(), |node| ranks[paths.node(*node).1 as usize] as usize);
        let caller = |node: &u32| paths.node(*node).0 as usize;
        let mut first = vec![0; paths.len() + 1];
        all.iter().for_each(|node| first[caller(node) + 1] += 1);
        for node in 1..first.len() {
            first[node] += first[node - 1];
        }
        Self { first, nodes: by_place(&by_name, paths.len(), caller) }
    }

    fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.nodes[self.first[node]..self.first[node + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;
    use crate::{FlameInput, FlameWeight};
    use calor_model::FrameKind;
    use proptest::prelude::*;

    fn rows(tree: &FlameTree<'_>) -> Vec<(usize, String, u64, u64, u64)> {
        let row = |node: FlameNode<'_, '_>| {
            (node.depth, node.frame.name.to_owned(), node.start, node.self_value, node.total)
        };
        tree.nodes().map(row).collect()
    }

    fn row(depth: usize, name: &str, start: u64, own: u64, total: u64) -> (usize, String, u64, u64, u64) {
        (depth, name.to_owned(), start, own, total)
    }

    fn two_threads() -> Profile {
        Sketch::new()
            .scope("b", &["run"], 1, 100)
            .scope("b", &["run", "work"], 1, 60)
            .scope("b", &["run", "idle"], 1, 10)
            .scope("a", &["work"], 1, 5)
            .profile()
    }

    fn tree(profile: &Profile, is_by_thread: bool, is_inverted: bool) -> FlameTree<'_> {
        let input = FlameInput::of_profile(profile);
        FlameTree::new(profile, &input.metrics[0], FlameTreeOptions { is_by_thread, is_inverted })
    }

    #[test]
    fn paths_are_merged_and_siblings_stand_by_name() {
        let profile = two_threads();
        let expected = [
            row(0, "all", 0, 0, 105),
            row(1, "run", 0, 30, 100),
            row(2, "idle", 0, 10, 10),
            row(2, "work", 10, 60, 60),
            row(1, "work", 100, 5, 5),
        ];
        assert_eq!(rows(&tree(&profile, false, false)), expected);
        assert_eq!(tree(&profile, false, false).inside(1), 2..4);
    }

    #[test]
    fn threads_can_be_trees_of_their_own() {
        let profile = two_threads();
        let roots: Vec<_> = rows(&tree(&profile, true, false)).into_iter().filter(|row| row.0 == 1).collect();
        assert_eq!(roots, [row(1, "a", 0, 0, 5), row(1, "b", 5, 0, 100)]);
    }

    #[test]
    fn inverted_paths_lead_from_where_the_weight_is_to_its_callers() {
        let profile = two_threads();
        let expected = [
            row(0, "all", 0, 0, 105),
            row(1, "idle", 0, 0, 10),
            row(2, "run", 0, 10, 10),
            row(1, "run", 10, 30, 30),
            row(1, "work", 40, 5, 65),
            row(2, "run", 40, 60, 60),
        ];
        assert_eq!(rows(&tree(&profile, false, true)), expected);
    }

    #[test]
    fn weights_beyond_what_fits_do_not_overflow() {
        let mut profile = Profile::default();
        let stack = profile.intern_named_path(&["a"], FrameKind::Native).unwrap();
        let weights = vec![FlameWeight::new(stack, None, u64::MAX - 1), FlameWeight::new(stack, None, 7)];
        let metric = FlameMetric { id: "x".into(), name: "X".into(), unit: FlameUnit::Count, weights };
        let tree = FlameTree::new(&profile, &metric, FlameTreeOptions::default());
        assert_eq!(tree.total(), u64::MAX);
    }

    proptest! {
        #[test]
        fn every_node_is_as_wide_as_its_parts(
            paths in prop::collection::vec((prop::collection::vec(0_usize..4, 1..8), 0_usize..3, 0_u64..1000), 0..60),
            is_by_thread: bool,
            is_inverted: bool,
        ) {
            let mut profile = Profile::default();
            let mut weights = Vec::new();
            for (path, thread, value) in &paths {
                let names: Vec<&str> = path.iter().map(|name| ["f", "g", "h", "i"][*name]).collect();
                let stack = profile.intern_named_path(&names, FrameKind::Native).unwrap();
                let thread = profile.intern_thread(1, *thread as u64, ["a", "b", ""][*thread]);
                weights.push(FlameWeight::new(stack, Some(thread), *value));
            }
            let metric = FlameMetric { id: "x".into(), name: "X".into(), unit: FlameUnit::Count, weights };
            let tree = FlameTree::new(&profile, &metric, FlameTreeOptions { is_by_thread, is_inverted });
            let sum: u64 = paths.iter().map(|(_, _, value)| value).sum();
            prop_assert_eq!(tree.total(), sum);
            prop_assert_eq!(tree.nodes().map(|node| node.self_value).sum::<u64>(), sum);
            for place in 0..tree.len() {
                let node = tree.node(place);
                let below: u64 = tree.inside(place).map(|inner| tree.node(inner).self_value).sum();
                prop_assert_eq!(node.total, node.self_value + below);
                let children: Vec<_> =
                    tree.nodes().filter(|child| child.parent == Some(place)).collect();
                let mut at = node.start;
                for child in &children {
                    prop_assert_eq!(child.start, at);
                    at += child.total;
                }
                prop_assert!(at <= node.start + node.total);
                prop_assert!(children.is_sorted_by_key(|child| child.frame.name));
            }
        }
    }
}
