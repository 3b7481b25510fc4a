//! The time of GPUs by the nodes of a tree of scopes: a GPU works beside its host, so this is another time than that of the scopes.

use std::collections::HashMap;

use calor_model::{LabelSetId, StackId};
use foldhash::fast::RandomState;

use crate::{CallTree, NodeId};

/// How long GPUs worked for each node, for what is inside it too. Kernels that ran at the same time count each.
#[derive(Clone, Debug)]
pub struct GpuTimes {
    of_nodes: Vec<u64>,
    /// The same for scopes of one set of labels; `None` where labels are not known.
    of_labels: Option<HashMap<(NodeId, LabelSetId), u64, RandomState>>,
}

impl GpuTimes {
    /// Those of a tree of scopes; `None` where nothing ran on a GPU, or nobody recorded it.
    #[must_use]
    pub fn of(tree: &CallTree<'_>) -> Option<Self> {
        let gpu = &tree.profile().gpu;
        // What GPUs did is of no thread.
        if !tree.is_of_all_threads {
            return None;
        }
        if gpu.kernels.is_empty() && gpu.copies.is_empty() && gpu.scopes.is_empty() {
            return None;
        }
        let mut node_of_stack = vec![None; tree.profile().stacks.len()];
        for (id, node) in tree.nodes() {
            node_of_stack[node.stack.index()] = Some(id);
        }
        let by_launches = by_launches(tree, &node_of_stack);
        if gpu.scopes.is_empty() {
            return Some(Self { of_nodes: by_launches, of_labels: None });
        }
        let mut times = Self::by_scopes(tree, &node_of_stack);
        // What was merged with it may be a trace of others, which has launches alone.
        for (told, launched) in times.of_nodes.iter_mut().zip(by_launches) {
            *told = launched.max(*told);
        }
        Some(times)
    }

    /// As the recorder told of each scope.
    fn by_scopes(tree: &CallTree<'_>, node_of_stack: &[Option<NodeId>]) -> Self {
        let mut of_nodes = vec![0_u64; tree.nodes().len()];
        let mut of_labels = HashMap::default();
        for (key, work) in &tree.profile().gpu.scopes {
            if let Some(node) = node_of_stack[key.stack.index()] {
                let sum = &mut of_nodes[node.index()];
                *sum = sum.saturating_add(work.nanos);
                of_labels.insert((node, key.labels), work.nanos);
            }
        }
        Self { of_nodes, of_labels: Some(of_labels) }
    }

    /// How long GPUs worked for a node of the tree.
    #[must_use]
    pub fn nanos(&self, node: NodeId) -> u64 {
        self.of_nodes.get(node.index()).copied().unwrap_or(0)
    }

    /// How long they worked for those scopes of a node that have these labels; `None` where labels are not known.
    pub(crate) fn labelled_nanos(&self, node: NodeId, labels: LabelSetId) -> Option<u64> {
        let of_labels = self.of_labels.as_ref()?;
        Some(of_labels.get(&(node, labels)).copied().unwrap_or(0))
    }
}

/// Kernels and copies added up along the tree, as traces of others have them.
fn by_launches(tree: &CallTree<'_>, node_of_stack: &[Option<NodeId>]) -> Vec<u64> {
    let profile = tree.profile();
    let kernels = profile.gpu.kernels.iter().map(|(key, durations)| (key.launched_from, durations));
    let copies = profile.gpu.copies.iter().map(|(key, copies)| (key.launched_from, &copies.durations));
    let mut of_nodes = vec![0_u64; tree.nodes().len()];
    for (stack, durations) in kernels.chain(copies) {
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
    of_nodes
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
