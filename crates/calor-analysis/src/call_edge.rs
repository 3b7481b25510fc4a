//! Who calls whom: the call tree folded into pairs of caller and callee.

use std::cmp::Reverse;

use calor_model::{FrameId, StringId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::{CallTree, Function, NodeId};

/// All calls from one function to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallEdge {
    /// A frame of the caller; `None` where the callee is outermost.
    pub caller: Option<FrameId>,
    /// A frame of the callee.
    pub callee: FrameId,
    /// How often.
    pub calls: u64,
    /// The callee's time on these paths, its children included.
    pub total_nanos: u64,
}

/// The edges between function names, the most frequent first.
#[must_use]
pub fn call_edges(tree: &CallTree<'_>) -> Vec<CallEdge> {
    gathered(tree, tree.nodes().map(|(id, _)| id))
}

/// The edges that lead into a function, the most frequent first.
#[must_use]
pub fn calls_of(tree: &CallTree<'_>, function: &Function) -> Vec<CallEdge> {
    let mut nodes = function.nodes.clone();
    nodes.sort_unstable();
    gathered(tree, nodes.into_iter())
}

fn gathered(tree: &CallTree<'_>, nodes: impl Iterator<Item = NodeId>) -> Vec<CallEdge> {
    let name = |frame: FrameId| tree.profile().frames.get(frame).name;
    let mut edges: IndexMap<(Option<StringId>, StringId), CallEdge, RandomState> = IndexMap::default();
    for node in nodes.map(|id| tree.node(id)).filter(|node| node.calls > 0) {
        let caller = node.parent.map(|parent| tree.node(parent).frame);
        let edge = edges.entry((caller.map(name), name(node.frame))).or_insert(CallEdge {
            caller,
            callee: node.frame,
            calls: 0,
            total_nanos: 0,
        });
        edge.calls = edge.calls.saturating_add(node.calls);
        edge.total_nanos = edge.total_nanos.saturating_add(node.inclusive_nanos);
    }
    let mut edges: Vec<CallEdge> = edges.into_values().collect();
    // The sort is stable, and ties keep the order of the tree.
    edges.sort_by_key(|edge| Reverse((edge.calls, edge.total_nanos)));
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeOptions;
    use crate::sketch::Sketch;

    #[test]
    fn calls_of_a_pair_add_up_over_paths_and_threads() {
        let profile = Sketch::new()
            .scope("a", &["run"], 1, 100)
            .scope("a", &["run", "parse"], 5, 50)
            .scope("b", &["test", "run", "parse"], 7, 20)
            .profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let name = |frame| profile.strings.get(profile.frames.get(frame).name);
        let list: Vec<_> = call_edges(&tree)
            .iter()
            .map(|edge| (edge.caller.map_or("", name), name(edge.callee), edge.calls, edge.total_nanos))
            .collect();
        assert_eq!(list, [("run", "parse", 12, 70), ("", "run", 1, 100)]);
    }
}
