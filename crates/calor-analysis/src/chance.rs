//! Numbers that look random and follow from a seed: the order of runs has to be one that nobody chose, and the same
//! every time it is asked for.

/// A stream of such numbers (SplitMix64: Steele, Lea and Flood, 2014).
#[derive(Clone, Debug)]
pub(crate) struct Chance {
    state: u64,
}

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(crate) fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of the numbers below `end`, which is not 0. They are equally likely to one part in 2^64 / `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.number()) * end as u128) >> 64) as usize
    }

    /// Puts a list in any of its orders.
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_comes_about_equally_often_and_a_seed_repeats_it() {
        let mut chance = Chance::new(7);
        let mut times = std::collections::BTreeMap::new();
        for _ in 0..6_000 {
            let mut list = [0, 1, 2];
            chance.shuffle(&mut list);
            *times.entry(list).or_insert(0) += 1;
        }
        assert_eq!(times.len(), 6);
        // Five standard deviations of a binomial count are 144.
        assert!(times.values().all(|count| (856..1_144).contains(count)), "{times:?}");
        let first = |seed| Chance::new(seed).number();
        assert!(first(1) == first(1) && first(1) != first(2));
    }
}
