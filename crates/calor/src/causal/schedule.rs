//! Which experiment comes next: rounds of all of them in random order, at least a quarter of which have nothing faster, so
//! that every speed-up is compared with what the program did beside it and not with what it did long before.

/// An experiment of a plan: 0 is the one in which nothing is faster, others are its speed-ups from 1.
pub(super) type Choice = usize;

/// The order of experiments.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    n_speedups: usize,
    random: u64,
    left: Vec<Choice>,
    round: u64,
}

impl Schedule {
    pub(super) fn new(n_speedups: usize, seed: u64) -> Self {
        // A xorshift generator must not begin at 0.
        Self { n_speedups, random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, left: Vec::new(), round: 0 }
    }

    /// The next one, and the number of its round from 1.
    pub(super) fn next(&mut self) -> (Choice, u64) {
        if self.left.is_empty() {
            self.round += 1;
            let n_idle = self.n_speedups.div_ceil(3).max(1);
            self.left = (1..=self.n_speedups).chain(std::iter::repeat_n(0, n_idle)).collect();
            for at in (1..self.left.len()).rev() {
                let other = self.below(at + 1);
                self.left.swap(at, other);
            }
        }
        (self.left.pop().unwrap_or(0), self.round)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (((self.random >> 32) * limit as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_has_each_speedup_once_and_nothing_faster_a_quarter_of_the_time() {
        for (n_speedups, n_idle) in [(1, 1), (3, 1), (4, 2), (9, 3)] {
            let mut schedule = Schedule::new(n_speedups, 7);
            for round in 1..=5 {
                let mut chosen: Vec<_> = (0..n_speedups + n_idle).map(|_| schedule.next()).collect();
                assert!(chosen.iter().all(|choice| choice.1 == round));
                chosen.sort_unstable();
                let idle = chosen.iter().filter(|choice| choice.0 == 0).count();
                assert_eq!(idle, n_idle);
                let rest: Vec<_> = chosen[idle..].iter().map(|choice| choice.0).collect();
                assert_eq!(rest, (1..=n_speedups).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn rounds_differ_in_their_order() {
        let mut schedule = Schedule::new(6, 3);
        let rounds: Vec<Vec<_>> = (0..4).map(|_| (0..8).map(|_| schedule.next().0).collect()).collect();
        assert!(rounds.iter().any(|round| *round != rounds[0]), "{rounds:?}");
    }
}
