//! Many small blocks that all live at the end: what a profiler has to remember of each shows in the memory.

use std::hint::black_box;

use harness::Figures;

use super::{Around, Part, done};

/// Six words, as a node of a tree or a list.
type Block = Box<[u64; 6]>;

/// Makes so many blocks.
pub(super) fn run(n_blocks: usize, around: Around) -> Result<Figures, String> {
    // The table of the blocks is no block, and there before.
    let mut blocks: Vec<Option<Block>> = Vec::new();
    blocks.resize_with(n_blocks, || None);
    blocks.iter_mut().for_each(|place| drop(black_box(place).take()));
    let part = Part::begin()?;
    let check = done(around, || fill(&mut blocks));
    let figures = part.end(check);
    black_box(blocks);
    figures
}

#[inline(never)]
fn fill(blocks: &mut [Option<Block>]) -> u64 {
    for (number, place) in blocks.iter_mut().enumerate() {
        *place = Some(Box::new([number as u64; 6]));
    }
    let sum = blocks.iter().flatten().fold(0u64, |sum, block| sum.wrapping_mul(31).wrapping_add(block[5]));
    sum.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
