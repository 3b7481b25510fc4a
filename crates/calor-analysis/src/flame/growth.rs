//! A flame graph from the outermost frames inwards. A profile may have millions of paths of which a picture shows
//! some thousands, so weights are added up over the paths as they stand in the profile, in two passes without any
//! hash table, and only what is heavy enough becomes a node.

use std::collections::HashMap;
use std::ops::Range;

use calor_model::{Profile, StackId};
use foldhash::fast::RandomState;

use super::frames::FlameFrames;
use super::input::FlameWeight;
use super::layout::{FlameLayout, Placed};
use crate::counting_sort::by_place;

const NONE: u32 = u32::MAX;

/// The layout of some weights, which add up to what a `u64` holds. Nodes below `least` are left out; it is at least 1.
pub(crate) fn grow<'p>(
    frames: &mut FlameFrames<'p>,
    profile: &'p Profile,
    weights: &[FlameWeight],
    is_by_thread: bool,
    least: u64,
) -> FlameLayout {
    let mut forest = Forest::new(frames, profile, least);
    forest.add_node(NONE, 0, 0);
    if is_by_thread {
        let mut threads: HashMap<u32, Vec<FlameWeight>, RandomState> = HashMap::default();
        for weight in weights {
            threads.entry(forest.frames.thread(weight.thread)).or_default().push(*weight);
        }
        let mut seen = Seen { slots: vec![NONE; profile.stacks.len()], stacks: Vec::new() };
        let mut threads: Vec<_> = threads.into_iter().collect();
        threads.sort_unstable_by_key(|(thread, _)| *thread);
        for (thread, weights) in threads {
            seen.walk(profile, &weights);
            let node = forest.add_node(0, thread, 0);
            forest.add(node, &Rows::Seen(&seen), &weights);
            forest.total[0] += forest.total[node as usize];
            seen.forget();
        }
    } else {
        forest.add(0, &Rows::All(profile.stacks.len()), weights);
    }
    forest.lay_out()
}

/// Which paths of the profile a tree is made of; a path's caller has a smaller place than the path.
enum Rows<'s> {
    /// All of them: a place is a number of the stack table.
    All(usize),
    /// Those of one thread.
    Seen(&'s Seen),
}

impl Rows<'_> {
    fn len(&self) -> usize {
        match self {
            Self::All(n) => *n,
            Self::Seen(seen) => seen.stacks.len(),
        }
    }

    fn stack(&self, place: usize) -> StackId {
        match self {
            Self::All(_) => StackId::from_index(place),
            Self::Seen(seen) => seen.stacks[place],
        }
    }

    fn place(&self, stack: StackId) -> usize {
        match self {
            Self::All(_) => stack.index(),
            Self::Seen(seen) => seen.slots[stack.index()] as usize,
        }
    }
}

/// The paths that some weights stand on, with all their callers. Made for many threads in turn, each of which touches
/// no more than its own paths.
struct Seen {
    slots: Vec<u32>,
    stacks: Vec<StackId>,
}

impl Seen {
    fn walk(&mut self, profile: &Profile, weights: &[FlameWeight]) {
        for weight in weights {
            let mut next = weight.stack;
            while let Some(stack) = next.filter(|stack| self.slots[stack.index()] == NONE) {
                self.slots[stack.index()] = 0;
                self.stacks.push(stack);
                next = profile.stacks.get(stack).parent;
            }
        }
        // Callers have smaller numbers.
        self.stacks.sort_unstable();
        for (place, stack) in (0..).zip(&self.stacks) {
            self.slots[stack.index()] = place;
        }
    }

    fn forget(&mut self) {
        self.stacks.drain(..).for_each(|stack| self.slots[stack.index()] = NONE);
    }
}

/// Nodes before they are in order: paths that are heavy enough. Several may be the same place below the same caller,
/// where they differ in their lines only.
struct Forest<'f, 'p> {
    frames: &'f mut FlameFrames<'p>,
    profile: &'p Profile,
    least: u64,
    /// Whether two frames of the profile can be one place. Then light paths may be heavy together.
    is_merging: bool,
    parent: Vec<u32>,
    frame: Vec<u32>,
    own: Vec<u64>,
    total: Vec<u64>,
}

impl<'f, 'p> Forest<'f, 'p> {
    fn new(frames: &'f mut FlameFrames<'p>, profile: &'p Profile, least: u64) -> Self {
        let n_before = frames.len();
        profile.frames.iter().for_each(|(id, _)| _ = frames.code(id));
        let is_merging = frames.len() - n_before < profile.frames.len();
        Self {
            frames,
            profile,
            least,
            is_merging,
            parent: Vec::new(),
            frame: Vec::new(),
            own: Vec::new(),
            total: Vec::new(),
        }
    }

