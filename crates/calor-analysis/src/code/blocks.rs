//! The blocks of a function: runs of instructions that are entered at the first and left at the last alone, and where
//! each can go from there.

use std::collections::BTreeSet;
use std::ops::Range;

use iced_x86::{FlowControl, Instruction, OpKind, Register};

use super::Decoded;

/// Blocks and the ways between them. One block more than there is code stands behind all others: it is what jumps whose
/// goal is computed go through.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// The instructions of each block.
    pub(crate) ranges: Vec<Range<usize>>,
    /// Where each block can go.
    pub(crate) next: Vec<Vec<usize>>,
}

impl Blocks {
    pub(crate) fn new(decoded: &Decoded) -> Self {
        let code = &decoded.instructions;
        let goal = |instruction: &Instruction| match instruction.op0_kind() {
            OpKind::NearBranch64 | OpKind::NearBranch32 | OpKind::NearBranch16 => {
                let target = instruction.near_branch_target();
                decoded.at(target).filter(|index| code[*index].ip() == target)
            }
            _ => None,
        };
        let mut first: BTreeSet<usize> = BTreeSet::from([0]);
        for (index, instruction) in code.iter().enumerate() {
            match instruction.flow_control() {
                FlowControl::Next
                | FlowControl::Call
                | FlowControl::IndirectCall
                | FlowControl::Interrupt => {}
                FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch => {
                    first.extend(goal(instruction));
                    first.insert(index + 1);
                }
                _ => {
                    first.insert(index + 1);
                }
            }
        }
        first.insert(code.len());
        let bounds: Vec<usize> = first.into_iter().filter(|index| *index <= code.len()).collect();
        let ranges: Vec<Range<usize>> = bounds.windows(2).map(|pair| pair[0]..pair[1]).collect();
        let hub = ranges.len();
        let block_of = |index: usize| ranges.partition_point(|range| range.end <= index);
        let mut next = vec![Vec::new(); hub + 1];
        for (block, range) in ranges.iter().enumerate() {
            let last = &code[range.end - 1];
            let behind = (range.end < code.len()).then_some(block + 1);
            next[block] = match last.flow_control() {
                FlowControl::UnconditionalBranch => goal(last).map(block_of).into_iter().collect(),
                FlowControl::ConditionalBranch => {
                    goal(last).map(block_of).into_iter().chain(behind).collect()
                }
                FlowControl::IndirectBranch if is_switch(last) => vec![hub],
                FlowControl::IndirectBranch | FlowControl::Return | FlowControl::Exception => Vec::new(),
                _ => behind.into_iter().collect(),
            };
        }
        let mut blocks = Self { ranges, next };
        blocks.next[hub] = blocks.unreached();
        blocks
    }

    /// The block that holds an instruction.
    pub(crate) fn of(&self, index: usize) -> usize {
        self.ranges.partition_point(|range| range.end <= index)
    }

    /// Blocks that nothing leads to: the goals of computed jumps are among them.
    fn unreached(&self) -> Vec<usize> {
        let mut is_reached = vec![false; self.next.len()];
        self.next.iter().flatten().for_each(|block| is_reached[*block] = true);
        (1..self.ranges.len()).filter(|block| !is_reached[*block]).collect()
    }
}

/// Whether a computed jump stays in the function: those through a pointer at a fixed place, or in an object, are calls
/// whose return was saved.
fn is_switch(instruction: &Instruction) -> bool {
    let is_register = instruction.op0_kind() == OpKind::Register;
    is_register || instruction.memory_index() != Register::None
}
