//! The nodes of a tree of samples. Profiles have millions of sampled paths, most of which only lead to others, so
//! what is known of a node is kept in columns of a few bytes each and put together when it is asked for.

use calor_model::{Profile, SampleKind, SampleWeight, StackId};

use crate::{CallNode, NodeId};

/// The paths that were sampled, and their callers.
#[derive(Clone, Debug)]
pub(super) struct SampledPaths {
    /// Which paths of the profile they are; `None` when they are all, as mostly: then numbers are the same.
    chosen: Option<Vec<Chosen>>,
    depths: Vec<u32>,
    inclusive_nanos: Vec<u64>,
    /// Where the samples of a node are in `own`, and 1; 0 for one that only leads to others.
    own_of: Vec<u32>,
    own: Vec<SampleWeight>,
}

/// One of several paths.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    stack: StackId,
    parent: Option<NodeId>,
}

impl SampledPaths {
    /// The paths with samples of a kind on the threads of a mask.
    pub(super) fn new(profile: &Profile, kind: SampleKind, threads: &[bool]) -> Self {
        let is_wanted = |thread: usize| threads.get(thread).copied().unwrap_or(false);
        let mut own_of = vec![0_u32; profile.stacks.len()];
        let mut own: Vec<SampleWeight> = Vec::new();
        for (key, weight) in profile.samples.iter() {
            if key.kind != kind || !is_wanted(key.thread.index()) {
                continue;
            }
            let place = &mut own_of[key.stack.index()];
            if *place == 0 {
                own.push(SampleWeight::default());
                // As many as stacks at most, and stacks are numbered by u32.
                *place = own.len() as u32;
            }
            own[*place as usize - 1].add(weight);
        }
        let (chosen, own_of) = if own.is_empty() { (None, Vec::new()) } else { chosen(profile, own_of) };
        let mut paths = Self { chosen, depths: Vec::new(), inclusive_nanos: Vec::new(), own_of, own };
        paths.add_up(profile);
        paths
    }

    pub(super) fn len(&self) -> usize {
        self.own_of.len()
    }

    #[inline]
    pub(super) fn node(&self, profile: &Profile, id: NodeId) -> CallNode {
        let stack = match &self.chosen {
            Some(chosen) => chosen[id.index()].stack,
            None => StackId::from_index(id.index()),
        };
        let own = self.own(id.index());
        CallNode {
            samples: own.count,
            self_nanos: own.nanos,
            inclusive_nanos: self.inclusive_nanos[id.index()],
            ..CallNode::new(
                stack,
                profile.stacks.get(stack).frame,
                self.parent(profile, id.index()),
                self.depths[id.index()],
            )
        }
    }

    #[inline]
    pub(super) fn inclusive_nanos(&self, id: NodeId) -> u64 {
        self.inclusive_nanos[id.index()]
    }

    #[inline]
    pub(super) fn parent(&self, profile: &Profile, index: usize) -> Option<NodeId> {
        match &self.chosen {
            Some(chosen) => chosen[index].parent,
            None => profile.stacks.get(StackId::from_index(index)).parent.map(|id| NodeId(id.index() as u32)),
        }
    }

    #[inline]
    fn own(&self, index: usize) -> SampleWeight {
        match self.own_of[index] {
            0 => SampleWeight::default(),
            place => self.own[place as usize - 1],
        }
    }

    /// Adds to every node what its children have.
    fn add_up(&mut self, profile: &Profile) {
        self.depths.reserve_exact(self.len());
        for index in 0..self.len() {
            let depth = self.parent(profile, index).map_or(0, |parent| self.depths[parent.index()] + 1);
            self.depths.push(depth);
        }
        self.inclusive_nanos = vec![0; self.len()];
        // Callers stand before their callees, so each node meets its finished children.
        for index in (0..self.len()).rev() {
            let whole = self.inclusive_nanos[index].saturating_add(self.own(index).nanos);
            self.inclusive_nanos[index] = whole;
            if let Some(parent) = self.parent(profile, index) {
                let caller = &mut self.inclusive_nanos[parent.index()];
                *caller = caller.saturating_add(whole);
            }
        }
    }
}

/// The paths that have samples or lead to some, with where the samples of each are; `None` when that is all.
fn chosen(profile: &Profile, own_of: Vec<u32>) -> (Option<Vec<Chosen>>, Vec<u32>) {
    let mut is_used: Vec<bool> = own_of.iter().map(|place| *place != 0).collect();
    for index in (0..is_used.len()).rev() {
        if is_used[index]
            && let Some(parent) = profile.stacks.get(StackId::from_index(index)).parent
        {
            is_used[parent.index()] = true;
        }
    }
    if is_used.iter().all(|is_used| *is_used) {
        return (None, own_of);
    }
    let mut node_of = vec![NodeId(u32::MAX); own_of.len()];
    let (mut chosen, mut own_of_chosen): (Vec<Chosen>, Vec<u32>) = (Vec::new(), Vec::new());
    for (stack, row) in profile.stacks.iter().filter(|(stack, _)| is_used[stack.index()]) {
        node_of[stack.index()] = NodeId(chosen.len() as u32);
        chosen.push(Chosen { stack, parent: row.parent.map(|parent| node_of[parent.index()]) });
        own_of_chosen.push(own_of[stack.index()]);
    }
    (Some(chosen), own_of_chosen)
}
