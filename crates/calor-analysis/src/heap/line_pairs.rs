//! Which line of a function is which, in two heaps that are compared. Lines move from build to build, and one function may
//! allocate on several of them.

use std::collections::BTreeMap;

use calor_model::{HeapBlocks, StackId};

use super::flow::Flow;

/// What a place has on one side, and a row of that side's profile that it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Held {
    pub(super) stack: StackId,
    pub(super) blocks: HeapBlocks,
    pub(super) variance: f64,
    /// What led to it, where two moments of one process are compared.
    pub(super) flow: Flow,
}

impl Held {
    fn with(self, other: Self) -> Self {
        let mut sum = self;
        sum.blocks.add(other.blocks);
        sum.variance += other.variance;
        sum.flow = sum.flow.with(other.flow);
        sum
    }
}

/// What the lines of a function have on one side.
#[derive(Default)]
pub(super) struct Lines {
    of: BTreeMap<Option<u32>, Held>,
}

impl Lines {
    pub(super) fn add(&mut self, line: Option<u32>, held: Held) {
        self.of.entry(line).and_modify(|sum| *sum = sum.with(held)).or_insert(held);
    }

    fn sum(self) -> Option<Held> {
        self.of.into_values().reduce(Held::with)
    }

    fn has_all_of(&self, other: &Self) -> bool {
        other.of.keys().all(|line| self.of.contains_key(line))
    }
}

/// A function below its callers: what its lines have on either side.
#[derive(Default)]
pub(super) struct Node {
    pub(super) before: Lines,
    pub(super) after: Lines,
}

/// A line of before, and what it is after.
pub(super) struct Pair {
    pub(super) before: Option<Held>,
    pub(super) after: Option<Held>,
    /// Whether lines are added up on a side.
    pub(super) is_of_several_lines: bool,
}

impl Node {
    /// The lines of both sides that are the same: those with the same number, if both are of one run or one side has no
    /// others; in their order, if there are as many; otherwise all of them together.
    pub(super) fn pairs(self, is_one_run: bool) -> Vec<Pair> {
        let Self { mut before, after } = self;
        let is_same_code = is_one_run || before.has_all_of(&after) || after.has_all_of(&before);
        let pair = |before, after| Pair { before, after, is_of_several_lines: false };
        if is_same_code {
            let mut pairs: Vec<Pair> = Vec::new();
            for (line, held) in after.of {
                pairs.push(pair(before.of.remove(&line), Some(held)));
            }
            pairs.extend(before.of.into_values().map(|held| pair(Some(held), None)));
            return pairs;
        }
        if before.of.len() == after.of.len() {
            let lines = before.of.into_values().zip(after.of.into_values());
            return lines.map(|(before, after)| pair(Some(before), Some(after))).collect();
        }
        vec![Pair { before: before.sum(), after: after.sum(), is_of_several_lines: true }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of bytes, of lines with that many bytes as their number says.
    fn pairs(before: &[u32], after: &[u32], is_one_run: bool) -> Vec<(u64, u64, bool)> {
        let lines = |numbers: &[u32]| {
            let mut lines = Lines::default();
            for &number in numbers {
                let blocks = HeapBlocks { count: 1, bytes: number.into() };
                let held =
                    Held { stack: StackId::from_index(0), blocks, variance: 0.0, flow: Flow::default() };
                lines.add(Some(number), held);
            }
            lines
        };
        let node = Node { before: lines(before), after: lines(after) };
        let bytes = |held: Option<Held>| held.map_or(0, |held| held.blocks.bytes);
        let found = node.pairs(is_one_run).into_iter();
        found.map(|pair| (bytes(pair.before), bytes(pair.after), pair.is_of_several_lines)).collect()
    }

    #[test]
    fn lines_are_the_same_by_number_by_order_or_not_told_apart() {
        // One side has no line that the other has not.
        assert_eq!(pairs(&[10, 20], &[10, 20], false), [(10, 10, false), (20, 20, false)]);
        assert_eq!(pairs(&[10, 20], &[20], false), [(20, 20, false), (10, 0, false)]);
        assert_eq!(pairs(&[], &[20], false), [(0, 20, false)]);
        // Two lines were put in above.
        assert_eq!(pairs(&[10, 12], &[12, 14], false), [(10, 12, false), (12, 14, false)]);
        // Who can tell.
        assert_eq!(pairs(&[10, 12], &[12, 14, 20], false), [(22, 46, true)]);
        // Within one run nothing moves.
        assert_eq!(pairs(&[10, 12], &[12, 14], true), [(12, 12, false), (0, 14, false), (10, 0, false)]);
    }
}
