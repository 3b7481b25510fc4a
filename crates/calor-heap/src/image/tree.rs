//! Call paths out of the tree that they were written down as.

use std::collections::BTreeMap;

use super::{ImageError, Words};
use crate::layout::{NODES_PER_BLOCK, Node};
use crate::python::MAX_PYTHON_FRAMES;
use crate::walk::path::MAX_FRAMES;

/// Where the nodes lie.
#[derive(Default)]
pub(super) struct Tree {
    /// Blocks of nodes by their number.
    pub(super) blocks: BTreeMap<u32, usize>,
}

impl Tree {
    /// The words of a path, outermost first.
    pub(super) fn path(&self, words: &Words<'_>, mut node: u32) -> Result<Vec<u64>, ImageError> {
        let mut path = Vec::new();
        while let Some(index) = node.checked_sub(1)
            && path.len() <= MAX_FRAMES.max(MAX_PYTHON_FRAMES)
        {
            let Some(block) = self.blocks.get(&(index / NODES_PER_BLOCK)) else { break };
            let at = block + (index % NODES_PER_BLOCK) as usize * size_of::<Node>();
            path.push(words.at(at + std::mem::offset_of!(Node, word))?);
            node = words.half(at + std::mem::offset_of!(Node, parent))?;
        }
        path.reverse();
        Ok(path)
    }
}
