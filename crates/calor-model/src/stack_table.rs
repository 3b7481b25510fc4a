//! Call paths as parent pointers: a stack is a frame and the stack that called it. Paths with a common
//! beginning share its rows, and one pass over the rows in order meets every caller before its callees.

use std::fmt;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::{FrameId, StackId};

/// One row: the innermost frame and the path that led to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stack {
    /// The calling path; `None` at a root. Always an earlier row.
    pub parent: Option<StackId>,
    /// The innermost frame.
    pub frame: FrameId,
}

/// A row as it is kept. Half of what a profile of many paths takes are these.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Row {
    /// 0 at a root, else the place of the parent and 1: the place right behind the parent.
    behind_parent: u32,
    frame: FrameId,
}

impl Row {
    fn new(parent: Option<StackId>, frame: FrameId) -> Self {
        // No row has the number `u32::MAX`, so this does not overflow.
        Self { behind_parent: parent.map_or(0, |parent| parent.index() as u32 + 1), frame }
    }

    fn stack(self) -> Stack {
        let parent = self.behind_parent.checked_sub(1).map(|index| StackId::from_index(index as usize));
        Stack { parent, frame: self.frame }
    }
}

/// Interned call paths; a parent always stands before its children.
///
/// A path that is new is stored whole, so most rows stand right behind their parent. There they are looked for
/// first, and only those that stand elsewhere (where paths branch) are in the index: following a known path is a
/// walk along neighbouring rows, and the index stays a fraction of the table.
#[derive(Clone, Default)]
pub struct StackTable {
    rows: Vec<Row>,
    /// The rows that do not stand right behind their parent.
    branches: HashTable<u32>,
    hasher: RandomState,
}

impl StackTable {
    /// The handle of the path `parent` → `frame`, which is stored if it is new.
    ///
    /// # Panics
    /// If `parent` is not a row of this table: rows after their children would make a cycle possible.
    #[inline]
    pub fn intern(&mut self, parent: Option<StackId>, frame: FrameId) -> StackId {
        let row = Row::new(parent, frame);
        let neighbour = row.behind_parent as usize;
        if self.rows.get(neighbour) == Some(&row) {
            return StackId::from_index(neighbour);
        }
        self.intern_branch(row)
    }

    /// The handle of a row that does not stand right behind its parent, or not yet.
    fn intern_branch(&mut self, row: Row) -> StackId {
        assert!(self.rows.len() < u32::MAX as usize, "a table holds at most u32::MAX rows");
        let new = StackId::from_index(self.rows.len());
        let neighbour = row.behind_parent as usize;
        assert!(neighbour <= new.index(), "a parent stack is an earlier row of the same table");
        if neighbour < new.index() {
            let (rows, hasher) = (&self.rows, &self.hasher);
            let hash = |index: &u32| hash(hasher, rows[*index as usize]);
            let is_same = |index: &u32| rows[*index as usize] == row;
            match self.branches.entry(self::hash(hasher, row), is_same, hash) {
                Entry::Occupied(known) => return StackId::from_index(*known.get() as usize),
                Entry::Vacant(place) => place.insert(new.index() as u32),
            };
        }
        self.rows.push(row);
        new
    }

    /// The handle of the whole path of `frames`, outermost first; `None` for an empty path.
    pub fn intern_path(&mut self, frames: impl IntoIterator<Item = FrameId>) -> Option<StackId> {
        frames.into_iter().fold(None, |parent, frame| Some(self.intern(parent, frame)))
    }

    /// Makes room for so many more rows.
    pub fn reserve(&mut self, n_rows: usize) {
        self.rows.reserve(n_rows);
    }

    /// The row behind a handle of this table.
    ///
    /// # Panics
    /// On a handle of another, larger table.
    #[must_use]
    #[inline]
    pub fn get(&self, id: StackId) -> Stack {
        self.rows.get(id.index()).expect("the handle is of this table").stack()
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
        self.rows.iter().enumerate().map(|(index, row)| (StackId::from_index(index), row.stack()))
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// The rows alone: the order of the index differs from table to table.
impl fmt::Debug for StackTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.rows.iter().map(|row| row.stack())).finish()
    }
}

fn hash(hasher: &RandomState, row: Row) -> u64 {
    hasher.hash_one(u64::from(row.behind_parent) << 32 | row.frame.index() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(index: usize) -> FrameId {
        FrameId::from_index(index)
    }

    #[test]
    fn a_path_is_stored_once_whether_it_stands_behind_its_parent_or_elsewhere() {
        let mut table = StackTable::default();
        let paths = [[1, 2, 3, 4], [1, 2, 5, 4], [6, 2, 3, 4], [1, 1, 1, 1], [1, 2, 3, 4]];
        let first: Vec<_> = paths.iter().map(|path| table.intern_path(path.map(frame)).unwrap()).collect();
        assert_eq!((first[0], table.len()), (first[4], 4 + 2 + 4 + 3));
        let again: Vec<_> = paths.iter().map(|path| table.intern_path(path.map(frame)).unwrap()).collect();
        assert_eq!((again, table.len()), (first.clone(), 13));
        for (path, id) in paths.iter().zip(first) {
            assert_eq!(table.path(id), path.map(frame));
        }
    }

    #[test]
    fn a_child_that_comes_when_others_stand_behind_its_parent_is_found_again() {
        let mut table = StackTable::default();
        let mut rows = std::collections::HashMap::new();
        let mut number = 1_u64;
        for _ in 0..20_000 {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let parent = match (number >> 33) as usize % (table.len() + 1) {
                0 => None,
                place => Some(StackId::from_index(place - 1)),
            };
            let frame = frame((number >> 20) as usize % 3);
            let n_before = table.len();
            let id = table.intern(parent, frame);
            let known = *rows.entry((parent, frame)).or_insert(id);
            assert_eq!((known, table.get(id)), (id, Stack { parent, frame }));
            assert_eq!(table.len(), rows.len());
            assert_eq!(table.len() > n_before, id.index() == n_before);
        }
        assert!(table.branches.len() < table.len());
    }

    #[test]
    #[should_panic(expected = "an earlier row of the same table")]
    fn a_parent_that_is_no_row_is_refused() {
        StackTable::default().intern(Some(StackId::from_index(0)), frame(0));
    }
}
