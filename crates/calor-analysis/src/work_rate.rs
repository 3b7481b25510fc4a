//! How fast scopes got through what they worked on: floating-point operations, bytes, elements, calls of each backend,
//! counters of their own.

use std::cmp::Reverse;
use std::collections::HashSet;

use calor_model::{Profile, StringId, Work};

use crate::operations::is_of_operands;
use crate::{CallTree, NodeId};

/// What a scope counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Floating-point operations.
    Flops,
    /// Bytes it read and wrote.
    Bytes,
    /// Elements it processed.
    Elements,
    /// Calls that this backend served.
    Backend(StringId),
    /// A counter of the program's own.
    Counter(StringId),
}

/// One count of one call path.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WorkRate {
    /// The path.
    pub node: NodeId,
    /// What was counted.
    pub measure: Measure,
    /// How much in all.
    pub total: i64,
    /// How much a call; `None` without a call.
    pub per_call: Option<f64>,
    /// How much a second of the path's time, children included; `None` when it took none.
    pub per_second: Option<f64>,
    /// Whether the rate rests on an estimated time.
    pub is_estimated: bool,
}

impl WorkRate {
    /// Whether it counts what the recorder of operations on arrays counts: which backend served `operations`, and what
    /// became of their operands.
    pub(crate) fn is_of_operations(&self, profile: &Profile, operations: &HashSet<NodeId>) -> bool {
        match self.measure {
            Measure::Backend(_) => operations.contains(&self.node),
            Measure::Counter(name) => is_of_operands(profile.strings.get(name)),
            _ => false,
        }
    }
}

/// The counts of all paths, that with the most time first.
#[must_use]
pub fn work_rates(tree: &CallTree<'_>) -> Vec<WorkRate> {
    let mut nodes: Vec<NodeId> = tree.nodes().filter(|(_, node)| node.has_counts).map(|(id, _)| id).collect();
    nodes.sort_unstable_by_key(|id| (Reverse(tree.node(*id).inclusive_nanos), *id));
    nodes.into_iter().flat_map(|id| rates_of(tree, id)).collect()
}

/// Whether there is anything to list.
pub(crate) fn has_counts(work: &Work) -> bool {
    work.flops > 0
        || work.bytes > 0
        || work.elements > 0
        || !work.backends.is_empty()
        || !work.counters.is_empty()
}

fn rates_of(tree: &CallTree<'_>, id: NodeId) -> Vec<WorkRate> {
    let node = tree.node(id);
    let mut work = Work::default();
    tree.rows_of(id).for_each(|row| work.add(&row.work));
    let told =
        [(Measure::Flops, work.flops), (Measure::Bytes, work.bytes), (Measure::Elements, work.elements)];
    let told = told.into_iter().filter(|(_, sum)| *sum > 0).map(|(measure, sum)| (measure, saturated(sum)));
    let backends = work.backends.iter().map(|&(name, calls)| (Measure::Backend(name), saturated(calls)));
    let counters = work.counters.iter().map(|&(name, sum)| (Measure::Counter(name), sum));
    let counts = told.chain(backends).chain(counters);
    let rate = |(measure, total): (Measure, i64)| WorkRate {
        node: id,
        measure,
        total,
        per_call: (node.calls > 0).then(|| total as f64 / node.calls as f64),
        per_second: (node.inclusive_nanos > 0).then(|| total as f64 * 1e9 / node.inclusive_nanos as f64),
        is_estimated: node.is_estimated,
    };
    counts.map(rate).collect()
}

fn saturated(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeOptions;
    use crate::sketch::Sketch;
    use calor_model::ScopeStats;

    #[test]
    fn counts_of_a_path_add_up_over_threads_and_are_told_by_the_second() {
        let name = StringId::from_index(0);
        let mut stats = ScopeStats { calls: 2, total_nanos: 500_000_000, ..ScopeStats::default() };
        stats.work = Work { flops: 8_000, bytes: 500, elements: 3_000, ..Work::default() };
        stats.work.add_backend(name, 2);
        stats.work.add_counter(name, -4);
        let profile = Sketch::new()
            .row("a", &["run"], stats.clone())
            .row("b", &["run"], stats)
            .scope("a", &["idle"], 1, 10)
            .profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let list: Vec<_> = work_rates(&tree)
            .iter()
            .map(|rate| (tree.name(rate.node), rate.measure, rate.total, rate.per_call, rate.per_second))
            .collect();
        let expected = [
            ("run", Measure::Flops, 16_000, Some(4_000.0), Some(16_000.0)),
            ("run", Measure::Bytes, 1_000, Some(250.0), Some(1_000.0)),
            ("run", Measure::Elements, 6_000, Some(1_500.0), Some(6_000.0)),
            ("run", Measure::Backend(name), 4, Some(1.0), Some(4.0)),
            ("run", Measure::Counter(name), -8, Some(-2.0), Some(-8.0)),
        ];
        assert_eq!(list, expected);
    }
}
