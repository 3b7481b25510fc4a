//! A flame graph before it is drawn: call paths merged into a tree, laid out from left to right. Nodes are kept
//! in columns, depth first and siblings by name, so that equal programs give equal pictures and a node's inside
//! is the run of nodes behind it.

use std::borrow::Cow;
use std::ops::Range;

use calor_model::Profile;

use super::frames::{FlameFrame, FlameFrames};
use super::input::{FlameMetric, FlameUnit, FlameWeight};
use super::layout::FlameLayout;
use super::names::{self, FlameName};
use super::{growth, inversion};

/// How paths become a tree.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct FlameTreeOptions {
    /// Whether each thread is a tree of its own under the root.
    pub is_by_thread: bool,
    /// Whether the tree starts at the innermost frames and leads to their callers.
    pub is_inverted: bool,
    /// Nodes that weigh less than this part of the whole are left out: a picture cannot show them, and a large
    /// profile has mostly such. They still count for their callers.
    pub min_share: f64,
    /// At most so many nodes, those that weigh most; `None` for all.
    pub max_nodes: Option<usize>,
}

/// The tree of one metric. Node 0 is the root and holds everything.
#[derive(Clone, Debug)]
pub struct FlameTree<'p> {
    metric: String,
    unit: FlameUnit,
    options: FlameTreeOptions,
    frames: Vec<FlameFrame<'p>>,
    layout: FlameLayout,
    least: Option<u64>,
    /// What is below each node in frames that are not here.
    left_out: Vec<u64>,
    /// Of the whole profile, where something was left out.
    names: Vec<FlameName<'p>>,
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
        let (weights, sum) = within_bounds(&metric.weights);
        let least = (options.min_share.clamp(0.0, 1.0) * sum as f64).ceil() as u64;
        let mut frames = FlameFrames::new(profile);
        let build = if options.is_inverted { inversion::invert } else { growth::grow };
        let mut layout = build(&mut frames, profile, &weights, options.is_by_thread, least.max(1));
        let least = options.max_nodes.and_then(|most| layout.keep_heaviest(most)).or(Some(least));
        layout.finish();
        // Where a node is as heavy as all of its callees and itself, none of them is missing.
        let left_out = left_out(&layout);
        let is_whole = left_out.iter().all(|value| *value == 0);
        let names = match is_whole {
            true => Vec::new(),
            false => names::of_weights(&mut frames, profile, &weights, options.is_by_thread),
        };
        let frames = used(frames.into_vec(), &mut layout.frame);
        let least = least.filter(|_| !is_whole);
        Self {
            metric: metric.name.clone(),
            unit: metric.unit,
            options,
            frames,
            layout,
            least,
            left_out,
            names,
        }
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
        self.layout.frame.len()
    }

    /// Whether nothing weighs on any path.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }

    /// What all paths weigh together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.layout.total[0]
    }

    /// The totals of all nodes.
    #[must_use]
    pub fn totals(&self) -> &[u64] {
        &self.layout.total
    }

    /// What a node has to weigh to be here, where nodes were left out.
    #[must_use]
    pub fn left_out_below(&self) -> Option<u64> {
        self.least
    }

    /// What is below a node in frames that were left out.
    ///
    /// # Panics
    /// When there are not so many nodes.
    #[must_use]
    pub fn left_out(&self, node: usize) -> u64 {
        self.left_out[node]
    }

    /// How much is on paths that hold a name, for each name of the whole profile, also those that were left out.
    #[must_use]
    pub fn names(&self) -> Cow<'_, [FlameName<'p>]> {
        match self.least {
            Some(_) => Cow::Borrowed(&self.names),
            None => Cow::Owned(self.names_among(|_| true)),
        }
    }

    /// How much is on paths that hold a name as far as some of the nodes tell; with a node, its caller is one of them.
    #[must_use]
    pub fn names_among(&self, is_shown: impl Fn(usize) -> bool) -> Vec<FlameName<'p>> {
        let end_depth = self.options.is_inverted.then_some(1 + u32::from(self.options.is_by_thread));
        names::of_layout(&self.frames, &self.layout, is_shown, end_depth)
    }

    /// The node at a place in the order.
    ///
    /// # Panics
    /// When there are not so many.
    #[must_use]
    pub fn node(&self, node: usize) -> FlameNode<'_, 'p> {
        let layout = &self.layout;
        let frame_idx = layout.frame[node] as usize;
        FlameNode {
            frame: &self.frames[frame_idx],
            frame_idx,
            parent: (node > 0).then(|| layout.parent[node] as usize),
            depth: layout.depth[node] as usize,
            start: layout.start[node],
            self_value: layout.own[node],
            total: layout.total[node],
        }
    }

    /// The nodes, depth first and siblings by name.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = FlameNode<'_, 'p>> {
        (0..self.len()).map(|node| self.node(node))
    }

    /// All that hangs below a node.
    #[must_use]
    pub fn inside(&self, node: usize) -> Range<usize> {
        node + 1..self.layout.end[node] as usize
    }
}

