//! The part of a call tree that fits on a page: the paths with the most time, each under its caller, and for
//! every path what was left out below it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::{CallTree, NodeId, Source};

/// One line of the outline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutlineRow {
    /// The path.
    pub node: NodeId,
    /// How far the line stands in.
    pub depth: usize,
    /// How many callers stand in the same line, because all of their time was spent in this path.
    pub n_folded: usize,
    /// How many of its children are not shown.
    pub hidden_children: usize,
    /// The time of those children.
    pub hidden_nanos: u64,
}

impl CallTree<'_> {
    /// The `limit` lines with the most time, in the order of the tree: a caller, then its callees, the longest first. In a
    /// tree of samples a caller that was never found innermost and called only one function shares its line: dozens of
    /// such callers lead from the start of a program to its own code.
    #[must_use]
    pub fn outline(&self, limit: usize) -> Vec<OutlineRow> {
        let mut is_shown = vec![false; self.nodes().len()];
        // A path is considered once its caller is shown, so that no line hangs in the air.
        let entry = |id: &NodeId| (self.node(*id).inclusive_nanos, Reverse(*id));
        let mut next: BinaryHeap<_> = self.roots().iter().map(entry).collect();
        for _ in 0..limit {
            let Some((_, Reverse(id))) = next.pop() else { break };
            is_shown[id.index()] = true;
            next.extend(self.children(end_of_line(self, id).0).iter().map(entry));
        }
        let mut rows = Vec::new();
        let mut waiting: Vec<(NodeId, usize)> = self.roots().iter().rev().map(|root| (*root, 0)).collect();
        while let Some((first, depth)) = waiting.pop() {
            if !is_shown[first.index()] {
                continue;
            }
            let (node, n_folded) = end_of_line(self, first);
            let children = self.children(node);
            let hidden = children.iter().filter(|child| !is_shown[child.index()]);
            let hidden_nanos =
                hidden.clone().map(|child| self.node(*child).inclusive_nanos).fold(0, u64::saturating_add);
            rows.push(OutlineRow { node, depth, n_folded, hidden_children: hidden.count(), hidden_nanos });
            waiting.extend(children.iter().rev().map(|child| (*child, depth + 1)));
        }
        rows
    }
}

/// The innermost path that shares the line of a path, and how many callers it shares it with.
fn end_of_line(tree: &CallTree<'_>, first: NodeId) -> (NodeId, usize) {
    let (mut node, mut n_folded) = (first, 0);
    while tree.source() != Source::Scopes
        && let [only] = tree.children(node)
        && tree.node(node).samples == 0
        && tree.node(node).self_nanos == 0
    {
        node = *only;
        n_folded += 1;
    }
    (node, n_folded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeOptions;
    use crate::sketch::Sketch;
    use calor_model::SampleKind;

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
        let rows: Vec<_> = tree
            .outline(3)
            .iter()
            .map(|row| (tree.name(row.node), row.hidden_children, row.hidden_nanos))
            .collect();
        assert_eq!(rows, [("run", 2, 8), ("big", 0, 0), ("bigger", 0, 0)]);
    }

    #[test]
    fn callers_that_only_lead_to_one_function_share_its_line() {
        let profile = Sketch::new()
            .samples("main", SampleKind::Cpu, &["_start", "main", "run", "parse"], 5)
            .samples("main", SampleKind::Cpu, &["_start", "main", "run", "lex", "next"], 3)
            .samples("main", SampleKind::Cpu, &["_start", "main", "run"], 1)
            .profile();
        let tree = CallTree::of_samples(&profile, SampleKind::Cpu, &TreeOptions::default());
        let rows: Vec<_> =
            tree.outline(9).iter().map(|row| (tree.name(row.node), row.depth, row.n_folded)).collect();
        assert_eq!(rows, [("run", 0, 2), ("parse", 1, 0), ("next", 1, 1)]);
    }
}
