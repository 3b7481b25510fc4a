//! Which pairs of tokens are merged, in which order, and into what: asked for every pair of every word that is not in the
//! cache, so it is a table of open addresses with one multiplication and mostly one cache line a question.

/// The pairs that are merged.
#[derive(Debug)]
pub(super) struct Ranks {
    slots: Box<[Slot]>,
    shift: u32,
}

/// What a pair becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Merge {
    /// Its place in the order: lower is earlier.
    pub rank: u32,
    /// The token that both become.
    pub id: u32,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    pair: u64,
    merge: Merge,
}

/// No pair: ids of vocabularies end before it.
const EMPTY: Slot = Slot { pair: u64::MAX, merge: Merge { rank: u32::MAX, id: u32::MAX } };

impl Ranks {
    /// The table of the pairs; of two that are equal the later counts.
    pub(super) fn new(merges: &[((u32, u32), u32)]) -> Self {
        // At most half full, so that a search is short.
        let n_slots = (2 * merges.len()).next_power_of_two().max(16);
        let mut ranks =
            Self { slots: vec![EMPTY; n_slots].into(), shift: u64::BITS - n_slots.trailing_zeros() };
        for (rank, &((left, right), id)) in merges.iter().enumerate() {
            let pair = pair(left, right);
            let place = ranks.place(pair);
            ranks.slots[place] = Slot { pair, merge: Merge { rank: rank as u32, id } };
        }
        ranks
    }

    /// What a pair becomes, if it is merged at all.
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> Option<Merge> {
        let pair = pair(left, right);
        let slot = &self.slots[self.place(pair)];
        (slot.pair == pair).then_some(slot.merge)
    }

    /// Where a pair is, or would be.
    #[inline]
    fn place(&self, pair: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize;
        loop {
            let found = self.slots[place].pair;
            if found == pair || found == EMPTY.pair {
                return place;
            }
            place = (place + 1) & mask;
        }
    }
}

#[inline]
fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_found_by_their_order_and_no_others() {
        let merges: Vec<_> = (0..1_000).map(|n| ((n, n * 7 % 1_000), 1_000 + n)).collect();
        let ranks = Ranks::new(&merges);
        for (rank, &((left, right), id)) in merges.iter().enumerate() {
            assert_eq!(ranks.get(left, right), Some(Merge { rank: rank as u32, id }));
            assert_eq!(ranks.get(left, right + 1_000), None);
        }
    }

    #[test]
    fn of_equal_pairs_the_later_counts_as_it_does_for_the_reference() {
        let ranks = Ranks::new(&[((1, 2), 3), ((2, 3), 4), ((1, 2), 3)]);
        assert_eq!(ranks.get(1, 2), Some(Merge { rank: 2, id: 3 }));
        assert_eq!(Ranks::new(&[]).get(1, 2), None);
    }
}
