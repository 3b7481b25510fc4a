//! The call tree: the paths of a profile with the time, calls and memory of each, added up over threads and
//! labels. It borrows the profile; what is costly to add up (histograms) is added when it is asked for, so
//! that a tree of thousands of paths is made in milliseconds.

use calor_model::{Frame, Profile, SampleKind, SampleWeight, ScopeKey, ScopeStats, StackId};

use crate::counting_sort::by_place;
use crate::fold::{self, ThreadFigures};
use crate::{CallNode, Correction, NodeId, ThreadChoice};

/// Which table of the profile a tree was made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Scopes of the SDK: calls and exact times.
    Scopes,
    /// Stack samples of one kind: times in proportion to the number of samples.
    Samples(SampleKind),
}

/// How to make a tree.
#[derive(Clone, Debug, Default)]
pub struct TreeOptions {
    /// Which threads to add up.
    pub threads: ThreadChoice,
    /// The recorder's own cost, if it is to be subtracted.
    pub correction: Option<Correction>,
}

/// The call paths of a profile as a tree. See the crate's introduction for what time and share mean.
#[derive(Clone, Debug)]
pub struct CallTree<'p> {
    profile: &'p Profile,
    source: Source,
    pub(crate) nodes: Vec<CallNode>,
    pub(crate) roots: Vec<NodeId>,
    /// Scope rows, sorted by path.
    pub(crate) rows: Vec<(ScopeKey, &'p ScopeStats)>,
    /// What each thread that has scopes recorded.
    pub(crate) threads: Vec<ThreadFigures>,
    recorded_nanos: u64,
}

impl<'p> CallTree<'p> {
    /// The tree of a profile's scopes.
    ///
    /// Self time is a path's time less that of its direct children, worked out for each thread and then
    /// added. A path that has no row of its own on a thread takes the time of its children there.
    #[must_use]
    pub fn of_scopes(profile: &'p Profile, options: &TreeOptions) -> Self {
        let chosen = options.threads.mask(profile);
        let rows = profile.scopes.iter();
        let rows: Vec<_> =
            rows.filter(|(key, _)| chosen.get(key.thread.index()).copied().unwrap_or(false)).collect();
        let rows = by_place(&rows, profile.stacks.len(), |(key, _)| key.stack.index());
        let mut tree = Self::skeleton(profile, Source::Scopes, rows.iter().map(|(key, _)| key.stack));
        tree.threads = fold::scopes(&mut tree.nodes, &rows, profile.threads.len(), options.correction);
        tree.rows = rows;
        tree.finish()
    }

    /// The tree of a profile's samples of one kind.
    #[must_use]
    pub fn of_samples(profile: &'p Profile, kind: SampleKind, options: &TreeOptions) -> Self {
        let chosen = options.threads.mask(profile);
        let mut weights: Vec<(StackId, SampleWeight)> = profile
            .samples
            .iter()
            .filter(|(key, _)| key.kind == kind && chosen.get(key.thread.index()).copied().unwrap_or(false))
            .map(|(key, weight)| (key.stack, weight))
            .collect();
        weights.sort_by_key(|(stack, _)| *stack);
        let mut tree =
            Self::skeleton(profile, Source::Samples(kind), weights.iter().map(|(stack, _)| *stack));
        fold::samples(&mut tree.nodes, &weights);
        tree.finish()
    }

    /// The profile the tree was made from.
    #[must_use]
    pub fn profile(&self) -> &'p Profile {
        self.profile
    }

    /// The table it was made from.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source
    }

    /// All nodes, callers before callees.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (NodeId, &CallNode)> {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeId(index as u32), node))
    }

    /// A node of this tree.
    ///
    /// # Panics
    /// On a node of another, larger tree.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &CallNode {
        &self.nodes[id.index()]
    }

    /// The outermost paths, the longest first.
    #[must_use]
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// The frame a node ends in.
    #[must_use]
    pub fn frame(&self, id: NodeId) -> Frame {
        self.profile.frames.get(self.node(id).frame)
    }

    /// The name of that frame.
    #[must_use]
    pub fn name(&self, id: NodeId) -> &'p str {
        self.profile.strings.get(self.frame(id).name)
    }

    /// What its scopes recorded, one row for each thread and set of labels. As recorded: no correction is
    /// applied here.
    pub fn rows_of(&self, id: NodeId) -> impl Iterator<Item = &'p ScopeStats> {
        self.rows[self.node(id).rows.clone()].iter().map(|(_, stats)| *stats)
    }

    /// The recorded time: what shares are fractions of.
    #[must_use]
    pub fn recorded_nanos(&self) -> u64 {
        self.recorded_nanos
    }

    /// `nanos` as a fraction of the recorded time; `None` when no time was recorded.
    #[must_use]
    pub fn share(&self, nanos: u64) -> Option<f64> {
        let whole = self.recorded_nanos();
        (whole > 0).then(|| nanos as f64 / whole as f64)
    }

    /// Whether there is no path at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes of `stacks` and all that call them, without figures yet.
    fn skeleton(profile: &'p Profile, source: Source, stacks: impl Iterator<Item = StackId>) -> Self {
        let mut is_used = vec![false; profile.stacks.len()];
        for stack in stacks {
            let mut next = Some(stack);
            while let Some(stack) = next
                && !is_used[stack.index()]
            {
                is_used[stack.index()] = true;
                next = profile.stacks.get(stack).parent;
            }
        }
        let mut node_of_stack = vec![NodeId(u32::MAX); profile.stacks.len()];
        let (mut nodes, mut roots): (Vec<CallNode>, Vec<NodeId>) = (Vec::new(), Vec::new());
        for (id, stack) in profile.stacks.iter().filter(|(id, _)| is_used[id.index()]) {
            // As many nodes as stacks at most, and stacks are numbered by u32.
            let node = NodeId(nodes.len() as u32);
            node_of_stack[id.index()] = node;
            let parent = stack.parent.map(|parent| node_of_stack[parent.index()]);
            let depth = parent.map_or(0, |parent| nodes[parent.index()].depth + 1);
            match parent {
                Some(parent) => nodes[parent.index()].children.push(node),
                None => roots.push(node),
            }
            nodes.push(CallNode::new(id, stack.frame, parent, depth));
        }
        Self { profile, source, nodes, roots, rows: Vec::new(), threads: Vec::new(), recorded_nanos: 0 }
    }

    /// Adds up the whole and puts siblings in order, the longest first.
    fn finish(mut self) -> Self {
        let inclusive: Vec<u64> = self.nodes.iter().map(|node| node.inclusive_nanos).collect();
        self.recorded_nanos = self.roots.iter().map(|id| inclusive[id.index()]).fold(0, u64::saturating_add);
        let longest_first = |id: &NodeId| (std::cmp::Reverse(inclusive[id.index()]), *id);
        self.roots.sort_unstable_by_key(longest_first);
        self.nodes.iter_mut().for_each(|node| node.children.sort_unstable_by_key(longest_first));
        self
    }
}

#[cfg(test)]
mod tests;
