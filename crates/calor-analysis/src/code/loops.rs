//! The loops of a function, from what its blocks can reach: a loop is a set of blocks each of which leads to each other
//! one. So it does not matter where a loop is entered, nor where the compiler put its parts. The loops inside a loop are
//! what is left of it when the ways back to its first block are taken out.

use super::Blocks;

/// Which loop of a function.
pub(crate) type LoopId = usize;

/// One loop.
#[derive(Debug)]
pub(crate) struct Loop {
    /// The loop around it.
    pub(crate) parent: Option<LoopId>,
    /// Where it is entered.
    pub(crate) header: usize,
    /// Its blocks, those of loops inside it included.
    pub(crate) blocks: Vec<usize>,
}

/// All loops.
#[derive(Debug, Default)]
pub(crate) struct Loops {
    /// Outer loops before inner ones.
    pub(crate) all: Vec<Loop>,
    /// By block: the innermost loop around it.
    pub(crate) innermost: Vec<Option<LoopId>>,
}

impl Loops {
    pub(crate) fn of(blocks: &Blocks) -> Self {
        let n_blocks = blocks.next.len();
        let mut found = Self { all: Vec::new(), innermost: vec![None; n_blocks] };
        // By block: the piece it is of. Each round takes one piece apart.
        let mut piece_of = vec![0; n_blocks];
        let mut is_header = vec![false; n_blocks];
        let mut n_pieces = 1;
        let mut open: Vec<(usize, Vec<usize>, Option<LoopId>)> = vec![(0, (0..n_blocks).collect(), None)];
        while let Some((number, piece, parent)) = open.pop() {
            let stays =
                |from: usize, to: usize| piece_of[from] == number && piece_of[to] == number && !is_header[to];
            for circle in circles(&piece, blocks, stays) {
                let header = entry(&circle, &piece, blocks);
                circle.iter().for_each(|block| piece_of[*block] = n_pieces);
                is_header[header] = true;
                let id = found.all.len();
                circle.iter().for_each(|block| found.innermost[*block] = Some(id));
                found.all.push(Loop { parent, header, blocks: circle.clone() });
                open.push((n_pieces, circle, Some(id)));
                n_pieces += 1;
            }
        }
        found
    }
}

/// The first block of a loop that is led to from elsewhere in the piece it is of, or the first of all.
fn entry(circle: &[usize], piece: &[usize], blocks: &Blocks) -> usize {
    let is_inside = |block: &usize| circle.binary_search(block).is_ok();
    let outside = piece.iter().filter(|block| !is_inside(block));
    let entered = outside.flat_map(|block| &blocks.next[*block]).filter(|to| is_inside(to)).min();
    // The function itself is entered at its first block.
    let first = circle[0];
    if first == 0 { 0 } else { entered.copied().unwrap_or(first) }
}

/// The sets of blocks of a piece in which each leads to each other one, or to itself (Tarjan's strongly connected
/// components, without recursion). Blocks of a set are in order.
fn circles(piece: &[usize], blocks: &Blocks, stays: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let n_blocks = blocks.next.len();
    let (mut order, mut lowest) = (vec![UNSEEN; n_blocks], vec![0; n_blocks]);
    let (mut is_held, mut held) = (vec![false; n_blocks], Vec::new());
    let (mut n_seen, mut found) = (0, Vec::new());
    for &root in piece {
        if order[root] != UNSEEN {
            continue;
        }
        // A block and how many of its ways have been looked at.
        let mut way: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some(&mut (block, ref mut n_tried)) = way.last_mut() {
            if *n_tried == 0 {
                (order[block], lowest[block]) = (n_seen, n_seen);
                n_seen += 1;
                held.push(block);
                is_held[block] = true;
            }
            if let Some(&to) = blocks.next[block].get(*n_tried) {
                *n_tried += 1;
                if !stays(block, to) {
                    // It leads out, or back to where an outer loop begins.
                } else if order[to] == UNSEEN {
                    way.push((to, 0));
                } else if is_held[to] {
                    lowest[block] = lowest[block].min(order[to]);
                }
                // A block without ways was entered and is left at once.
                continue;
            }
            way.pop();
            if let Some(&(caller, _)) = way.last() {
                lowest[caller] = lowest[caller].min(lowest[block]);
            }
            if lowest[block] == order[block] {
                let at = held.iter().rposition(|it| *it == block).expect("a block is held until its set is");
                let mut set = held.split_off(at);
                set.iter().for_each(|block| is_held[*block] = false);
                let is_circle =
                    set.len() > 1 || blocks.next[block].iter().any(|to| *to == block && stays(block, block));
                if is_circle {
                    set.sort_unstable();
                    found.push(set);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loops of a graph as `header: blocks (parent)`.
    fn loops(next: &[&[usize]]) -> Vec<(usize, Vec<usize>, Option<LoopId>)> {
        let next: Vec<Vec<usize>> = next.iter().map(|ways| ways.to_vec()).collect();
        let blocks = Blocks { ranges: Vec::new(), next };
        Loops::of(&blocks).all.into_iter().map(|it| (it.header, it.blocks, it.parent)).collect()
    }

    #[test]
    fn a_block_that_leads_to_itself_is_a_loop() {
        assert_eq!(loops(&[&[1], &[1, 2], &[]]), [(1, vec![1], None)]);
    }

    #[test]
    fn a_loop_inside_a_loop_is_found_inside_it() {
        // 1 begins the outer loop, 2 the inner one, 3 leads back to both.
        let found = loops(&[&[1], &[2], &[3], &[2, 4], &[1, 5], &[]]);
        assert_eq!(found, [(1, vec![1, 2, 3, 4], None), (2, vec![2, 3], Some(0))]);
    }

    #[test]
    fn a_loop_entered_in_its_middle_or_with_parts_far_away_is_one_loop() {
        assert_eq!(loops(&[&[2], &[2], &[1, 3], &[]]), [(2, vec![1, 2], None)]);
        // A part of the loop stands behind the end of the function.
        assert_eq!(loops(&[&[1], &[2, 4], &[1, 3], &[], &[2]]), [(1, vec![1, 2, 4], None)]);
    }

    #[test]
    fn a_loop_with_two_entries_is_one_loop() {
        assert_eq!(loops(&[&[1, 2], &[2], &[1, 3], &[]]), [(1, vec![1, 2], None)]);
    }

    #[test]
    fn code_without_a_way_back_has_no_loop() {
        assert_eq!(loops(&[&[1, 2], &[3], &[3], &[]]), []);
        assert_eq!(loops(&[]), []);
    }

    #[test]
    fn a_function_that_is_one_loop_begins_at_its_first_block() {
        assert_eq!(loops(&[&[1], &[0]]), [(0, vec![0, 1], None)]);
    }

    #[test]
    fn loops_side_by_side_and_three_deep_are_told_apart() {
        let next: &[&[usize]] = &[&[1], &[2], &[3], &[3, 4], &[2, 5], &[1, 6], &[6, 7], &[]];
        let found = loops(next);
        let mut found: Vec<_> = found.into_iter().map(|(header, blocks, _)| (header, blocks)).collect();
        found.sort();
        let expected = [(1, vec![1, 2, 3, 4, 5]), (2, vec![2, 3, 4]), (3, vec![3]), (6, vec![6])];
        assert_eq!(found, expected);
    }
}
