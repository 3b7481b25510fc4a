//! Where each call path of a profile goes when the profile is rewritten: the one thing in which filtering,
//! pruning and folding differ.

use std::borrow::Cow;

use crate::{Profile, Stack, StackId, StackTable};

/// A destination for each call path.
pub(crate) struct Destinations<'a> {
    /// The paths that are gone to, over the frames of the source.
    pub(crate) paths: Cow<'a, StackTable>,
    /// Where each path of the source goes; `None` drops what was recorded there.
    pub(crate) of: Vec<Option<StackId>>,
    /// How paths meet their callers; `None` when none does.
    folding: Option<Folding>,
}

/// Paths that go where one of their callers goes.
struct Folding {
    /// For each path of the source, the nearest of its callers that goes to the same place.
    enclosing: Vec<Option<StackId>>,
    adds_calls: bool,
}

impl<'a> Destinations<'a> {
    /// Every path stays where it is.
    pub(crate) fn unchanged(from: &'a Profile) -> Self {
        let of = from.stacks.iter().map(|(id, _)| Some(id)).collect();
        Self { of, paths: Cow::Borrowed(&from.stacks), folding: None }
    }

    /// Whether every path stays where it is.
    pub(crate) fn is_unchanged(&self) -> bool {
        matches!(self.paths, Cow::Borrowed(_))
    }

    /// The callers of a path that go to the same place, innermost first. Whatever is counted with its children
    /// (time of scopes, spans) is part of theirs already.
    pub(crate) fn enclosing(&self, stack: StackId) -> impl Iterator<Item = StackId> {
        let outer =
            |stack: StackId| self.folding.as_ref().and_then(|folding| folding.enclosing[stack.index()]);
        std::iter::successors(outer(stack), move |&stack| outer(stack))
    }

    /// Whether what was recorded on a path is part of what was recorded on one of its callers.
    pub(crate) fn is_inner(&self, stack: StackId) -> bool {
        self.enclosing(stack).next().is_some()
    }

    /// Whether a call on an inner path counts as a call where it goes.
    pub(crate) fn adds_calls(&self) -> bool {
        self.folding.as_ref().is_none_or(|folding| folding.adds_calls)
    }

    /// Paths go where `step` says, which is given the new paths so far, the path, and where its caller went. No
    /// path may go where one of its callers goes; see [`Destinations::folded`] for that.
    pub(crate) fn moved(
        from: &'a Profile,
        mut step: impl FnMut(&mut StackTable, StackId, Stack, Option<StackId>) -> Option<StackId>,
    ) -> Self {
        let mut paths = StackTable::default();
        let mut of: Vec<Option<StackId>> = Vec::with_capacity(from.stacks.len());
        for (id, stack) in from.stacks.iter() {
            let caller = stack.parent.and_then(|parent| of[parent.index()]);
            of.push(step(&mut paths, id, stack, caller));
        }
        Self { paths: Cow::Owned(paths), of, folding: None }
    }

    /// The same, where paths may go where their callers go.
    pub(crate) fn folded(
        from: &'a Profile,
        adds_calls: bool,
        step: impl FnMut(&mut StackTable, StackId, Stack, Option<StackId>) -> Option<StackId>,
    ) -> Self {
        let mut moved = Self::moved(from, step);
        let enclosing = enclosing(&from.stacks, &moved.of, moved.paths.len());
        moved.folding = Some(Folding { enclosing, adds_calls });
        moved
    }
}

/// Walks the tree depth first and keeps, for each destination, the innermost path on the way that goes there.
pub(crate) fn enclosing(
    stacks: &StackTable,
    of: &[Option<StackId>],
    n_destinations: usize,
) -> Vec<Option<StackId>> {
    let mut first_child = vec![None; stacks.len()];
    let mut next_sibling = vec![None; stacks.len()];
    let mut first_root = None;
    for (id, stack) in stacks.iter() {
        let head = match stack.parent {
            Some(parent) => &mut first_child[parent.index()],
            None => &mut first_root,
        };
        next_sibling[id.index()] = head.replace(id);
    }

    let mut enclosing = vec![None; stacks.len()];
    let mut innermost: Vec<Option<StackId>> = vec![None; n_destinations];
    let mut next = first_root;
    let mut way = Vec::new();
    loop {
        if let Some(id) = next {
            if let Some(destination) = of[id.index()] {
                enclosing[id.index()] = innermost[destination.index()].replace(id);
            }
            way.push(id);
            next = first_child[id.index()];
        } else if let Some(id) = way.pop() {
            if let Some(destination) = of[id.index()] {
                innermost[destination.index()] = enclosing[id.index()];
            }
            next = next_sibling[id.index()];
        } else {
            return enclosing;
        }
    }
}
