//! Numbers that look random and are the same in every run.

/// The generator SplitMix64.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    /// A call path of functions below `n_functions`. Which callees a function has follows from the path so far. One
    /// function in `one_in` is seen with more callees than one, and three of its calls in four go to the usual one,
    /// so that paths share their beginnings as those of a program do.
    pub(super) fn path(&mut self, depth: u64, n_functions: u64, one_in: u64) -> Vec<u64> {
        let mut place = 0_u64;
        let mut path = Vec::with_capacity(depth as usize);
        for level in 0..depth {
            let callee = if level % one_in == 0 && self.below(4) == 0 { 1 + self.below(3) } else { 0 };
            place = place.wrapping_mul(31).wrapping_add(level * 7 + callee + 1);
            path.push((place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % n_functions);
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_gets_the_same_paths() {
        let paths = || {
            let mut numbers = Numbers(7);
            (0..10).map(|_| numbers.path(20, 1_000, 2)).collect::<Vec<_>>()
        };
        assert_eq!(paths(), paths());
        assert!(paths().windows(2).any(|pair| pair[0] != pair[1]));
    }
}
