//! The call tree: the paths of a profile with the time, calls and memory of each, added up over threads and
//! labels. It borrows the profile; what is costly to add up (histograms) is added when it is asked for, so
//! that a tree of thousands of paths is made in milliseconds.

use calor_model::{
    Frame, FrameId, Profile, SampleKind, SampleWeight, ScopeKey, ScopeStats, StackId, ThreadId,
};

use crate::{Correction, ThreadChoice, fold};

/// A node of one [`CallTree`]; callers have smaller numbers than their callees.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The node's place in [`CallTree::nodes`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

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

/// One call path.
#[derive(Clone, PartialEq, Debug)]
pub struct CallNode {
    /// The path.
    pub stack: StackId,
    /// Its innermost frame.
    pub frame: FrameId,
    /// The calling path.
    pub parent: Option<NodeId>,
    /// The paths called from here, the longest first.
    pub children: Vec<NodeId>,
    /// How many callers are above.
    pub depth: u32,
    /// How often it was entered (an async scope: polled).
    pub calls: u64,
    /// How many of those calls were timed.
    pub timed_calls: u64,
    /// Calls that had not ended.
    pub open_calls: i64,
    /// Samples whose innermost frame this is.
    pub samples: u64,
    /// Time of all calls, children included, those not ended included too.
    pub inclusive_nanos: u64,
    /// The part of it outside any child.
    pub self_nanos: u64,
    /// By how much children took longer than this path, which measured exactly cannot be; estimates can.
    pub clamped_nanos: u64,
    /// What the correction took out of this path's self time.
    pub corrected_nanos: u64,
    /// The variance of `inclusive_nanos` as an estimate, in nanoseconds squared; 0 when it was measured.
    pub inclusive_variance: f64,
    /// The same of `self_nanos`.
    pub self_variance: f64,
    /// Whether `inclusive_nanos` is an estimate.
    pub is_estimated: bool,
    /// Whether `self_nanos` is: so too when a child's time is.
    pub is_self_estimated: bool,
    /// Bytes allocated outside any child; `None` when no allocator was watched.
    pub self_allocated_bytes: Option<u64>,
    /// Number of those allocations.
    pub self_allocated_count: Option<u64>,
    /// Its rows among the tree's.
    pub(crate) rows: std::ops::Range<usize>,
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
    /// The recorded time of each thread that has scopes.
    pub(crate) recorded: Vec<(ThreadId, u64)>,
}

impl<'p> CallTree<'p> {
    /// The tree of a profile's scopes.
    ///
    /// Self time is a path's time less that of its direct children, worked out for each thread and then
    /// added. A path that has no row of its own on a thread takes the time of its children there.
    #[must_use]
    pub fn of_scopes(profile: &'p Profile, options: &TreeOptions) -> Self {
        let chosen = options.threads.mask(profile);
        let mut rows: Vec<_> = profile
            .scopes
            .iter()
            .filter(|(key, _)| chosen.get(key.thread.index()).copied().unwrap_or(false))
            .collect();
        rows.sort_by_key(|(key, _)| (key.stack, key.thread, key.labels));
        let mut tree = Self::skeleton(profile, Source::Scopes, rows.iter().map(|(key, _)| key.stack));
        tree.recorded = fold::scopes(&mut tree.nodes, &rows, options.correction);
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

    /// Everything its scopes recorded, added up over threads and labels: durations with their histogram,
    /// work, memory, the lives of futures. As recorded: no correction is applied here.
    #[must_use]
    pub fn stats(&self, id: NodeId) -> ScopeStats {
        let mut sum = ScopeStats::default();
        self.rows[self.node(id).rows.clone()].iter().for_each(|(_, stats)| sum.add(stats));
        sum
    }

    /// The recorded time: what shares are fractions of.
    #[must_use]
    pub fn recorded_nanos(&self) -> u64 {
        self.roots.iter().fold(0, |sum, root| sum.saturating_add(self.node(*root).inclusive_nanos))
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
        Self { profile, source, nodes, roots, rows: Vec::new(), recorded: Vec::new() }
    }

    /// Puts siblings in order, the longest first.
    fn finish(mut self) -> Self {
        let inclusive: Vec<u64> = self.nodes.iter().map(|node| node.inclusive_nanos).collect();
        let longest_first = |id: &NodeId| (std::cmp::Reverse(inclusive[id.index()]), *id);
        self.roots.sort_by_key(longest_first);
        self.nodes.iter_mut().for_each(|node| node.children.sort_by_key(longest_first));
        self
    }
}

impl CallNode {
    fn new(stack: StackId, frame: FrameId, parent: Option<NodeId>, depth: u32) -> Self {
        Self {
            stack,
            frame,
            parent,
            children: Vec::new(),
            depth,
            calls: 0,
            timed_calls: 0,
            open_calls: 0,
            samples: 0,
            inclusive_nanos: 0,
            self_nanos: 0,
            clamped_nanos: 0,
            corrected_nanos: 0,
            inclusive_variance: 0.0,
            self_variance: 0.0,
            is_estimated: false,
            is_self_estimated: false,
            self_allocated_bytes: None,
            self_allocated_count: None,
            rows: 0..0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;
    use calor_model::{Cost, Run};

    fn tree<'p>(profile: &'p Profile, options: &TreeOptions) -> CallTree<'p> {
        CallTree::of_scopes(profile, options)
    }

