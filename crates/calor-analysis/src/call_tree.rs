//! The call tree: the paths of a profile with the time, calls and memory of each, added up over threads and
//! labels. It borrows the profile; what is costly to add up (histograms) is added when it is asked for, so
//! that a tree of thousands of paths is made in milliseconds.

mod children;
mod merged;
mod sampled;

use std::cell::OnceCell;

use calor_model::{Frame, FrameId, Profile, SampleKind, ScopeKey, ScopeStats, StackId};

use self::children::Children;
pub(crate) use self::merged::Merged;
use self::sampled::SampledPaths;
use crate::counting_sort::by_place;
use crate::fold::{self, ThreadFigures};
use crate::folded_path::Folded;
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
    /// Whether sampled paths that differ in lines alone stay apart. Otherwise they are one path, and its node names
    /// the line with the most samples.
    pub keeps_lines: bool,
}

/// The call paths of a profile as a tree. See the crate's introduction for what time and share mean.
#[derive(Clone, Debug)]
pub struct CallTree<'p> {
    profile: &'p Profile,
    source: Source,
    nodes: Nodes,
    children: Children,
    /// Scope rows, sorted by path.
    pub(crate) rows: Vec<(ScopeKey, &'p ScopeStats)>,
    /// What each thread that has scopes recorded.
    pub(crate) threads: Vec<ThreadFigures>,
    recorded_nanos: u64,
    /// Whether no thread was left out.
    pub(crate) is_of_all_threads: bool,
    /// Its paths with recursion folded, once somebody has asked.
    folded: OnceCell<Folded>,
}

/// What is known of the nodes.
#[derive(Clone, Debug)]
enum Nodes {
    Scopes(Vec<CallNode>),
    Samples(SampledPaths),
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
        let mut nodes = skeleton(profile, rows.iter().map(|(key, _)| key.stack));
        let threads = fold::scopes(&mut nodes, &rows, profile.threads.len(), options.correction);
        let parents = nodes.iter().map(|node| node.parent);
        let children = Children::new(parents, |id| nodes[id.index()].inclusive_nanos);
        let is_of_all_threads = options.threads == ThreadChoice::All;
        let tree = Self::new(profile, Source::Scopes, Nodes::Scopes(nodes), children);
        Self { rows, threads, is_of_all_threads, ..tree }
    }

    /// The tree of a profile's samples of one kind. Wall time that was not sampled itself is time on a CPU and time
    /// waited together, where both were recorded.
    #[must_use]
    pub fn of_samples(profile: &'p Profile, kind: SampleKind, options: &TreeOptions) -> Self {
        let has = |kind: SampleKind| profile.samples.iter().any(|(key, _)| key.kind == kind);
        let is_sum =
            kind == SampleKind::Wall && !has(kind) && has(SampleKind::Cpu) && has(SampleKind::OffCpu);
        let is_kind = |found: SampleKind| is_sum || found == kind;
        let is_merged = !options.keeps_lines && (is_sum || has(kind));
        let merged = if is_merged { Merged::new(profile) } else { None };
        let paths = SampledPaths::new(profile, is_kind, &options.threads.mask(profile), merged.as_ref());
        let parents = (0..paths.len()).map(|index| paths.parent(profile, index));
        let children = Children::new(parents, |id| paths.inclusive_nanos(id));
        Self::new(profile, Source::Samples(kind), Nodes::Samples(paths), children)
    }

    fn new(profile: &'p Profile, source: Source, nodes: Nodes, children: Children) -> Self {
        let (rows, threads) = (Vec::new(), Vec::new());
        let mut tree = Self {
            profile,
            source,
            nodes,
            children,
            rows,
            threads,
            recorded_nanos: 0,
            is_of_all_threads: true,
            folded: OnceCell::new(),
        };
        let whole = tree.roots().iter().map(|root| tree.node(*root).inclusive_nanos);
        tree.recorded_nanos = whole.fold(0, u64::saturating_add);
        tree
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
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (NodeId, CallNode)> {
        (0..self.len()).map(|index| {
            let id = NodeId(index as u32);
            (id, self.node(id))
        })
    }

    /// A node of this tree.
    ///
    /// # Panics
    /// On a node of another, larger tree.
    #[must_use]
    #[inline]
    pub fn node(&self, id: NodeId) -> CallNode {
        match &self.nodes {
            Nodes::Scopes(nodes) => nodes[id.index()].clone(),
            Nodes::Samples(paths) => paths.node(self.profile, id),
        }
    }

    /// A node's caller and frame: what is asked of all of them.
    #[inline]
    pub(crate) fn place(&self, id: NodeId) -> (Option<NodeId>, FrameId) {
        match &self.nodes {
            Nodes::Scopes(nodes) => (nodes[id.index()].parent, nodes[id.index()].frame),
            Nodes::Samples(paths) => paths.place(self.profile, id),
        }
    }

    /// Its paths with recursion folded.
    pub(crate) fn folded(&self) -> &Folded {
        self.folded.get_or_init(|| Folded::new(self))
    }

    /// The paths called from a node of this tree, the longest first.
    ///
    /// # Panics
    /// On a node of another, larger tree.
    #[must_use]
    #[inline]
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        self.children.of(id)
    }

    /// The outermost paths, the longest first.
    #[must_use]
    pub fn roots(&self) -> &[NodeId] {
        self.children.roots()
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
        self.rows[self.node(id).rows].iter().map(|(_, stats)| *stats)
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

    /// How many samples it was made of; `None` for a tree of scopes.
    #[must_use]
    pub fn n_samples(&self) -> Option<u64> {
        match &self.nodes {
            Nodes::Scopes(_) => None,
            Nodes::Samples(paths) => Some(paths.n_samples()),
        }
    }

    /// Whether there is no path at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn len(&self) -> usize {
        match &self.nodes {
            Nodes::Scopes(nodes) => nodes.len(),
            Nodes::Samples(paths) => paths.len(),
        }
    }
}

/// The nodes of `stacks` and all that call them, without figures yet.
fn skeleton(profile: &Profile, stacks: impl Iterator<Item = StackId>) -> Vec<CallNode> {
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
    let n_used = is_used.iter().filter(|is_used| **is_used).count();
    if n_used == 0 {
        return Vec::new();
    }
    let mut node_of_stack = vec![NodeId(u32::MAX); profile.stacks.len()];
    let mut nodes: Vec<CallNode> = Vec::with_capacity(n_used);
    for (id, stack) in profile.stacks.iter().filter(|(id, _)| is_used[id.index()]) {
        // As many nodes as stacks at most, and stacks are numbered by u32.
        node_of_stack[id.index()] = NodeId(nodes.len() as u32);
        let parent = stack.parent.map(|parent| node_of_stack[parent.index()]);
        let depth = parent.map_or(0, |parent| nodes[parent.index()].depth + 1);
        nodes.push(CallNode::new(id, stack.frame, parent, depth));
    }
    nodes
}

#[cfg(test)]
mod tests;
