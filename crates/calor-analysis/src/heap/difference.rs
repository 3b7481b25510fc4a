//! Two moments of a heap, or the heaps of two runs, side by side: which call paths hold more and which less.

use std::cmp::Reverse;

use calor_model::{FrameKind, HeapBlocks, HeapSnapshot, Profile, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::{HeapOrder, HeapPlaces, heap_paths};
use crate::ThreadChoice;

/// One side of a difference.
#[derive(Clone, Copy)]
pub enum HeapSide<'p> {
    /// A figure of a whole run.
    Run(&'p Profile, HeapOrder),
    /// What was held at an instant.
    Snapshot(&'p Profile, &'p HeapSnapshot),
}

impl<'p> HeapSide<'p> {
    /// The profile that it is of.
    #[must_use]
    pub fn profile(self) -> &'p Profile {
        match self {
            Self::Run(profile, _) | Self::Snapshot(profile, _) => profile,
        }
    }
}

/// What became of a call path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeapMove {
    /// It was not there before.
    New,
    /// It has more bytes, or as many in more blocks.
    Grown,
    /// It has fewer bytes, or as many in fewer blocks.
    Shrunk,
    /// It is not there any more.
    Gone,
}

/// A call path that differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeapChange {
    /// The path, of the later side's profile, or where it is gone, of the earlier one's.
    pub stack: StackId,
    /// What became of it.
    pub moved: HeapMove,
    /// What it had before.
    pub before: HeapBlocks,
    /// What it has after.
    pub after: HeapBlocks,
}

/// A heap compared with another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeapDifference {
    /// All that there was before.
    pub before: HeapBlocks,
    /// All that there is after.
    pub after: HeapBlocks,
    /// The paths that differ, the one with the largest difference in bytes first.
    pub changes: Vec<HeapChange>,
}

impl HeapChange {
    /// Bytes more than before; less than 0 for fewer.
    #[must_use]
    pub fn delta_bytes(&self) -> i128 {
        i128::from(self.after.bytes) - i128::from(self.before.bytes)
    }
}

/// Compares two heaps by call paths. Paths are the same if their functions have the same names, kinds and modules: lines
/// move from build to build.
#[must_use]
pub fn heap_difference(before: HeapSide<'_>, after: HeapSide<'_>) -> HeapDifference {
    let places = HeapPlaces::whole_paths();
    difference((before, &places), (after, &places))
}

/// The same by the [owners](HeapPlaces::owners) of call paths.
#[must_use]
pub fn heap_difference_by_owner(before: HeapSide<'_>, after: HeapSide<'_>) -> HeapDifference {
    let places = [before, after].map(|side| HeapPlaces::owners(side.profile()));
    difference((before, &places[0]), (after, &places[1]))
}

fn difference(before: (HeapSide<'_>, &HeapPlaces), after: (HeapSide<'_>, &HeapPlaces)) -> HeapDifference {
    let mut tree = Tree::default();
    tree.take(before.0, before.1, |node| &mut node.before);
    tree.take(after.0, after.1, |node| &mut node.after);
    let mut found =
        HeapDifference { before: HeapBlocks::default(), after: HeapBlocks::default(), changes: Vec::new() };
    for node in tree.nodes.into_values() {
        let [was, is] =
            [node.before, node.after].map(|side| side.map(|(_, blocks)| blocks).unwrap_or_default());
        found.before.add(was);
        found.after.add(is);
        let moved = match (was.is_empty(), is.is_empty()) {
            (true, false) => HeapMove::New,
            (false, true) => HeapMove::Gone,
            _ if (is.bytes, is.count) > (was.bytes, was.count) => HeapMove::Grown,
            _ if (is.bytes, is.count) < (was.bytes, was.count) => HeapMove::Shrunk,
            _ => continue,
        };
        let shown = if moved == HeapMove::Gone { node.before } else { node.after };
        if let Some((stack, _)) = shown {
            found.changes.push(HeapChange { stack, moved, before: was, after: is });
        }
    }
    found.changes.sort_by_key(|change| Reverse(change.delta_bytes().unsigned_abs()));
    found
}

/// A function below its caller, by place.
type NodeKey = (Option<usize>, String, FrameKind, Option<String>);
type Held = Option<(StackId, HeapBlocks)>;

/// What each side has on a path, and a row of its profile that the path is.
#[derive(Default)]
struct Node {
    before: Held,
    after: Held,
}

#[derive(Default)]
struct Tree {
    nodes: IndexMap<NodeKey, Node, RandomState>,
}