    /// Name, calls, time and self time of every node.
    fn figures(tree: &CallTree<'_>) -> Vec<(String, u64, u64, u64)> {
        let path = |node: &CallNode| tree.profile().path_names(node.stack).join("/");
        tree.nodes()
            .map(|(_, node)| (path(node), node.calls, node.inclusive_nanos, node.self_nanos))
            .collect()
    }

    fn row(path: &str, calls: u64, inclusive: u64, own: u64) -> (String, u64, u64, u64) {
        (path.to_owned(), calls, inclusive, own)
    }

    #[test]
    fn threads_are_added_up_after_their_self_times() {
        // On thread b alone the child takes longer than its caller; thread a must not make up for it.
        let profile = Sketch::new()
            .scope("a", &["run"], 1, 100)
            .scope("a", &["run", "work"], 1, 30)
            .scope("b", &["run"], 1, 10)
            .scope("b", &["run", "work"], 1, 15)
            .profile();
        let tree = tree(&profile, &TreeOptions::default());
        assert_eq!(figures(&tree), [row("run", 2, 110, 70), row("run/work", 2, 45, 45)]);
        assert_eq!(tree.node(tree.roots()[0]).clamped_nanos, 5);
    }

    #[test]
    fn one_thread_can_be_kept() {
        let profile = Sketch::new().scope("a", &["run"], 1, 100).scope("b", &["serve"], 2, 50).profile();
        let options = TreeOptions { threads: ThreadChoice::Named("b".to_owned()), ..TreeOptions::default() };
        assert_eq!(figures(&tree(&profile, &options)), [row("serve", 2, 50, 50)]);
    }

    #[test]
    fn a_caller_without_rows_takes_the_time_of_its_callees() {
        let profile = Sketch::new().scope("a", &["run", "work"], 1, 30).profile();
        let tree = tree(&profile, &TreeOptions::default());
        assert_eq!(figures(&tree), [row("run", 0, 30, 0), row("run/work", 1, 30, 30)]);
        assert_eq!(tree.recorded_nanos(), 30);
    }

    #[test]
    fn open_calls_count_as_time_of_their_path() {
        let open = ScopeStats { open_calls: 1, open_nanos: 80, ..ScopeStats::default() };
        let profile = Sketch::new().row("a", &["run"], open).scope("a", &["run", "work"], 1, 30).profile();
        assert_eq!(
            figures(&tree(&profile, &TreeOptions::default())),
            [row("run", 0, 80, 50), row("run/work", 1, 30, 30)]
        );
    }

    #[test]
    fn an_estimate_below_makes_the_self_time_above_an_estimate() {
        let profile = Sketch::new()
            .scope("a", &["run"], 1, 1000)
            .estimated_scope("a", &["run", "work"], 100, 400, 25.0)
            .profile();
        let tree = tree(&profile, &TreeOptions::default());
        let (run, work) = (tree.node(NodeId(0)), tree.node(NodeId(1)));
        assert_eq!((run.is_estimated, run.is_self_estimated, run.self_variance), (false, true, 25.0));
        assert_eq!((work.is_estimated, work.inclusive_variance), (true, 25.0));
    }

    #[test]
    fn the_recorders_cost_leaves_the_scope_and_its_caller() {
        let cost = Cost { per_scope_picos: Some(20_000), inside_scope_picos: Some(8_000), ..Cost::default() };
        let profile = Sketch::new()
            .run(Run { cost, ..Run::default() })
            .scope("a", &["run"], 1, 10_000)
            .scope("a", &["run", "work"], 100, 4_000)
            .profile();
        let correction = Correction::of(&profile);
        let corrected = tree(&profile, &TreeOptions { correction, ..TreeOptions::default() });
        // work: 4000 - 100 * 8; run: 6000 - 8 - 100 * 12.
        assert_eq!(figures(&corrected), [row("run", 1, 7_992, 4_792), row("run/work", 100, 3_200, 3_200)]);
        let uncorrected = tree(&profile, &TreeOptions::default());
        let removed: u64 = corrected.nodes().map(|(_, node)| node.corrected_nanos).sum();
        assert_eq!(uncorrected.recorded_nanos() - corrected.recorded_nanos(), removed);
    }

    #[test]
    fn a_cost_larger_than_what_was_measured_leaves_zero() {
        let profile = Sketch::new().scope("a", &["run"], 10, 50).profile();
        let correction = Some(Correction { per_scope_picos: 20_000, inside_scope_picos: 8_000 });
        let tree = tree(&profile, &TreeOptions { correction, ..TreeOptions::default() });
        assert_eq!(figures(&tree), [row("run", 10, 0, 0)]);
    }

    #[test]
    fn samples_weigh_on_every_caller_and_are_self_time_where_they_were_taken() {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        for (path, count) in [(&["main", "gemm"][..], 7), (&["main"][..], 3)] {
            let stack = profile.intern_named_path(path, calor_model::FrameKind::Native).unwrap();
            let key = calor_model::SampleKey {
                kind: SampleKind::Cpu,
                stack,
                thread,
                labels: calor_model::LabelTable::none(),
                at_nanos: None,
            };
            profile.samples.add(key, SampleWeight { count, nanos: count * 1_000 });
        }
        let tree = CallTree::of_samples(&profile, SampleKind::Cpu, &TreeOptions::default());
        assert_eq!(figures(&tree), [row("main", 0, 10_000, 3_000), row("main/gemm", 0, 7_000, 7_000)]);
        assert_eq!(tree.node(NodeId(1)).samples, 7);
        let off_cpu = CallTree::of_samples(&profile, SampleKind::OffCpu, &TreeOptions::default());
        assert!(off_cpu.is_empty());
    }
}
