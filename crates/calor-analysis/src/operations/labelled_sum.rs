//! Scopes of one name by their labels: `step` of a small model and of a large one, told apart.

use std::cmp::Reverse;

use calor_model::{LabelSetId, ScopeStats, StringId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::{CallTree, NodeId};

/// The scopes of one name that have the same labels.
#[derive(Clone, PartialEq, Debug)]
pub struct LabelledSum<'p> {
    /// The labels; none of those that have none.
    pub labels: Vec<(&'p str, &'p str)>,
    /// Time with what is inside; of scopes inside others of the name and the labels, none.
    pub total_nanos: u64,
    /// `total_nanos` as a part of the recorded time; `None` where none was recorded.
    pub share: Option<f64>,
    /// All that was recorded: calls, durations, work.
    pub stats: ScopeStats,
}

impl LabelledSum<'_> {
    /// The labels as they stand behind a name, as in `{model=small}`; nothing where there are none.
    #[must_use]
    pub fn words(&self) -> String {
        let pairs: Vec<String> = self.labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(", ")) }
    }
}

/// What scopes of one name took by labels.
#[derive(Clone, Default)]
pub(super) struct ByLabels {
    sums: IndexMap<LabelSetId, (u64, ScopeStats), RandomState>,
    /// How many of them a walk is inside of.
    n_entered: IndexMap<LabelSetId, u32, RandomState>,
}

impl ByLabels {
    /// A walk comes to a node of the name.
    pub(super) fn enter(&mut self, tree: &CallTree<'_>, id: NodeId) {
        let mut entered: Vec<LabelSetId> = Vec::new();
        for (key, row) in &tree.rows[tree.node(id).rows.clone()] {
            let is_outermost = self.n_entered.get(&key.labels).copied().unwrap_or(0) == 0;
            let (total_nanos, stats) = self.sums.entry(key.labels).or_default();
            if is_outermost {
                *total_nanos = total_nanos.saturating_add(row.inclusive_nanos());
            }
            let memory = row.memory.filter(|_| is_outermost);
            stats.add(&ScopeStats { memory, ..(*row).clone() });
            // Rows of several threads have the same labels.
            if !entered.contains(&key.labels) {
                entered.push(key.labels);
            }
        }
        for labels in entered {
            *self.n_entered.entry(labels).or_default() += 1;
        }
    }

    /// It leaves the node again.
    pub(super) fn leave(&mut self, tree: &CallTree<'_>, id: NodeId) {
        let rows = &tree.rows[tree.node(id).rows.clone()];
        for (at, (key, _)) in rows.iter().enumerate() {
            let is_first = !rows[..at].iter().any(|(other, _)| other.labels == key.labels);
            if let Some(n) = self.n_entered.get_mut(&key.labels).filter(|_| is_first) {
                *n = n.saturating_sub(1);
            }
        }
    }

    /// All of them; none where no scope has labels.
    pub(super) fn sums<'p>(self, tree: &CallTree<'p>) -> Vec<LabelledSum<'p>> {
        let profile = tree.profile();
        let text = |id: StringId| profile.strings.get(id);
        let sum = |(labels, (total_nanos, stats)): (LabelSetId, (u64, ScopeStats))| LabelledSum {
            labels: profile
                .labels
                .get(labels)
                .iter()
                .map(|(name, value)| (text(*name), text(*value)))
                .collect(),
            total_nanos,
            share: tree.share(total_nanos),
            stats,
        };
        let mut list: Vec<LabelledSum<'p>> = self.sums.into_iter().map(sum).collect();
        if list.iter().all(|sum| sum.labels.is_empty()) {
            return Vec::new();
        }
        list.sort_by_key(|sum| Reverse(sum.total_nanos));
        list
    }
}

#[cfg(test)]
mod tests {
    use calor_model::ScopeStats;

    use crate::findings::draft::Draft;
    use crate::{CallTree, TreeOptions, scope_sums};

    #[test]
    fn sets_of_labels_add_up_to_their_name_and_scopes_inside_others_of_their_set_count_once() {
        let stats = |calls, total_nanos| ScopeStats { calls, total_nanos, ..ScopeStats::default() };
        let profile = Draft::new()
            .scope_row("main", &["lab"], &[("model", "small")], stats(1, 60))
            .scope_row("other", &["lab"], &[("model", "small")], stats(1, 40))
            .scope_row("main", &["lab"], &[("model", "large")], stats(1, 900))
            .scope_row("main", &["lab", "lab"], &[("model", "small")], stats(1, 40))
            .scope(&["plain"], 1, 5)
            .profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let sums = scope_sums(&tree);
        let told: Vec<_> =
            sums[0].by_labels.iter().map(|sum| (sum.words(), sum.total_nanos, sum.stats.calls)).collect();
        assert_eq!(told, [("{model=large}".to_owned(), 900, 1), ("{model=small}".to_owned(), 100, 3)]);
        assert!(sums[1].by_labels.is_empty());
    }
}
