//! Many small blocks that all live at the end: what a profiler has to remember of each shows in the memory.

use std::hint::black_box;

use harness::Figures;

use super::Part;

/// Six words, as a node of a tree or a list.
type Block = Box<[u64; 6]>;

/// Makes so many blocks.
pub(super) fn run(n_blocks: usize) -> Result<Figures, String> {
    // The table of the blocks is no block, and there before.
    let mut blocks: Vec<Option<Block>> = Vec::new();
    blocks.resize_with(n_blocks, || None);
    blocks.iter_mut().for_each(|place| drop(black_box(place).take()));
    let part = Part::begin()?;
    for (number, place) in blocks.iter_mut().enumerate() {
        *place = Some(Box::new([number as u64; 6]));
    }
    let check = blocks.iter().flatten().fold(0u64, |sum, block| sum.wrapping_mul(31).wrapping_add(block[5]));
    let figures = part.end(check.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    black_box(blocks);
    figures
}
