//! The parts of a function that samples are judged by: each innermost loop, and what is in no loop. What a part does is
//! told by its instructions, not by those that samples were found at: an instruction that waits for another is found more
//! often than the one it waits for. But an instruction counts only as far as it runs. Those that every round comes by
//! count whole; others as far as samples were found near them.

use super::{Blocks, LoopId, Loops};

/// Larger loops have their blocks judged by samples alone: to look for those that every round comes by takes a walk for
/// each of them.
const MOST_BLOCKS: usize = 1_000;

/// A part of a function.
#[derive(Debug)]
pub(crate) struct Region {
    /// The loop; `None` for what is in none.
    pub(crate) loop_id: Option<LoopId>,
    /// Its samples.
    pub(crate) n_samples: u64,
    /// Its instructions, each with how much it counts, from 0 to 1.
    pub(crate) instructions: Vec<(usize, f64)>,
}

/// The parts in which there are samples, given by instruction, the hottest first.
pub(crate) fn regions(counts: &[u64], blocks: &Blocks, loops: &Loops) -> Vec<Region> {
    let n_code = blocks.ranges.len();
    let of_block: Vec<u64> = blocks.ranges.iter().map(|range| counts[range.clone()].iter().sum()).collect();
    let mut ids: Vec<Option<LoopId>> =
        (0..n_code).filter(|block| of_block[*block] > 0).map(|block| loops.innermost[block]).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut found: Vec<Region> = ids
        .into_iter()
        .map(|loop_id| {
            let own: Vec<usize> = (0..n_code).filter(|block| loops.innermost[*block] == loop_id).collect();
            let n_samples: u64 = own.iter().map(|block| of_block[*block]).sum();
            let n_instructions: usize = own.iter().map(|block| blocks.ranges[*block].len()).sum();
            let usual = n_samples as f64 / n_instructions.max(1) as f64;
            let mut instructions = Vec::with_capacity(n_instructions);
            for &block in &own {
                let range = blocks.ranges[block].clone();
                let density = of_block[block] as f64 / range.len() as f64 / usual;
                let weight =
                    if is_on_every_way(block, loop_id, &own, blocks, loops) { 1.0 } else { density.min(1.0) };
                if weight > 0.0 {
                    instructions.extend(range.map(|index| (index, weight)));
                }
            }
            Region { loop_id, n_samples, instructions }
        })
        .collect();
    found.sort_by_key(|region| (std::cmp::Reverse(region.n_samples), region.loop_id));
    found
}

/// Whether no round of a loop, or no call of a function, gets by without a block.
fn is_on_every_way(
    block: usize,
    loop_id: Option<LoopId>,
    own: &[usize],
    blocks: &Blocks,
    loops: &Loops,
) -> bool {
    let (start, size) = match loop_id {
        Some(id) => (loops.all[id].header, loops.all[id].blocks.len()),
        None => (0, own.len()),
    };
    if block == start {
        return true;
    }
    if size > MOST_BLOCKS {
        return false;
    }
    let is_inside = |block: usize| match loop_id {
        Some(id) => loops.all[id].blocks.binary_search(&block).is_ok(),
        None => true,
    };
    // A walk from the start that avoids the block: does it come round, or out?
    let mut is_seen = vec![false; blocks.next.len()];
    let mut open = vec![start];
    is_seen[start] = true;
    while let Some(at) = open.pop() {
        let is_end = blocks.next[at].is_empty();
        if loop_id.is_none() && is_end {
            return false;
        }
        for &to in &blocks.next[at] {
            if to == start && loop_id.is_some() {
                return false;
            }
            if to != block && !is_seen[to] && is_inside(to) {
                is_seen[to] = true;
                open.push(to);
            }
        }
    }
    true
}