/// The weights and their sum, the last ones cut where all together would be more than a `u64` holds.
fn within_bounds(weights: &[FlameWeight]) -> (Cow<'_, [FlameWeight]>, u64) {
    let sum = weights.iter().try_fold(0_u64, |sum, weight| sum.checked_add(weight.self_value));
    if let Some(sum) = sum {
        return (Cow::Borrowed(weights), sum);
    }
    let mut room = u64::MAX;
    let mut cut = weights.to_vec();
    for weight in &mut cut {
        weight.self_value = weight.self_value.min(room);
        room -= weight.self_value;
    }
    (Cow::Owned(cut), u64::MAX)
}

/// The frames that nodes stand for, which are renumbered to match.
fn used<'p>(all: Vec<FlameFrame<'p>>, of_nodes: &mut [u32]) -> Vec<FlameFrame<'p>> {
    let mut numbers = vec![u32::MAX; all.len()];
    let mut used = Vec::new();
    for frame in of_nodes {
        let number = &mut numbers[*frame as usize];
        if *number == u32::MAX {
            *number = used.len() as u32;
            used.push(all[*frame as usize]);
        }
        *frame = *number;
    }
    used
}

/// What each node weighs beyond itself and the callees that are here.
fn left_out(layout: &FlameLayout) -> Vec<u64> {
    let mut unexplained: Vec<u64> =
        layout.total.iter().zip(&layout.own).map(|(total, own)| total - own).collect();
    for node in 1..unexplained.len() {
        unexplained[layout.parent[node] as usize] -= layout.total[node];
    }
    unexplained
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;
    use crate::{FlameInput, FlameLeaf};
    use calor_model::{Frame, FrameKind};
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

    fn metric(weights: Vec<FlameWeight>) -> FlameMetric {
        FlameMetric { id: "x".into(), name: "X".into(), unit: FlameUnit::Count, weights }
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
        FlameTree::new(
            profile,
            &input.metrics[0],
            FlameTreeOptions { is_by_thread, is_inverted, ..Default::default() },
        )
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
    fn threads_of_one_name_are_told_apart_by_their_numbers() {
        let mut profile = Profile::default();
        let stack = profile.intern_named_path(&["run"], FrameKind::Native).unwrap();
        let threads = [(12, "worker"), (7, "worker"), (0, "worker"), (3, "")];
        let weights = threads.map(|(tid, name)| {
            let thread = profile.intern_thread(1, tid, name);
            FlameWeight::new(stack, Some(thread), 10 + tid)
        });
        let metric = metric(weights.to_vec());
        for is_inverted in [false, true] {
            let options = FlameTreeOptions { is_by_thread: true, is_inverted, ..Default::default() };
            let tree = FlameTree::new(&profile, &metric, options);
            let threads = tree.nodes().filter(|node| node.depth == 1);
            let threads: Vec<_> = threads.map(|node| (node.frame.name, node.frame.tid, node.total)).collect();
            let expected = [
                ("(unnamed thread)", Some(3), 13),
                ("worker", None, 10),
                ("worker", Some(7), 17),
                ("worker", Some(12), 22),
            ];
            assert_eq!(threads, expected);
        }
    }

    #[test]
    fn lines_of_one_function_are_heavy_together() {
        let mut profile = Profile::default();
        let name = profile.strings.intern("work");
        let weights = (1..=10).map(|line| {
            let frame = Frame { line: Some(line), ..Frame::new(name, FrameKind::Native) };
            let frame = profile.frames.intern(frame);
            FlameWeight::new(profile.stacks.intern(None, frame), None, 10)
        });
        let metric = metric(weights.collect());
        let options = FlameTreeOptions { min_share: 0.5, ..Default::default() };
        let tree = FlameTree::new(&profile, &metric, options);
        assert_eq!(rows(&tree), [row(0, "all", 0, 0, 100), row(1, "work", 0, 100, 100)]);
        assert_eq!(tree.left_out_below(), None);
    }

    #[test]
    fn kernels_hang_below_the_path_that_launched_them() {
        let mut profile = Profile::default();
        let stack = profile.intern_named_path(&["forward"], FrameKind::Python);
        let leaf = Some(FlameLeaf::Kernel(profile.strings.intern("gemm")));
        let weight = |stack, leaf, self_value| FlameWeight { stack, leaf, thread: None, self_value };
        let weights = vec![
            weight(stack, leaf, 3),
            weight(None, leaf, 4),
            weight(stack, leaf, 5),
            weight(stack, None, 1),
        ];
        let metric = metric(weights);
        let tree = |is_inverted| {
            rows(&FlameTree::new(&profile, &metric, FlameTreeOptions { is_inverted, ..Default::default() }))
        };
        let callers_first = [
            row(0, "all", 0, 0, 13),
            row(1, "forward", 0, 1, 9),
            row(2, "gemm", 0, 8, 8),
            row(1, "gemm", 9, 4, 4),
        ];
        assert_eq!(tree(false), callers_first);
        let inverted = [
            row(0, "all", 0, 0, 13),
            row(1, "forward", 0, 1, 1),
            row(1, "gemm", 1, 4, 12),
            row(2, "forward", 1, 8, 8),
        ];
        assert_eq!(tree(true), inverted);
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
        let tree = FlameTree::new(&profile, &metric(weights), FlameTreeOptions::default());
        assert_eq!(tree.total(), u64::MAX);
    }

    proptest! {
        #[test]
        fn every_node_is_as_wide_as_its_parts(
            paths in prop::collection::vec((prop::collection::vec((0_usize..4, 0_u32..3), 1..8), 0_usize..3, 0_u64..1000), 0..60),
            is_by_thread: bool,
            is_inverted: bool,
            has_lines: bool,
            min_share in 0.0..0.3,
            max_nodes in 1_usize..40,
        ) {
            let mut profile = Profile::default();
            let mut weights = Vec::new();
            for (path, thread, value) in &paths {
                let mut stack = None;
                for (name, line) in path {
                    let name = profile.strings.intern(["f", "g", "h", "i"][*name]);
                    let line = has_lines.then_some(*line);
                    let frame = profile.frames.intern(Frame { line, ..Frame::new(name, FrameKind::Native) });
                    stack = Some(profile.stacks.intern(stack, frame));
                }
                let stack = stack.unwrap();
                let thread = profile.intern_thread(1, *thread as u64, ["a", "b", ""][*thread]);
                weights.push(FlameWeight::new(stack, Some(thread), *value));
            }
            let metric = metric(weights);
            let tree = FlameTree::new(&profile, &metric, FlameTreeOptions { is_by_thread, is_inverted, ..Default::default() });
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
                let name = |child: &FlameNode<'_, '_>| child.frame.name.to_owned();
                prop_assert!(children.windows(2).all(|pair| name(&pair[0]) < name(&pair[1])));
            }
            prop_assert_eq!(tree.left_out_below(), None);

            let options = FlameTreeOptions { min_share, max_nodes: Some(max_nodes), ..tree.options() };
            let culled = FlameTree::new(&profile, &metric, options);
            let least = culled.left_out_below().unwrap_or(0);
            let kept = tree.nodes().filter(|node| node.parent.is_none() || node.total >= least);
            let expected: Vec<_> =
                kept.map(|node| (node.depth, node.frame.name, node.self_value, node.total)).collect();
            let nodes = culled.nodes().map(|node| (node.depth, node.frame.name, node.self_value, node.total));
            prop_assert_eq!(nodes.collect::<Vec<_>>(), expected);
            prop_assert!(culled.len() <= max_nodes);
            let below: u64 = (0..culled.len()).map(|node| culled.left_out(node)).sum();
            prop_assert_eq!(culled.nodes().map(|node| node.self_value).sum::<u64>() + below, sum);

            // Names are as wide as the paths that hold them, whatever was left out.
            let mut expected = std::collections::BTreeMap::<String, (u64, u64)>::new();
            for (path, thread, value) in paths.iter().filter(|(_, _, value)| *value > 0) {
                let mut names = path.iter().map(|(name, _)| ["f", "g", "h", "i"][*name]);
                let thread = is_by_thread.then_some(["a", "b", "(unnamed thread)"][*thread]);
                let held: std::collections::BTreeSet<_> = names.clone().chain(thread).collect();
                held.into_iter().for_each(|name| expected.entry(name.to_owned()).or_default().0 += value);
                expected.get_mut(names.next_back().unwrap()).unwrap().1 += value;
            }
            for tree in [&tree, &culled] {
                let names = tree.names();
                let names = names.iter().map(|name| (name.frame.name.to_owned(), (name.total, name.self_value)));
                prop_assert_eq!(&names.collect::<std::collections::BTreeMap<_, _>>(), &expected);
            }
            prop_assert!(culled.len() < tree.len() || culled.left_out_below().is_none());
        }
    }
}
