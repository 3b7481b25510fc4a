//! The hot list: paths or functions in order of their time or calls.

use std::cmp::Reverse;

use calor_model::{FrameKind, ScopeStats, StringId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::{CallNode, CallTree, NodeId, Source};

/// What the list is sorted by, the largest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// Time with children.
    Total,
    /// Time without children.
    #[default]
    SelfTime,
    /// Number of calls (of samples, in a sampled tree).
    Calls,
}

/// What one entry of the list stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Grouping {
    /// One call path.
    #[default]
    Path,
    /// All paths that end in the same function.
    Function,
}

/// One entry of the hot list.
#[derive(Clone, PartialEq, Debug)]
pub struct HotPath {
    /// The paths it stands for; the one with the most self time first.
    pub nodes: Vec<NodeId>,
    /// How often it was entered; `None` in a sampled tree.
    pub calls: Option<u64>,
    /// Samples that found it innermost; `None` in a tree of scopes.
    pub samples: Option<u64>,
    /// Time with children. A function that calls itself counts once, not once for every level.
    pub total_nanos: u64,
    /// The variance of `total_nanos` as an estimate, in nanoseconds squared.
    pub total_variance: f64,
    /// Whether `total_nanos` is an estimate.
    pub is_estimated: bool,
    /// Time without children.
    pub self_nanos: u64,
    /// Whether `self_nanos` is an estimate.
    pub is_self_estimated: bool,
    /// `self_nanos` as a fraction of the recorded time; `None` when no time was recorded.
    pub share: Option<f64>,
    /// What its scopes recorded, added up and uncorrected; empty in a sampled tree.
    pub stats: ScopeStats,
}

/// How many standard deviations to each side hold 95 % of the estimates.
const DEVIATIONS_OF_95_PERCENT: f64 = 1.96;

impl HotPath {
    /// Half the width of the 95 % interval of `total_nanos`; `None` when it was measured, not estimated.
    #[must_use]
    pub fn margin_nanos(&self) -> Option<f64> {
        self.is_estimated.then(|| DEVIATIONS_OF_95_PERCENT * self.total_variance.max(0.0).sqrt())
    }

    /// Floating-point operations a second, as far as the scope told how many it made.
    #[must_use]
    pub fn flops_per_second(&self) -> Option<f64> {
        self.per_second(self.stats.work.flops)
    }

    /// Bytes read and written a second, as far as the scope told.
    #[must_use]
    pub fn bytes_per_second(&self) -> Option<f64> {
        self.per_second(self.stats.work.bytes)
    }

    fn per_second(&self, amount: u64) -> Option<f64> {
        (amount > 0 && self.total_nanos > 0).then(|| amount as f64 * 1e9 / self.total_nanos as f64)
    }
}

/// The first `limit` entries of the hot list, or all. Entries without any call, sample or time (paths that
/// only lead to others) are left out.
#[must_use]
pub fn hot_paths(
    tree: &CallTree<'_>,
    grouping: Grouping,
    order: Order,
    limit: Option<usize>,
) -> Vec<HotPath> {
    let mut groups: Vec<Group> = match grouping {
        Grouping::Path => tree.nodes().map(|(id, _)| Group::of_path(tree, id)).collect(),
        Grouping::Function => functions(tree),
    };
    groups.retain(|group| group.calls > 0 || group.self_nanos > 0 || group.is_open);
    let key = |group: &Group| match order {
        Order::Total => (group.total_nanos, group.self_nanos),
        Order::SelfTime => (group.self_nanos, group.total_nanos),
        Order::Calls => (group.calls, group.self_nanos),
    };
    groups.sort_by_key(|group| (Reverse(key(group)), group.nodes.iter().min().copied()));
    // Only what is listed has its histograms added up.
    groups.into_iter().take(limit.unwrap_or(usize::MAX)).map(|group| group.finish(tree)).collect()
}

/// The async paths, that with the most wall time first: entries whose `stats.future` is known.
#[must_use]
pub fn async_paths(tree: &CallTree<'_>) -> Vec<HotPath> {
    let has_future =
        |node: &CallNode| tree.rows[node.rows.clone()].iter().any(|(_, stats)| stats.future.is_some());
    let mut list: Vec<HotPath> = tree
        .nodes()
        .filter(|(_, node)| has_future(node))
        .map(|(id, _)| Group::of_path(tree, id).finish(tree))
        .collect();
    let wall = |entry: &HotPath| entry.stats.future.as_ref().map_or(0, |future| future.wall.total_nanos);
    list.sort_by_key(|entry| (Reverse(wall(entry)), entry.nodes[0]));
    list
}

/// An entry before its histograms are added up.
struct Group {
    nodes: Vec<NodeId>,
    calls: u64,
    is_open: bool,
    total_nanos: u64,
    total_variance: f64,
    self_nanos: u64,
}

