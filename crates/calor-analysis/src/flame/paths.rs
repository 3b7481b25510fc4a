//! Call paths as a tree that grows as paths are placed in it, for columns that several metrics share.

use calor_model::{Profile, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexSet;

use super::frames::FlameFrames;
use super::input::FlameLeaf;

/// The node that all others hang below. A caller's number is smaller than its callees'.
pub(crate) const ROOT: u32 = 0;

/// A tree of call paths of one profile.
pub(crate) struct FlamePaths<'p> {
    profile: &'p Profile,
    /// The places that nodes stand for.
    pub(crate) frames: FlameFrames<'p>,
    /// Caller and frame of each node.
    nodes: IndexSet<(u32, u32), RandomState>,
    /// The node of each path of the profile, so that it is walked once however many weights are on it; the root
    /// where it is not known.
    of_stacks: Vec<u32>,
}

impl<'p> FlamePaths<'p> {
    pub(crate) fn new(profile: &'p Profile) -> Self {
        let mut nodes = IndexSet::with_capacity_and_hasher(profile.stacks.len() + 1, RandomState::default());
        nodes.insert((u32::MAX, 0));
        let of_stacks = vec![ROOT; profile.stacks.len()];
        Self { profile, frames: FlameFrames::new(profile), nodes, of_stacks }
    }

    /// The node of a path, outermost frame first.
    pub(crate) fn place(&mut self, stack: Option<StackId>, leaf: Option<FlameLeaf>) -> u32 {
        let mut missing = Vec::new();
        let mut next = stack;
        let mut node = ROOT;
        while let Some(path) = next {
            let known = self.of_stacks[path.index()];
            if known != ROOT {
                node = known;
                break;
            }
            missing.push(path);
            next = self.profile.stacks.get(path).parent;
        }
        while let Some(path) = missing.pop() {
            let frame = self.frames.code(self.profile.stacks.get(path).frame);
            node = self.child(node, frame);
            self.of_stacks[path.index()] = node;
        }
        match leaf {
            Some(leaf) => {
                let frame = self.frames.leaf(leaf);
                self.child(node, frame)
            }
            None => node,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Caller and frame of a node; the root's caller is no node.
    pub(crate) fn node(&self, node: u32) -> (u32, u32) {
        self.nodes[node as usize]
    }

    fn child(&mut self, parent: u32, frame: u32) -> u32 {
        let node = self.nodes.insert_full((parent, frame)).0;
        u32::try_from(node).expect("paths are fewer than four thousand million")
    }
}
