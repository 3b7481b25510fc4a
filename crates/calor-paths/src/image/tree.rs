//! Call paths as the tree that they were written down as: paths begin like others, so that a hundred thousand of them have
//! not much more frames than one has.

use std::collections::BTreeMap;

use super::{ImageError, Words};
use crate::layout::{NODES_PER_BLOCK, Node};

/// Frames of call paths, each below the path that leads to it. Nodes are numbered from 1, callers before callees; 0 is the
/// path of no frames.
#[derive(Clone, Debug, Default)]
pub struct PathTree {
    nodes: Vec<(u64, u32)>,
}

impl PathTree {
    /// Reads the nodes out of their blocks, which are given by their numbers.
    pub(super) fn read(words: &Words<'_>, blocks: &BTreeMap<u32, usize>) -> Result<Self, ImageError> {
        let mut tree = Self { nodes: Vec::with_capacity(blocks.len() * NODES_PER_BLOCK as usize) };
        // Without one that is missing, those behind it have no callers.
        for (_, block) in (0..).zip(blocks).take_while(|(expected, (index, _))| expected == *index) {
            for position in 0..NODES_PER_BLOCK as usize {
                let at = block.1 + position * size_of::<Node>();
                let word = words.at(at + std::mem::offset_of!(Node, word))?;
                let parent = words.half(at + std::mem::offset_of!(Node, parent))?;
                tree.push(word, parent);
            }
        }
        Ok(tree)
    }

    /// One more node, below another. One that is not below an earlier one was never written, or written over.
    fn push(&mut self, word: u64, parent: u32) {
        self.nodes.push((word, if parent <= self.last() { parent } else { 0 }));
    }

    /// The number of the last node.
    #[must_use]
    pub fn last(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    /// What a node is: an address, or a Python frame (see [`PythonFrame::unpacked`](crate::PythonFrame::unpacked)). 0 for
    /// those that there are not.
    #[must_use]
    pub fn word(&self, node: u32) -> u64 {
        self.node(node).0
    }

    /// The node that leads to a node; 0 for the outermost.
    #[must_use]
    pub fn parent(&self, node: u32) -> u32 {
        self.node(node).1
    }

    fn node(&self, node: u32) -> (u64, u32) {
        let index = (node as usize).wrapping_sub(1);
        self.nodes.get(index).copied().unwrap_or_default()
    }

    /// The words of the path to a node, innermost first.
    pub fn outwards(&self, node: u32) -> impl Iterator<Item = u64> {
        let number = |node: u32| Some(node).filter(|node| (1..=self.last()).contains(node));
        let path = std::iter::successors(number(node), move |node| number(self.parent(*node)));
        path.map(|node| self.word(node))
    }

    /// The same, outermost first.
    #[must_use]
    pub fn words(&self, node: u32) -> Vec<u64> {
        let mut words: Vec<u64> = self.outwards(node).collect();
        words.reverse();
        words
    }
}

/// Words, each below the node of this number.
impl FromIterator<(u64, u32)> for PathTree {
    fn from_iter<T: IntoIterator<Item = (u64, u32)>>(nodes: T) -> Self {
        let mut tree = Self::default();
        nodes.into_iter().for_each(|(word, parent)| tree.push(word, parent));
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_end_where_nodes_do_and_no_damage_makes_them_endless() {
        // One block: 1, 2 below 1, 3 that claims to be below a later one, 4 below itself.
        let rows = [(10, 0), (20, 1), (30, 9), (40, 4)];
        let word = |offset: u64| {
            let (row, field) = ((offset / 16) as usize, offset % 16);
            let (word, parent) = rows.get(row).copied().unwrap_or((0, 0));
            Some(if field == 0 { word } else { parent })
        };
        let tree = PathTree::read(&Words::new(&word), &BTreeMap::from([(0, 0)])).expect("it is whole");
        assert_eq!(tree.last(), NODES_PER_BLOCK);
        assert_eq!((tree.words(2), tree.words(3), tree.words(4)), (vec![10, 20], vec![30], vec![40]));
        assert_eq!((tree.words(0), tree.words(u32::MAX)), (vec![], vec![]));
    }
}
