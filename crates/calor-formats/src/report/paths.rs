//! Call paths that are told by names alone, put together with what other entries of the report tell of each name
//! along the path.

use std::collections::HashMap;

use calor_model::{Frame, FrameKind, Profile, StackId};

/// A tree of names.
#[derive(Default)]
pub(super) struct Paths<'a> {
    nodes: Vec<Node<'a>>,
    places: HashMap<(Option<usize>, &'a str), usize>,
}

struct Node<'a> {
    parent: Option<usize>,
    name: &'a str,
    details: Option<Details<'a>>,
}

/// What an entry tells of the last name of its path.
#[derive(Clone, Copy)]
pub(super) struct Details<'a> {
    pub(super) kind: FrameKind,
    pub(super) module: Option<&'a str>,
    pub(super) file: Option<&'a str>,
    pub(super) line: Option<u32>,
}

impl<'a> Paths<'a> {
    /// The node of a path, which is made if it is new; `None` for an empty path.
    pub(super) fn insert(&mut self, path: &'a [String]) -> Option<usize> {
        let mut at = None;
        for name in path {
            at = Some(*self.places.entry((at, name)).or_insert_with(|| {
                self.nodes.push(Node { parent: at, name, details: None });
                self.nodes.len() - 1
            }));
        }
        at
    }

    /// The node of a path if it is known.
    pub(super) fn find(&self, path: &[String]) -> Option<usize> {
        let mut at = None;
        for name in path {
            at = Some(*self.places.get(&(at, name.as_str()))?);
        }
        at
    }

    pub(super) fn describe(&mut self, node: usize, details: Details<'a>) {
        self.nodes[node].details = Some(details);
    }

    pub(super) fn parent(&self, node: usize) -> Option<usize> {
        self.nodes[node].parent
    }

    /// The call path of each node. Names that nothing is told of are of the kind `otherwise`.
    pub(super) fn stacks(&self, profile: &mut Profile, otherwise: FrameKind) -> Vec<StackId> {
        let mut stacks: Vec<StackId> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let name = profile.strings.intern(node.name);
            let mut frame = Frame::new(name, node.details.map_or(otherwise, |details| details.kind));
            if let Some(details) = node.details {
                frame.module = details.module.map(|module| profile.strings.intern(module));
                frame.file = details.file.map(|file| profile.strings.intern(file));
                frame.line = details.line;
            }
            let frame = profile.frames.intern(frame);
            stacks.push(profile.stacks.intern(node.parent.map(|parent| stacks[parent]), frame));
        }
        stacks
    }
}
