//! The nodes of a tree of samples. Profiles have millions of sampled paths, most of which only lead to others, so
//! what is known of a node is kept in columns of a few bytes each and put together when it is asked for.

use calor_model::{FrameId, Profile, SampleKind, SampleWeight, StackId};

use super::merged::Merged;
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
    n_samples: u64,
}

/// One of several paths.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    /// The path; of several that differ in lines alone, the one with the most samples of its own.
    stack: StackId,
    parent: Option<NodeId>,
}

impl SampledPaths {
    /// The paths with samples of kinds on the threads of a mask; those in `merged` are one where it says so.
    pub(super) fn new(
        profile: &Profile,
        is_kind: impl Fn(SampleKind) -> bool,
        threads: &[bool],
        merged: Option<&Merged>,
    ) -> Self {
        let is_wanted = |thread: usize| threads.get(thread).copied().unwrap_or(false);
        let mut own_of = vec![0_u32; merged.map_or(profile.stacks.len(), Merged::len)];
        let mut own: Vec<SampleWeight> = Vec::new();
        // The path with the most samples among those that are one, and how many they are.
        let mut heaviest: Vec<(StackId, u64)> = Vec::new();
        for (key, weight) in profile.samples.iter() {
            if !is_kind(key.kind) || !is_wanted(key.thread.index()) {
                continue;
            }
            let place = &mut own_of[merged.map_or(key.stack, |merged| merged.of(key.stack)).index()];
            if *place == 0 {
                own.push(SampleWeight::default());
                if merged.is_some() {
                    heaviest.push((key.stack, weight.nanos));
                }
                // As many as stacks at most, and stacks are numbered by u32.
                *place = own.len() as u32;
            }
            let place = *place as usize - 1;
            own[place].add(weight);
            if let Some(heaviest) = heaviest.get_mut(place)
                && weight.nanos > heaviest.1
            {
                *heaviest = (key.stack, weight.nanos);
            }
        }
        let (chosen, own_of) = match merged {
            _ if own.is_empty() => (None, Vec::new()),
            None => chosen(profile, own_of),
            Some(merged) => chosen_of_merged(merged, own_of, &heaviest),
        };
        let n_samples = own.iter().fold(0_u64, |sum, own| sum.saturating_add(own.count));
        let mut paths =
            Self { chosen, depths: Vec::new(), inclusive_nanos: Vec::new(), own_of, own, n_samples };
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
    pub(super) fn place(&self, profile: &Profile, id: NodeId) -> (Option<NodeId>, FrameId) {
        match &self.chosen {
            Some(chosen) => {
                let chosen = chosen[id.index()];
                (chosen.parent, profile.stacks.get(chosen.stack).frame)
            }
            None => {
                let stack = profile.stacks.get(StackId::from_index(id.index()));
                (stack.parent.map(|id| NodeId(id.index() as u32)), stack.frame)
            }
        }
    }

    /// Samples of all nodes.
    pub(super) fn n_samples(&self) -> u64 {
        self.n_samples
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
    let parent = |index| profile.stacks.get(StackId::from_index(index)).parent;
    let is_used = with_callers(&own_of, parent);
    if is_used.iter().all(|is_used| *is_used) {
        return (None, own_of);
    }
    let (chosen, own_of) = compacted(&own_of, &is_used, parent, StackId::from_index);
    (Some(chosen), own_of)
}

/// The same of paths that are one whatever their lines.
fn chosen_of_merged(
    merged: &Merged,
    own_of: Vec<u32>,
    heaviest: &[(StackId, u64)],
) -> (Option<Vec<Chosen>>, Vec<u32>) {
    let is_used = with_callers(&own_of, |index| merged.parent(index));
    let stack = |index: usize| match own_of[index] {
        0 => merged.first(index),
        place => heaviest[place as usize - 1].0,
    };
    let (chosen, own_of) = compacted(&own_of, &is_used, |index| merged.parent(index), stack);
    (Some(chosen), own_of)
}

fn with_callers(own_of: &[u32], parent: impl Fn(usize) -> Option<StackId>) -> Vec<bool> {
    let mut is_used: Vec<bool> = own_of.iter().map(|place| *place != 0).collect();
    for index in (0..is_used.len()).rev() {
        if is_used[index]
            && let Some(parent) = parent(index)
        {
            is_used[parent.index()] = true;
        }
    }
    is_used
}

fn compacted(
    own_of: &[u32],
    is_used: &[bool],
    parent: impl Fn(usize) -> Option<StackId>,
    stack: impl Fn(usize) -> StackId,
) -> (Vec<Chosen>, Vec<u32>) {
    let mut node_of = vec![NodeId(u32::MAX); own_of.len()];
    let (mut chosen, mut own_of_chosen): (Vec<Chosen>, Vec<u32>) = (Vec::new(), Vec::new());
    for index in (0..own_of.len()).filter(|index| is_used[*index]) {
        node_of[index] = NodeId(chosen.len() as u32);
        chosen.push(Chosen {
            stack: stack(index),
            parent: parent(index).map(|parent| node_of[parent.index()]),
        });
        own_of_chosen.push(own_of[index]);
    }
    (chosen, own_of_chosen)
}
