//! Call paths as a tree that grows as paths are placed in it. Two frames are the same place when name, kind and
//! module are; lines are added up, so that the trees of two builds of a program can be laid side by side.

use std::collections::HashMap;

use calor_model::{CopyKind, FrameId, FrameKind, Profile, StackId, ThreadId};
use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};

use crate::FlameLeaf;

/// One place of a flame graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlameFrame<'p> {
    /// What it is called.
    pub name: &'p str,
    /// What kind of place it is.
    pub kind: FlameKind,
    /// The binary, library or module it belongs to.
    pub module: Option<&'p str>,
    /// The source file, where its first frame was.
    pub file: Option<&'p str>,
    /// The line in that file.
    pub line: Option<u32>,
}

/// What kind of place a [`FlameFrame`] is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FlameKind {
    /// The root of the whole tree.
    All,
    /// A thread.
    Thread,
    /// A place in the code.
    Code(FrameKind),
}

impl FlameKind {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Thread => "thread",
            Self::Code(FrameKind::Scope) => "scope",
            Self::Code(FrameKind::Context) => "context",
            Self::Code(FrameKind::Native) => "native",
            Self::Code(FrameKind::Kernel) => "kernel",
            Self::Code(FrameKind::Python) => "python",
            Self::Code(FrameKind::Gpu) => "gpu",
            Self::Code(_) => "synthetic",
        }
    }
}

/// The node that all others hang below. A caller's number is smaller than its callees'.
pub(crate) const ROOT: u32 = 0;

type Identity<'p> = (&'p str, FlameKind, Option<&'p str>);

/// A tree of call paths of one profile.
pub(crate) struct FlamePaths<'p> {
    profile: &'p Profile,
    frames: IndexMap<Identity<'p>, FlameFrame<'p>, RandomState>,
    /// The place of each frame of the profile, once it was asked for.
    frame_numbers: Vec<Option<u32>>,
    /// Caller and frame of each node.
    nodes: IndexSet<(u32, u32), RandomState>,
    /// The nodes of whole paths, so that a path is walked once however many weights are on it: those below the
    /// root by the path's number, 0 where not known; the others by what they were asked for.
    below_root: Vec<u32>,
    known: HashMap<(u32, Option<FlameLeaf>, StackId), u32, RandomState>,
}

impl<'p> FlamePaths<'p> {
    pub(crate) fn new(profile: &'p Profile) -> Self {
        let mut paths = Self {
            profile,
            frames: IndexMap::default(),
            frame_numbers: vec![None; profile.frames.len()],
            nodes: IndexSet::with_capacity_and_hasher(profile.stacks.len() + 1, RandomState::default()),
            below_root: vec![ROOT; profile.stacks.len()],
            known: HashMap::default(),
        };
        let all = paths.frame(made("all", FlameKind::All));
        paths.nodes.insert((u32::MAX, all));
        paths
    }

    /// The node of a thread. Threads of one name are one node, as the workers of a pool often are.
    pub(crate) fn thread(&mut self, thread: Option<ThreadId>) -> u32 {
        let profile = self.profile;
        let name = thread.map(|thread| profile.strings.get(profile.threads.get(thread).name));
        let name = match name {
            None => "(unknown thread)",
            Some("") => "(unnamed thread)",
            Some(name) => name,
        };
        let frame = self.frame(made(name, FlameKind::Thread));
        self.child(ROOT, frame)
    }

    /// The node of a path below `root`, outermost frame first.
    pub(crate) fn place(&mut self, root: u32, stack: Option<StackId>, leaf: Option<FlameLeaf>) -> u32 {
        let mut missing = Vec::new();
        let mut next = stack;
        let mut node = root;
        while let Some(path) = next {
            if let Some(known) = self.known_node(root, path) {
                node = known;
                break;
            }
            missing.push(path);
            next = self.profile.stacks.get(path).parent;
        }
        while let Some(path) = missing.pop() {
            let frame = self.code(self.profile.stacks.get(path).frame);
            node = self.child(node, frame);
            match root {
                ROOT => self.below_root[path.index()] = node,
                _ => drop(self.known.insert((root, None, path), node)),
            }
        }
        self.below(node, leaf)
    }

    fn known_node(&self, root: u32, path: StackId) -> Option<u32> {
        match root {
            ROOT => Some(self.below_root[path.index()]).filter(|node| *node != ROOT),
            _ => self.known.get(&(root, None, path)).copied(),
        }
    }

    /// The node of a path below `root`, innermost frame first.
    pub(crate) fn place_inverted(
        &mut self,
        root: u32,
        stack: Option<StackId>,
        leaf: Option<FlameLeaf>,
    ) -> u32 {
        let Some(stack) = stack else { return self.below(root, leaf) };
        if let Some(known) = self.known.get(&(root, leaf, stack)) {
            return *known;
        }
        let profile = self.profile;
        let mut node = self.below(root, leaf);
        for frame in profile.stacks.frames(stack) {
            let frame = self.code(frame);
            node = self.child(node, frame);
        }
        self.known.insert((root, leaf, stack), node);
        node
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Caller and frame of a node; the root's caller is no node.
    pub(crate) fn node(&self, node: u32) -> (u32, u32) {
        self.nodes[node as usize]
    }

    pub(crate) fn into_frames(self) -> Vec<FlameFrame<'p>> {
        self.frames.into_values().collect()
    }

    /// For each frame its place in the order of names, which is the order of siblings.
    pub(crate) fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.frames.len() as u32).collect();
        order.sort_unstable_by_key(|frame| *self.frames.get_index(*frame as usize).expect("one of all").0);
        let mut ranks = vec![0; order.len()];
        for (rank, frame) in order.into_iter().enumerate() {
            ranks[frame as usize] = rank as u32;
        }
        ranks
    }

    fn below(&mut self, node: u32, leaf: Option<FlameLeaf>) -> u32 {
        let name = match leaf {
            None => return node,
            Some(FlameLeaf::Kernel(name)) => self.profile.strings.get(name),
            Some(FlameLeaf::Copy(kind)) => copy_name(kind),
        };
        let frame = self.frame(made(name, FlameKind::Code(FrameKind::Gpu)));
        self.child(node, frame)
    }

    fn child(&mut self, parent: u32, frame: u32) -> u32 {
        let node = self.nodes.insert_full((parent, frame)).0;
        u32::try_from(node).expect("paths are fewer than four thousand million")
    }

    fn code(&mut self, id: FrameId) -> u32 {
        if let Some(number) = self.frame_numbers[id.index()] {
            return number;
        }
        let frame = self.profile.frames.get(id);
        let text = |id| self.profile.strings.get(id);
        let number = self.frame(FlameFrame {
            name: text(frame.name),
            kind: FlameKind::Code(frame.kind),
            module: frame.module.map(text),
            file: frame.file.map(text),
            line: frame.line,
        });
        self.frame_numbers[id.index()] = Some(number);
        number
    }

    fn frame(&mut self, frame: FlameFrame<'p>) -> u32 {
        let entry = self.frames.entry((frame.name, frame.kind, frame.module));
        let number = entry.index() as u32;
        entry.or_insert(frame);
        number
    }
}

fn made(name: &str, kind: FlameKind) -> FlameFrame<'_> {
    FlameFrame { name, kind, module: None, file: None, line: None }
}

fn copy_name(kind: CopyKind) -> &'static str {
    match kind {
        CopyKind::HostToDevice => "(copy to the device)",
        CopyKind::DeviceToHost => "(copy to the host)",
        CopyKind::DeviceToDevice => "(copy between devices)",
        CopyKind::Set => "(set memory)",
        _ => "(copy)",
    }
}
