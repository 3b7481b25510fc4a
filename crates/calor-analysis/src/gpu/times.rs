//! The time of GPUs by the nodes of a tree of scopes: a GPU works beside its host, so this is another time than that of the scopes.

use calor_model::StackId;

use crate::{CallTree, NodeId};

/// How long GPUs worked for each node, for what is inside it too. Kernels that ran at the same time count each.
#[derive(Clone, Debug)]
pub struct GpuTimes {
    of_nodes: Vec<u64>,
}

impl GpuTimes {
    /// Those of a tree of scopes; `None` where nothing ran on a GPU, or nobody recorded it.
    #[must_use]
    pub fn of(tree: &CallTree<'_>) -> Option<Self> {
        let profile = tree.profile();
        let kernels = profile.gpu.kernels.iter().map(|(key, durations)| (key.launched_from, durations));
        let copies = profile.gpu.copies.iter().map(|(key, copies)| (key.launched_from, &copies.durations));
        let mut launched = kernels.chain(copies).peekable();
        launched.peek()?;
        let mut node_of_stack = vec![None; profile.stacks.len()];
        for (id, node) in tree.nodes() {
            node_of_stack[node.stack.index()] = Some(id);
        }
        let mut of_nodes = vec![0_u64; tree.nodes().len()];
        for (stack, durations) in launched {
            let around = |stack: &StackId| profile.stacks.get(*stack).parent;
            let node = std::iter::successors(stack, around).find_map(|stack| node_of_stack[stack.index()]);
            if let Some(node) = node {
                let sum: &mut u64 = &mut of_nodes[node.index()];
                *sum = sum.saturating_add(durations.total_nanos);
            }
        }
        // Callers have smaller numbers than their callees.
        let parents: Vec<Option<NodeId>> = tree.nodes().map(|(_, node)| node.parent).collect();
        for index in (0..of_nodes.len()).rev() {
            if let Some(parent) = parents[index] {
                of_nodes[parent.index()] = of_nodes[parent.index()].saturating_add(of_nodes[index]);
            }
        }
        Some(Self { of_nodes })
    }

    /// How long they worked for several, none of which is inside another; `None` where they did nothing for any.
    pub(crate) fn of_nodes(&self, nodes: &[NodeId]) -> Option<u64> {
        let nanos = nodes.iter().map(|node| self.nanos(*node)).fold(0, u64::saturating_add);
        (nanos > 0).then_some(nanos)
    }

    /// How long GPUs worked for a node of the tree.
    #[must_use]
    pub fn nanos(&self, node: NodeId) -> u64 {
        self.of_nodes.get(node.index()).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use calor_model::FrameKind;

    use super::*;
    use crate::TreeOptions;
    use crate::findings::draft::Draft;

    #[test]
    fn what_was_launched_counts_for_all_that_is_around_it() {
        let mut draft = Draft::new().scope(&["train"], 1, 900).scope(&["train", "linear"], 2, 500).scope(
            &["train", "linear", "addmm"],
            2,
            400,
        );
        let inner = draft.path(&["train", "linear", "addmm"], FrameKind::Scope);
        let outer = draft.path(&["train"], FrameKind::Scope);
        let profile =
            draft.kernel_at("gemm", 2, 70, Some(inner)).kernel_at("fill", 1, 5, Some(outer)).profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let times = GpuTimes::of(&tree).expect("there are kernels");
        let told: Vec<_> = tree.nodes().map(|(id, _)| (tree.name(id), times.nanos(id))).collect();
        assert_eq!(told, [("train", 75), ("linear", 70), ("addmm", 70)]);
    }

    #[test]
    fn without_a_gpu_there_is_no_time_of_one() {
        let profile = Draft::new().scope(&["train"], 1, 900).profile();
        assert!(GpuTimes::of(&CallTree::of_scopes(&profile, &TreeOptions::default())).is_none());
    }
}