impl Group {
    fn of_path(tree: &CallTree<'_>, id: NodeId) -> Self {
        let mut group = Self::new();
        group.add(tree, id, true);
        group
    }

    fn new() -> Self {
        Self {
            nodes: Vec::new(),
            calls: 0,
            is_open: false,
            total_nanos: 0,
            total_variance: 0.0,
            self_nanos: 0,
        }
    }

    fn add(&mut self, tree: &CallTree<'_>, id: NodeId, is_outermost: bool) {
        let node = tree.node(id);
        self.nodes.push(id);
        self.calls = self.calls.saturating_add(node.calls).saturating_add(node.samples);
        self.is_open |= node.open_calls != 0;
        self.self_nanos = self.self_nanos.saturating_add(node.self_nanos);
        if is_outermost {
            self.total_nanos = self.total_nanos.saturating_add(node.inclusive_nanos);
            self.total_variance += node.inclusive_variance;
        }
    }

    fn finish(mut self, tree: &CallTree<'_>) -> HotPath {
        self.nodes.sort_by_key(|id| (Reverse(tree.node(*id).self_nanos), *id));
        let mut stats = ScopeStats::default();
        self.nodes.iter().for_each(|id| stats.add(&tree.stats(*id)));
        let is_scopes = tree.source() == Source::Scopes;
        HotPath {
            calls: is_scopes.then_some(self.calls),
            samples: (!is_scopes).then_some(self.calls),
            total_nanos: self.total_nanos,
            total_variance: self.total_variance,
            is_estimated: self.nodes.iter().any(|id| tree.node(*id).is_estimated),
            self_nanos: self.self_nanos,
            is_self_estimated: self.nodes.iter().any(|id| tree.node(*id).is_self_estimated),
            share: tree.share(self.self_nanos),
            stats,
            nodes: self.nodes,
        }
    }
}

/// What makes two frames the same function: not the line, which differs inside one.
type Function = (StringId, FrameKind, Option<StringId>);

fn functions(tree: &CallTree<'_>) -> Vec<Group> {
    let mut groups: IndexMap<Function, (Group, u32), RandomState> = IndexMap::default();
    // A walk down every branch that counts how often each function is on the way: one look tells whether a
    // node is outermost, however deep the tree is.
    let mut waiting: Vec<(NodeId, Step)> = tree.roots().iter().map(|root| (*root, Step::Enter)).collect();
    while let Some((id, step)) = waiting.pop() {
        match step {
            Step::Enter => {
                let frame = tree.frame(id);
                let entry = groups.entry((frame.name, frame.kind, frame.module));
                let function = entry.index();
                let (group, n_entered) = entry.or_insert_with(|| (Group::new(), 0));
                group.add(tree, id, *n_entered == 0);
                *n_entered += 1;
                waiting.push((id, Step::Leave { function }));
                waiting.extend(tree.node(id).children.iter().map(|child| (*child, Step::Enter)));
            }
            Step::Leave { function } => groups[function].1 -= 1,
        }
    }
    groups.into_values().map(|(group, _)| group).collect()
}

/// What to do next with a node on a walk over the tree.
enum Step {
    Enter,
    /// All that it calls is done.
    Leave {
        /// Its function, by number.
        function: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeOptions;
    use crate::sketch::Sketch;

    #[test]
    fn recursion_counts_the_total_of_a_function_once() {
        let profile = Sketch::new()
            .scope("main", &["fib"], 1, 100)
            .scope("main", &["fib", "fib"], 2, 60)
            .scope("main", &["fib", "fib", "fib"], 4, 30)
            .profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let list = hot_paths(&tree, Grouping::Function, Order::Total, None);
        assert_eq!(list.len(), 1);
        assert_eq!((list[0].total_nanos, list[0].self_nanos, list[0].calls), (100, 100, Some(7)));
        assert_eq!(list[0].stats.timed.count, 7);
    }

    #[test]
    fn the_list_follows_the_order_asked_for_and_is_cut_after_sorting() {
        let profile = Sketch::new()
            .scope("main", &["run"], 1, 100)
            .scope("main", &["run", "parse"], 50, 70)
            .scope("main", &["run", "parse", "lex"], 9, 10)
            .profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let names = |order| -> Vec<&str> {
            let list = hot_paths(&tree, Grouping::Path, order, Some(2));
            list.iter().map(|entry| tree.name(entry.nodes[0])).collect()
        };
        assert_eq!(names(Order::Total), ["run", "parse"]);
        assert_eq!(names(Order::SelfTime), ["parse", "run"]);
        assert_eq!(names(Order::Calls), ["parse", "lex"]);
    }
}
