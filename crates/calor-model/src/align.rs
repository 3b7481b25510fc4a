//! Two profiles side by side: one call tree that holds the paths of both, with the figures of each at every node.
//! It is what a comparison is computed from, so nothing may vanish: the figures of a side add up to its profile's.

use std::collections::BTreeMap;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::{FrameKind, HeapSite, Profile, SampleKind, SampleWeight, StackId, StringId, StringTable};

/// The call trees of two profiles as one.
#[derive(Clone, Debug, Default)]
pub struct Alignment {
    /// The names of functions and modules.
    pub strings: StringTable,
    /// The nodes, callers before callees.
    pub nodes: Vec<AlignedNode>,
}

/// One call path, told by the names, kinds and modules of its functions; threads, labels and lines are added up.
#[derive(Clone, Debug)]
pub struct AlignedNode {
    /// The calling node, by its place in [`Alignment::nodes`]; `None` at a root.
    pub parent: Option<usize>,
    /// What the innermost function is called.
    pub name: StringId,
    /// What kind of place it is.
    pub kind: FrameKind,
    /// The module it belongs to.
    pub module: Option<StringId>,
    /// What the first profile recorded there.
    pub before: Values,
    /// What the second profile recorded there.
    pub after: Values,
}

/// What one profile recorded on one call path. What was not recorded is absent, which is not the same as zero.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Values {
    /// Scopes.
    pub scope: Option<ScopeValues>,
    /// Samples by kind.
    pub samples: BTreeMap<SampleKind, SampleValues>,
    /// Allocations.
    pub heap: Option<HeapValues>,
}

/// Scopes of one node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ScopeValues {
    /// How often it was entered.
    pub calls: u64,
    /// Its time, children and calls still open included.
    pub total_nanos: u64,
    /// Its time without that of its children.
    pub self_nanos: u64,
}

/// Samples of one node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SampleValues {
    /// Found in the function itself.
    pub own: SampleWeight,
    /// Found there or in what it called.
    pub inclusive: SampleWeight,
}

/// Allocations of one node.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct HeapValues {
    /// By the function itself.
    pub own: HeapSite,
    /// By it and what it called.
    pub inclusive: HeapSite,
}

/// Puts two profiles side by side.
#[must_use]
pub fn align(before: &Profile, after: &Profile) -> Alignment {
    let mut tree = Tree::default();
    tree.take(before, |node| &mut node.before);
    tree.take(after, |node| &mut node.after);
    let mut nodes: Vec<AlignedNode> = tree.nodes.into_values().collect();
    include_children(&mut nodes, |node| &mut node.before);
    include_children(&mut nodes, |node| &mut node.after);
    Alignment { strings: tree.strings, nodes }
}

type NodeKey = (Option<usize>, StringId, FrameKind, Option<StringId>);
type Side = fn(&mut AlignedNode) -> &mut Values;

#[derive(Default)]
struct Tree {
    strings: StringTable,
    nodes: IndexMap<NodeKey, AlignedNode, RandomState>,
}

impl Tree {
    fn take(&mut self, profile: &Profile, side: Side) {
        let places = self.place(profile);
        for ((key, stats), self_nanos) in profile.scopes.iter().zip(profile.scope_self_nanos()) {
            if let Some(values) = self.values(places[key.stack.index()], side) {
                let scope = values.scope.get_or_insert_default();
                scope.calls = scope.calls.saturating_add(stats.calls);
                scope.total_nanos = scope.total_nanos.saturating_add(stats.inclusive_nanos());
                scope.self_nanos = scope.self_nanos.saturating_add(self_nanos);
            }
        }
        for (key, weight) in profile.samples.iter() {
            if let Some(values) = self.values(places[key.stack.index()], side) {
                values.samples.entry(key.kind).or_default().own.add(weight);
            }
        }
        for (key, site) in profile.heap.iter() {
            if let Some(values) = self.values(places[key.stack.index()], side) {
                values.heap.get_or_insert_default().own.add(site);
            }
        }
    }

    fn values(&mut self, place: Option<usize>, side: Side) -> Option<&mut Values> {
        self.nodes.get_index_mut(place?).map(|(_, node)| side(node))
    }

    /// The node of each path of a profile, made where it is new; `None` where nothing was recorded, not even
    /// further in.
    fn place(&mut self, profile: &Profile) -> Vec<Option<usize>> {
        let mut is_used = vec![false; profile.stacks.len()];
        let scopes = profile.scopes.iter().map(|(key, _)| key.stack);
        let samples = profile.samples.iter().map(|(key, _)| key.stack);
        let heap = profile.heap.iter().map(|(key, _)| key.stack);
        scopes.chain(samples).chain(heap).for_each(|stack| is_used[stack.index()] = true);
        for index in (0..is_used.len()).rev() {
            if let Some(parent) = profile.stacks.get(StackId::from_index(index)).parent {
                is_used[parent.index()] |= is_used[index];
            }
        }

        let mut places: Vec<Option<usize>> = Vec::with_capacity(is_used.len());
        for (id, stack) in profile.stacks.iter() {
            if !is_used[id.index()] {
                places.push(None);
                continue;
            }
            let parent = stack.parent.and_then(|parent| places[parent.index()]);
            let frame = profile.frames.get(stack.frame);
            let name = self.strings.intern(profile.strings.get(frame.name));
            let module = frame.module.map(|module| self.strings.intern(profile.strings.get(module)));
            let entry = self.nodes.entry((parent, name, frame.kind, module));
            places.push(Some(entry.index()));
            entry.or_insert_with(|| AlignedNode {
                parent,
                name,
                kind: frame.kind,
                module,
                before: Values::default(),
                after: Values::default(),
            });
        }
        places
    }
}

/// Adds what callees hold to their callers, innermost first.
fn include_children(nodes: &mut [AlignedNode], side: Side) {
    for index in (0..nodes.len()).rev() {
        let (callers, rest) = nodes.split_at_mut(index);
        let node = &mut rest[0];
        let parent = node.parent;
        let values = side(node);
        let mut caller = parent.map(|parent| side(&mut callers[parent]));
        for (kind, samples) in &mut values.samples {
            samples.inclusive.add(samples.own);
            if let Some(caller) = &mut caller {
                caller.samples.entry(*kind).or_default().inclusive.add(samples.inclusive);
            }
        }
        if let Some(heap) = &mut values.heap {
            heap.inclusive.add(&heap.own);
            if let Some(caller) = &mut caller {
                caller.heap.get_or_insert_default().inclusive.add(&heap.inclusive);
            }
        }
    }
}
