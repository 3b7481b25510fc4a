//! Who is called from where: one list for all nodes instead of one for each, which a tree of millions of nodes has
//! no memory for.

use std::cmp::Reverse;

use crate::NodeId;

/// The outermost nodes and the children of each node, the longest first.
#[derive(Clone, Debug)]
pub(super) struct Children {
    /// The outermost nodes, then the children of each node.
    nodes: Vec<NodeId>,
    /// Where in it those parts end.
    ends: Vec<u32>,
}

impl Children {
    /// The children of nodes whose parents are told in their order, and which took so long.
    pub(super) fn new(
        parents: impl ExactSizeIterator<Item = Option<NodeId>> + Clone,
        nanos: impl Fn(NodeId) -> u64,
    ) -> Self {
        let part = |parent: Option<NodeId>| parent.map_or(0, |parent| parent.index() + 1);
        // Where each part begins, which filling it moves to where it ends.
        let mut ends = vec![0_u32; parents.len() + 2];
        parents.clone().for_each(|parent| ends[part(parent) + 1] += 1);
        for index in 1..ends.len() {
            ends[index] += ends[index - 1];
        }
        let mut nodes = vec![NodeId(0); parents.len()];
        for (index, parent) in parents.enumerate() {
            let end = &mut ends[part(parent)];
            nodes[*end as usize] = NodeId(index as u32);
            *end += 1;
        }
        let mut start = 0;
        for &end in &ends {
            let siblings = &mut nodes[start..end as usize];
            if siblings.len() > 1 {
                siblings.sort_unstable_by_key(|id| (Reverse(nanos(*id)), *id));
            }
            start = end as usize;
        }
        Self { nodes, ends }
    }

    /// The outermost nodes.
    pub(super) fn roots(&self) -> &[NodeId] {
        &self.nodes[..self.ends[0] as usize]
    }

    /// The children of a node.
    #[inline]
    pub(super) fn of(&self, id: NodeId) -> &[NodeId] {
        &self.nodes[self.ends[id.index()] as usize..self.ends[id.index() + 1] as usize]
    }
}
