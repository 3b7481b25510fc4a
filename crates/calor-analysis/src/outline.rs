//! The part of a call tree that fits on a page: the paths with the most time, each under its caller, and for
//! every path what was left out below it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::{CallTree, NodeId};

/// One line of the outline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutlineRow {
    /// The path.
    pub node: NodeId,
    /// How many of its children are not shown.
    pub hidden_children: usize,
    /// The time of those children.
    pub hidden_nanos: u64,
}

/// The `limit` paths with the most time, in the order of the tree: a caller, then its callees, the longest
/// first.
#[must_use]
pub fn outline(tree: &CallTree<'_>, limit: usize) -> Vec<OutlineRow> {
    let mut is_shown = vec![false; tree.nodes().len()];
    // A path is considered once its caller is shown, so that no line hangs in the air.
    let entry = |id: &NodeId| (tree.node(*id).inclusive_nanos, Reverse(*id));
    let mut next: BinaryHeap<_> = tree.roots().iter().map(entry).collect();
    for _ in 0..limit {
        let Some((_, Reverse(id))) = next.pop() else { break };
        is_shown[id.index()] = true;
        next.extend(tree.children(id).iter().map(entry));
    }
    let mut rows = Vec::new();
    let mut waiting: Vec<NodeId> = tree.roots().iter().rev().copied().collect();
    while let Some(node) = waiting.pop() {
        if !is_shown[node.index()] {
            continue;
        }
        let children = tree.children(node);
        let hidden = children.iter().filter(|child| !is_shown[child.index()]);
        let hidden_nanos =
            hidden.clone().map(|child| tree.node(*child).inclusive_nanos).fold(0, u64::saturating_add);
        rows.push(OutlineRow { node, hidden_children: hidden.count(), hidden_nanos });
        waiting.extend(children.iter().rev());
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeOptions;
    use crate::sketch::Sketch;

    #[test]
    fn the_longest_paths_are_shown_under_their_callers_and_the_rest_is_counted() {
        let profile = Sketch::new()
            .scope("main", &["run"], 1, 100)
            .scope("main", &["run", "small"], 1, 5)
            .scope("main", &["run", "tiny"], 1, 3)
            .scope("main", &["run", "big"], 1, 80)
            .scope("main", &["run", "big", "bigger"], 1, 60)
            .profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let rows: Vec<_> = outline(&tree, 3)
            .iter()
            .map(|row| (tree.name(row.node), row.hidden_children, row.hidden_nanos))
            .collect();
        assert_eq!(rows, [("run", 2, 8), ("big", 0, 0), ("bigger", 0, 0)]);
    }
}
