//! The hot list: paths or functions in order of their time or calls.

use std::cmp::Reverse;

use calor_model::{SampleKind, ScopeStats};

use crate::totals::first;
use crate::{CallTree, NodeId, Order, Source, Totals, function, share_interval};

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
    /// How often it was entered; `None` in a sampled tree, and where only its time is known.
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
    /// The 95 % interval of `share` as far as it follows from the number of samples; `None` where it was not counted
    /// in samples that stand for equal times.
    pub share_interval: Option<(f64, f64)>,
    /// What its scopes recorded, added up and uncorrected; empty in a sampled tree.
    pub stats: ScopeStats,
}

/// How many standard deviations to each side hold 95 % of the estimates.
const DEVIATIONS_OF_95_PERCENT: f64 = 1.96;

/// A share by time may differ from that by number of samples by this part of it before samples count as uneven.
const UNEVEN_SHARE: f64 = 0.02;

impl HotPath {
    pub(crate) fn of_path(tree: &CallTree<'_>, id: NodeId) -> Self {
        Self::new(tree, vec![id], Totals::of(&tree.node(id)))
    }

    pub(crate) fn new(tree: &CallTree<'_>, nodes: Vec<NodeId>, totals: Totals) -> Self {
        let mut stats = ScopeStats::default();
        nodes.iter().flat_map(|id| tree.rows_of(*id)).for_each(|row| stats.add(row));
        let is_scopes = tree.source() == Source::Scopes;
        Self {
            nodes,
            calls: totals.known_calls().filter(|_| is_scopes),
            samples: (!is_scopes).then_some(totals.samples),
            total_nanos: totals.total_nanos,
            total_variance: totals.total_variance,
            is_estimated: totals.is_estimated,
            self_nanos: totals.self_nanos,
            is_self_estimated: totals.is_self_estimated,
            share: tree.share(totals.self_nanos),
            share_interval: interval(tree, &totals),
            stats,
        }
    }

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

    /// Elements processed a second, as far as the scope told.
    #[must_use]
    pub fn elements_per_second(&self) -> Option<f64> {
        self.per_second(self.stats.work.elements)
    }

    fn per_second(&self, amount: u64) -> Option<f64> {
        (amount > 0 && self.total_nanos > 0).then(|| amount as f64 * 1e9 / self.total_nanos as f64)
    }
}

/// The interval of a share. Time waited is measured from end to end, so chance has no part in it; and where samples
/// stand for different times, their number alone tells too little.
fn interval(tree: &CallTree<'_>, totals: &Totals) -> Option<(f64, f64)> {
    if tree.source() == Source::Samples(SampleKind::OffCpu) {
        return None;
    }
    let (n_samples, share) = (tree.n_samples()?, tree.share(totals.self_nanos)?);
    let counted = totals.samples as f64 / n_samples.max(1) as f64;
    let is_even = (counted - share).abs() <= UNEVEN_SHARE * share;
    if is_even { share_interval(totals.samples, n_samples) } else { None }
}

/// The first `limit` entries of the hot list, or all. Entries without any call, sample or time (paths that
/// only lead to others) are not listed, nor is what stands for paths that were left out.
#[must_use]
pub fn hot_paths(
    tree: &CallTree<'_>,
    grouping: Grouping,
    order: Order,
    limit: Option<usize>,
) -> Vec<HotPath> {
    // Only what is listed has its histograms added up.
    match grouping {
        Grouping::Path => longest_paths(tree, order, limit).map(|id| HotPath::of_path(tree, id)).collect(),
        Grouping::Function => hot_functions(tree, order, limit).0,
    }
}

/// The first `limit` paths, or all, without their histograms.
pub(crate) fn longest_paths(
    tree: &CallTree<'_>,
    order: Order,
    limit: Option<usize>,
) -> impl Iterator<Item = NodeId> {
    let keys = listed(tree).map(|(totals, id)| (totals.key(order), id));
    first(keys.collect(), limit.unwrap_or(usize::MAX)).into_iter().map(|(_, id)| id)
}

/// How many paths the hot list has without a limit: fewer than the tree, which also holds those that only lead to
/// others.
#[must_use]
pub fn n_listed_paths(tree: &CallTree<'_>) -> usize {
    listed(tree).count()
}

/// The first `limit` functions, or all, and how many are listed in all.
#[must_use]
pub fn hot_functions(tree: &CallTree<'_>, order: Order, limit: Option<usize>) -> (Vec<HotPath>, usize) {
    let (list, n_all) = function::counted(tree, order, limit);
    (list.into_iter().map(|function| HotPath::new(tree, function.nodes, function.totals)).collect(), n_all)
}

/// What the hot list has of paths.
pub(crate) fn listed(tree: &CallTree<'_>) -> impl Iterator<Item = (Totals, NodeId)> {
    let left_out = tree.profile().left_out_frame();
    let named = tree.nodes().filter(move |(_, node)| Some(node.frame) != left_out);
    named.map(|(id, node)| (Totals::of(&node), id)).filter(|(totals, _)| totals.is_listed())
}

/// The async paths, that with the most wall time first: entries whose `stats.future` is known.
#[must_use]
pub fn async_paths(tree: &CallTree<'_>) -> Vec<HotPath> {
    let has_future = tree.nodes().filter(|(_, node)| node.has_future);
    let mut list: Vec<HotPath> = has_future.map(|(id, _)| HotPath::of_path(tree, id)).collect();
    let wall = |entry: &HotPath| entry.stats.future.as_ref().map_or(0, |future| future.wall.total_nanos);
    list.sort_by_key(|entry| (Reverse(wall(entry)), entry.nodes[0]));
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeOptions;
    use crate::sketch::Sketch;

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

    #[test]
    fn shares_by_samples_have_an_interval_and_waiting_has_none() {
        let profile = Sketch::new()
            .samples("main", SampleKind::Cpu, &["run", "parse"], 50)
            .samples("main", SampleKind::Cpu, &["run", "lex"], 50)
            .samples("main", SampleKind::OffCpu, &["run", "read"], 4)
            .profile();
        let intervals = |kind| -> Vec<Option<(f64, f64)>> {
            let tree = CallTree::of_samples(&profile, kind, &TreeOptions::default());
            let list = hot_paths(&tree, Grouping::Path, Order::SelfTime, None);
            list.iter().map(|entry| entry.share_interval).collect()
        };
        let both = share_interval(50, 100);
        assert_eq!(
            (intervals(SampleKind::Cpu), intervals(SampleKind::OffCpu)),
            (vec![both, both], vec![None])
        );
    }
}