    fn add_node(&mut self, parent: u32, frame: u32, total: u64) -> u32 {
        self.parent.push(parent);
        self.frame.push(frame);
        self.own.push(total);
        self.total.push(total);
        self.parent.len() as u32 - 1
    }

    /// Adds the paths of `rows` below a node, with what weighs on them.
    fn add(&mut self, below: u32, rows: &Rows<'_>, weights: &[FlameWeight]) {
        let mut total = vec![0_u64; rows.len()];
        let mut leaves: HashMap<(Option<StackId>, u32), u64, RandomState> = HashMap::default();
        let mut sum = 0;
        for weight in weights {
            sum += weight.self_value;
            if let Some(stack) = weight.stack {
                total[rows.place(stack)] += weight.self_value;
            }
            if let Some(leaf) = weight.leaf {
                *leaves.entry((weight.stack, self.frames.leaf(leaf))).or_default() += weight.self_value;
            }
        }
        let stacks = &self.profile.stacks;
        let parent = |place: usize| stacks.get(rows.stack(place)).parent.map(|parent| rows.place(parent));
        for place in (0..rows.len()).rev() {
            if let Some(parent) = parent(place) {
                total[parent] += total[place];
            }
        }
        self.own[below as usize] += sum;
        self.total[below as usize] += sum;
        // A leaf can be the same place as a frame beside it.
        let is_exact = !self.is_merging && leaves.is_empty();
        let least = if is_exact { self.least } else { 1 };
        let mut nodes = vec![NONE; rows.len()];
        for place in 0..rows.len() {
            if total[place] == 0 {
                continue;
            }
            // The caller of a heavy path is at least as heavy, so it is here; that of a light one may be.
            let caller = parent(place).map_or(below, |parent| nodes[parent]);
            if caller != NONE {
                self.own[caller as usize] -= total[place];
                if total[place] >= least {
                    let frame = self.frames.code(stacks.get(rows.stack(place)).frame);
                    nodes[place] = self.add_node(caller, frame, total[place]);
                }
            }
        }
        // The order of a hash table is another in every run, that of numbers is not.
        let mut leaves: Vec<_> = leaves.into_iter().filter(|(_, total)| *total > 0).collect();
        leaves.sort_unstable();
        for ((stack, frame), total) in leaves {
            let caller = stack.map_or(below, |stack| nodes[rows.place(stack)]);
            self.own[caller as usize] -= total;
            self.add_node(caller, frame, total);
        }
    }

    /// Puts the nodes in order, those that are the same place below the same caller as one.
    fn lay_out(self) -> FlameLayout {
        let ranks = self.frames.ranks();
        let all: Vec<u32> = (1..self.parent.len() as u32).collect();
        let caller = |node: &u32| self.parent[*node as usize] as usize;
        let mut first = vec![0_u32; self.parent.len() + 1];
        all.iter().for_each(|node| first[caller(node) + 1] += 1);
        for node in 1..first.len() {
            first[node] += first[node - 1];
        }
        let callees = by_place(&all, self.parent.len(), caller);
        let callees_of =
            |node: u32| &callees[first[node as usize] as usize..first[node as usize + 1] as usize];

        let mut layout = FlameLayout::default();
        let mut members: Vec<u32> = vec![0];
        let mut waiting =
            vec![Waiting { below: None, members: 0..1, own: self.own[0], total: self.total[0] }];
        let mut inside: Vec<(u32, u32)> = Vec::new();
        let mut groups: Vec<Waiting> = Vec::new();
        while let Some(next) = waiting.pop() {
            let frame = self.frame[members[next.members.start] as usize];
            let placed = layout.push(next.below, frame, next.own, next.total);
            inside.clear();
            for member in &members[next.members] {
                inside.extend(
                    callees_of(*member)
                        .iter()
                        .map(|node| (ranks[self.frame[*node as usize] as usize], *node)),
                );
            }
            inside.sort_unstable();
            for same in inside.chunk_by(|a, b| a.0 == b.0) {
                let start = members.len();
                members.extend(same.iter().map(|(_, node)| *node));
                let sum = |column: &[u64]| same.iter().map(|(_, node)| column[*node as usize]).sum();
                let total = sum(&self.total);
                if total >= self.least {
                    let (members, own) = (start..members.len(), sum(&self.own));
                    groups.push(Waiting { below: Some(placed), members, own, total });
                }
            }
            waiting.extend(groups.drain(..).rev());
        }
        layout
    }
}

/// A node that is placed once those before it are.
struct Waiting {
    below: Option<Placed>,
    members: Range<usize>,
    own: u64,
    total: u64,
}
