//! Call paths as parent pointers: a stack is a frame and the stack that called it. Paths with a common
//! beginning share its rows, and one pass over the rows in order meets every caller before its callees.

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use crate::{FrameId, StackId};

/// One row: the innermost frame and the path that led to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stack {
    /// The calling path; `None` at a root. Always an earlier row.
    pub parent: Option<StackId>,
    /// The innermost frame.
    pub frame: FrameId,
}

/// Interned call paths; a parent always stands before its children.
#[derive(Clone, Debug, Default)]
pub struct StackTable {
    stacks: IndexSet<Stack, RandomState>,
}

impl StackTable {
    /// The handle of the path `parent` → `frame`, which is stored if it is new.
    ///
    /// # Panics
    /// If `parent` is not a row of this table: rows after their children would make a cycle possible.
    pub fn intern(&mut self, parent: Option<StackId>, frame: FrameId) -> StackId {
        if let Some(parent) = parent {
            assert!(parent.index() < self.stacks.len(), "a parent stack is an earlier row of the same table");
        }
        StackId::from_index(self.stacks.insert_full(Stack { parent, frame }).0)
    }

    /// The handle of the whole path of `frames`, outermost first; `None` for an empty path.
    pub fn intern_path(&mut self, frames: impl IntoIterator<Item = FrameId>) -> Option<StackId> {
        frames.into_iter().fold(None, |parent, frame| Some(self.intern(parent, frame)))
    }

    /// The row behind a handle of this table.
    ///
    /// # Panics
    /// On a handle of another, larger table.
    #[must_use]
    pub fn get(&self, id: StackId) -> Stack {
        *self.stacks.get_index(id.index()).expect("the handle is of this table")
    }

    /// The frames of a path from the innermost outwards.
    pub fn frames(&self, id: StackId) -> impl Iterator<Item = FrameId> {
        std::iter::successors(Some(self.get(id)), |stack| stack.parent.map(|parent| self.get(parent)))
            .map(|stack| stack.frame)
    }

    /// The frames of a path from the outermost inwards.
    #[must_use]
    pub fn path(&self, id: StackId) -> Vec<FrameId> {
        let mut frames: Vec<_> = self.frames(id).collect();
        frames.reverse();
        frames
    }

    /// All rows with their handles, callers before callees.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (StackId, Stack)> {
        self.stacks.iter().enumerate().map(|(index, stack)| (StackId::from_index(index), *stack))
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stacks.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stacks.is_empty()
    }
}