impl Tree {
    fn take(&mut self, side: HeapSide<'_>, places: &HeapPlaces, of: fn(&mut Node) -> &mut Held) {
        let (profile, rows): (&Profile, Vec<(StackId, HeapBlocks)>) = match side {
            HeapSide::Snapshot(profile, snapshot) => {
                let rows = snapshot.iter().map(|(stack, blocks)| (places.of(stack), blocks));
                (profile, rows.collect())
            }
            HeapSide::Run(profile, order) => {
                let paths = heap_paths(profile, &ThreadChoice::All, order, places);
                (profile, paths.iter().map(|path| (path.stack, order.blocks(&path.site))).collect())
            }
        };
        let mut nodes: Vec<Option<usize>> = vec![None; profile.stacks.len()];
        for (stack, blocks) in rows {
            let place = self.place(profile, stack, &mut nodes);
            let held = of(&mut self.nodes[place]).get_or_insert((stack, HeapBlocks::default()));
            held.1.add(blocks);
        }
    }

    /// The node of a path, which is made with its callers where it is new.
    fn place(&mut self, profile: &Profile, stack: StackId, places: &mut [Option<usize>]) -> usize {
        // Paths can be deeper than the machine's own stack: no recursion.
        let mut missing = Vec::new();
        let mut at = Some(stack);
        let mut caller = None;
        while let Some(path) = at {
            caller = places[path.index()];
            if caller.is_some() {
                break;
            }
            missing.push(path);
            at = profile.stacks.get(path).parent;
        }
        while let Some(path) = missing.pop() {
            let frame = profile.frames.get(profile.stacks.get(path).frame);
            let text = |id| profile.strings.get(id).to_owned();
            let key = (caller, text(frame.name), frame.kind, frame.module.map(text));
            let entry = self.nodes.entry(key);
            caller = Some(entry.index());
            entry.or_default();
            places[path.index()] = caller;
        }
        caller.expect("a path is either known or among the missing")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;

    #[test]
    fn paths_are_new_grown_shrunk_and_gone_whatever_their_handles() {
        let before = Sketch::new()
            .heap(&["main", "cache"], 100, 40)
            .heap(&["main", "load"], 80, 0)
            .heap(&["main", "old"], 30, 0)
            .heap(&["main", "same"], 9, 0)
            .profile();
        let after = Sketch::new()
            .heap(&["main", "same"], 9, 0)
            .heap(&["main", "new"], 500, 0)
            .heap(&["main", "load"], 70, 0)
            .heap(&["main", "cache"], 300, 40)
            .profile();
        let live = HeapOrder::Live;
        let found = heap_difference(HeapSide::Run(&before, live), HeapSide::Run(&after, live));
        let rows: Vec<_> = found
            .changes
            .iter()
            .map(|change| {
                let profile = if change.moved == HeapMove::Gone { &before } else { &after };
                (profile.stack_name(change.stack), change.moved, change.delta_bytes())
            })
            .collect();
        let expected = [
            ("new", HeapMove::New, 500),
            ("cache", HeapMove::Grown, 200),
            ("old", HeapMove::Gone, -30),
            ("load", HeapMove::Shrunk, -10),
        ];
        assert_eq!(rows, expected);
        assert_eq!((found.before.bytes, found.after.bytes), (179, 839));
    }

    #[test]
    fn a_snapshot_is_compared_with_another_of_the_same_run() {
        let mut profile =
            Sketch::new().heap(&["main", "load"], 80, 0).heap(&["main", "keep"], 5, 0).profile();
        let stacks: Vec<_> = profile.heap.iter().map(|(key, _)| key.stack).collect();
        for (at_nanos, load) in [(10, 50), (20, 80)] {
            let mut snapshot = HeapSnapshot::new(at_nanos);
            snapshot.add(stacks[0], HeapBlocks { count: load / 10, bytes: load });
            snapshot.add(stacks[1], HeapBlocks { count: 1, bytes: 5 });
            profile.heap.snapshots.add(snapshot);
        }
        let [first, last] = [0, 1].map(|at| {
            HeapSide::Snapshot(&profile, profile.heap.snapshots.iter().nth(at).expect("there are two"))
        });
        let found = heap_difference(first, last);
        assert_eq!(found.changes.len(), 1);
        let change = found.changes[0];
        assert_eq!((change.stack, change.delta_bytes(), change.after.count), (stacks[0], 30, 8));
        assert_eq!(heap_difference_by_owner(last, first).changes[0].moved, HeapMove::Shrunk);
    }
}
