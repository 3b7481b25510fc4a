//! What the nodes of a process's call paths stand for. There are many nodes and few words in them, so that each word is
//! looked up once; what a path is from its beginning to a node follows from the node before.

use calor_paths::{PathTree, PythonFrame};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::call_paths::spaces::Location;
use crate::python::Standing;

/// What a word of a path stands for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Met {
    /// The library itself, not to be seen; `maps` in its functions that map memory for the program.
    Own {
        maps: bool,
    },
    Native(Location, Standing),
    Python(PythonFrame),
}

/// How a path came to run Python code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Beginning {
    /// It does not yet, and all of it is what leads to Python.
    Plain,
    /// It does not yet, and something else is in it.
    Other,
    /// It does, and nothing else led to it.
    Straight,
    /// It does, through something else.
    Winding,
}

/// The path to a node.
#[derive(Clone, Copy, Debug)]
struct Path {
    /// Which of the words its last frame is.
    word: u32,
    /// How many native frames it has, the library's included.
    depth: u16,
    /// How many of them run Python code; of Python frames, in how many calls of the interpreter they are.
    n_runs: u16,
    beginning: Beginning,
    /// For a Python frame, the node that called the interpreter's call that it is in; for a native one, the nearest node
    /// that runs Python code, itself or further out.
    near: u32,
}

const ROOT: Path = Path { word: 0, depth: 0, n_runs: 0, beginning: Beginning::Plain, near: 0 };

/// All nodes, by their numbers.
#[derive(Debug)]
pub(super) struct Frames {
    met: Vec<Met>,
    paths: Vec<Path>,
}

impl Frames {
    /// `meet` tells what a word stands for.
    pub(super) fn of(tree: &PathTree, mut meet: impl FnMut(u64) -> Met) -> Self {
        let mut numbers: HashMap<u64, u32, RandomState> = HashMap::default();
        let mut met = Vec::new();
        let mut paths = Vec::with_capacity(tree.last() as usize + 1);
        paths.push(ROOT);
        for node in 1..=tree.last() {
            let word = *numbers.entry(tree.word(node)).or_insert_with_key(|word| {
                met.push(meet(*word));
                met.len() as u32 - 1
            });
            let parent = tree.parent(node);
            let above: Path = paths[parent as usize];
            paths.push(Path { word, ..above.followed(&met[word as usize], parent, node) });
        }
        Self { met, paths }
    }

    /// What a node stands for; `None` for no node.
    pub(super) fn met(&self, node: u32) -> Option<Met> {
        let path = self.paths.get(node as usize).filter(|_| node != 0)?;
        Some(self.met[path.word as usize])
    }

    fn path(&self, node: u32) -> Path {
        self.paths.get(node as usize).copied().unwrap_or(ROOT)
    }

    /// How many native frames lead to a node, itself included.
    pub(super) fn depth(&self, node: u32) -> usize {
        self.path(node).depth.into()
    }

    /// How many of them run Python code; for a Python frame, in how many calls of the interpreter its path is.
    pub(super) fn n_runs(&self, node: u32) -> u16 {
        self.path(node).n_runs
    }

    /// Whether a path runs Python code to which nothing led but the start of the program or thread.
    pub(super) fn is_straight(&self, node: u32) -> bool {
        self.path(node).beginning == Beginning::Straight
    }

    /// The Python frame that called the interpreter's call which a Python frame is in; 0 for none.
    pub(super) fn caller(&self, python: u32) -> u32 {
        self.path(python).near
    }

    /// The nearest native frame that runs Python code, itself or further out; 0 for none.
    pub(super) fn run(&self, native: u32) -> u32 {
        self.path(native).near
    }
}

impl Path {
    /// The path with one more frame, which is that of `node` below the node `parent`.
    fn followed(self, met: &Met, parent: u32, node: u32) -> Self {
        use Beginning::{Other, Plain, Straight, Winding};
        match met {
            Met::Own { .. } => Self { depth: self.depth.saturating_add(1), ..self },
            Met::Native(_, standing) => {
                let beginning = match self.beginning {
                    Plain if standing.runs() => Straight,
                    Other if standing.runs() => Winding,
                    Plain if !standing.begins() => Other,
                    beginning => beginning,
                };
                let n_runs = self.n_runs.saturating_add(u16::from(standing.runs()));
                let near = if standing.runs() { node } else { self.near };
                Self { depth: self.depth.saturating_add(1), n_runs, beginning, near, ..self }
            }
            Met::Python(frame) if frame.is_outermost => {
                Self { n_runs: self.n_runs.saturating_add(1), near: parent, ..self }
            }
            Met::Python(_) => self,
        }
    }
}
