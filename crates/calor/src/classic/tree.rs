//! A call tree of a profiler's own: one of the recorder's blocks, which no thread owns. Whoever holds the tree
//! mutably is its owner, so the recorder's rules for one writer hold.
//!
//! Blocks are never freed. A tree that is dropped leaves its block, cleared, to the next one, so that a
//! program may make profilers all day.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use crate::Site;
use crate::recorder::block::{Block, MAX_NODES};
use crate::recorder::raw::RawThread;
use crate::recorder::{registry, state};

/// Cleared blocks that no tree uses.
static POOL: Mutex<Vec<&'static Block>> = Mutex::new(Vec::new());

/// A call path of a [`PrivateTree`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place(u32);

/// The tree.
pub(super) struct PrivateTree {
    block: &'static Block,
}

/// What is known of one call path, in ticks.
pub(super) struct Figures {
    pub(super) site: &'static Site,
    /// The number of the path around it; 0 for none. Paths come after those around them, from 1.
    pub(super) parent: usize,
    pub(super) count: u64,
    pub(super) sum: u64,
    pub(super) min: u64,
    pub(super) max: u64,
    pub(super) flops: u64,
    pub(super) bytes: u64,
}

impl PrivateTree {
    /// An empty tree.
    pub(super) fn take() -> Self {
        let unused = POOL.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Self { block: unused.unwrap_or_else(Block::leak) }
    }

    /// The call path of `site` inside `around`. Where the recorder's limit of depth is reached it is the next
    /// path around of the same site, or one at the root, so that calls are counted all the same. `None` when
    /// there is no room for another path, which is counted.
    pub(super) fn enter(&mut self, around: Option<Place>, site: &'static Site) -> Option<Place> {
        let parent = self.block.node(around.map_or(0, |place| place.0));
        if let Some(node) = self.block.find_child(parent, site) {
            return Some(Place(node.index));
        }
        let mut outer = Some(parent);
        while let Some(node) = outer {
            if std::ptr::eq(node.site(), site) {
                return Some(Place(node.index));
            }
            outer = node.parent();
        }
        if self.len() == MAX_NODES {
            return None;
        }
        self.block.find_child(self.block.node(0), site).map(|node| Place(node.index))
    }

    /// Adds a finished call and what it worked on.
    pub(super) fn record(&mut self, place: Place, start: u64, ticks: u64, flops: u64, bytes: u64) {
        self.block.push_long(place.0, start, ticks);
        let node = self.block.node(place.0);
        for (figure, by) in [(&node.flops, flops), (&node.bytes, bytes)] {
            figure.store(figure.load(Relaxed).saturating_add(by), Relaxed);
        }
    }

    /// The figures of all call paths, the first being the root, which has none.
    pub(super) fn figures(&mut self) -> Vec<Figures> {
        self.block.fold_now();
        let figures = |index| {
            let node = self.block.node(index);
            Figures {
                site: node.site(),
                parent: node.parent().map_or(0, |parent| parent.index as usize),
                count: node.tally.count.load(Relaxed),
                sum: node.tally.sum.load(Relaxed),
                min: node.tally.min.load(Relaxed),
                max: node.tally.max.load(Relaxed),
                flops: node.flops.load(Relaxed),
                bytes: node.bytes.load(Relaxed),
            }
        };
        (0..self.len() as u32).map(figures).collect()
    }

    /// Everything, in the form that the recorder turns into a profile.
    pub(super) fn read(&mut self) -> RawThread {
        // Resets of the recorder are not about this tree, and cannot happen while the lock is held.
        let _nobody_resets = registry::lock();
        self.block.resets.store(state::settings().resets, Relaxed);
        self.block.fold_now();
        self.block.read(None)
    }

    /// Forgets all call paths.
    pub(super) fn clear(&mut self) {
        self.block.folded.store(self.block.head.load(Relaxed), Relaxed);
        self.block.clear_tree();
    }

    fn len(&self) -> usize {
        self.block.n_nodes.load(Relaxed) as usize
    }
}

impl Place {
    /// Its number among [`PrivateTree::figures`] and the nodes of [`PrivateTree::read`].
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    /// The same, as the recorder counts.
    pub(super) fn node(self) -> u32 {
        self.0
    }
}

impl Drop for PrivateTree {
    fn drop(&mut self) {
        self.clear();
        POOL.lock().unwrap_or_else(PoisonError::into_inner).push(self.block);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ten_thousand_trees_share_a_few_blocks() {
        let site = Site::named("tree test");
        let mut blocks = HashSet::new();
        for _ in 0..10_000 {
            let mut tree = PrivateTree::take();
            assert_eq!(tree.figures().len(), 1, "a fresh tree has a root and nothing else");
            let place = tree.enter(None, site).expect("there is room");
            tree.record(place, 1, 2, 3, 4);
            blocks.insert(std::ptr::from_ref(tree.block).addr());
        }
        // Other tests of this process hold trees meanwhile, so now and then it is another block.
        assert!(blocks.len() < 100, "{} blocks", blocks.len());
    }

    #[test]
    fn calls_nested_too_deep_are_counted_where_there_is_a_place() {
        let (outer, inner) = (Site::named("tree outer"), Site::named("tree inner"));
        let mut tree = PrivateTree::take();
        let mut around = None;
        for _ in 0..1000 {
            around = tree.enter(around, outer);
            tree.record(around.expect("a place is found"), 1, 2, 0, 0);
        }
        let place = tree.enter(around, inner).expect("a place at the root");
        tree.record(place, 1, 2, 0, 0);
        let figures = tree.figures();
        let calls = |site: &Site| {
            figures.iter().filter(|node| std::ptr::eq(node.site, site)).map(|node| node.count).sum::<u64>()
        };
        assert_eq!((calls(outer), calls(inner)), (1000, 1));
        assert_eq!(figures[place.index()].parent, 0);
    }

    #[test]
    fn a_tree_without_room_says_so() {
        let sites: Vec<_> = (0..70).map(|i| Site::named(&format!("tree wide {i}"))).collect();
        let mut tree = PrivateTree::take();
        for outer in &sites {
            let around = tree.enter(None, outer);
            for inner in &sites {
                tree.enter(around, inner);
            }
        }
        assert_eq!(tree.len(), MAX_NODES);
        assert_eq!(tree.enter(None, Site::named("tree one more")), None);
        assert!(tree.read().over_limit > 0);
    }
}
