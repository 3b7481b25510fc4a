//! Sums by key over rolling time: the last rounds one by one, and everything since the start. What is kept is bounded:
//! of too many keys, those that matter least are forgotten.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::hash::Hash;

use indexmap::IndexSet;

/// So many keys are told apart.
const MOST_KEYS: usize = 20_000;

/// What is added up for a key.
pub(super) trait Amount: Copy + Default {
    fn add(&mut self, other: Self);
    /// How much it matters.
    fn weight(self) -> u64;
}

/// Nanoseconds alone.
impl Amount for u64 {
    fn add(&mut self, other: Self) {
        *self = self.saturating_add(other);
    }

    fn weight(self) -> u64 {
        self
    }
}

/// The sums.
#[derive(Clone, Debug)]
pub(super) struct Ledger<K, A> {
    keys: IndexSet<K>,
    /// By key, since the start.
    whole: Vec<A>,
    /// The last rounds, the newest last, each sorted by the place of the key.
    rounds: VecDeque<Vec<(u32, A)>>,
}

impl<K, A> Default for Ledger<K, A> {
    fn default() -> Self {
        Self { keys: IndexSet::default(), whole: Vec::new(), rounds: VecDeque::new() }
    }
}

impl<K: Hash + Eq, A: Amount> Ledger<K, A> {
    /// Takes in a round, each key at most once, and keeps the last `n_rounds`.
    pub(super) fn add_round(&mut self, amounts: Vec<(K, A)>, n_rounds: usize) {
        let mut round: Vec<(u32, A)> = Vec::with_capacity(amounts.len());
        for (key, amount) in amounts {
            let (place, is_new) = self.keys.insert_full(key);
            if is_new {
                self.whole.push(A::default());
            }
            self.whole[place].add(amount);
            round.push((place as u32, amount));
        }
        round.sort_unstable_by_key(|(place, _)| *place);
        self.rounds.push_back(round);
        while self.rounds.len() > n_rounds.max(1) {
            self.rounds.pop_front();
        }
        if self.keys.len() > MOST_KEYS {
            self.forget(MOST_KEYS / 2);
        }
    }

    /// The sums of the last `n_rounds`, or of all time; keys without any are left out.
    pub(super) fn sums(&self, n_rounds: Option<usize>) -> impl Iterator<Item = (&K, A)> {
        let sums = match n_rounds {
            None => self.whole.clone(),
            Some(n_rounds) => self.recent(self.rounds.len().saturating_sub(n_rounds), self.rounds.len()),
        };
        self.keys.iter().zip(sums).filter(|(_, amount)| amount.weight() > 0)
    }

    /// The sum of one key over the rounds that are `newest` to `oldest` rounds ago.
    pub(super) fn between(&self, key: &K, newest: usize, oldest: usize) -> A {
        let place = self.keys.get_index_of(key);
        let mut sum = A::default();
        for round in self.rounds.iter().rev().take(oldest).skip(newest) {
            sum.add(amount_in(round, place));
        }
        sum
    }

    /// What a key had in each of the last `n_rounds`, the newest last.
    pub(super) fn history(&self, key: &K, n_rounds: usize) -> impl Iterator<Item = A> {
        let place = self.keys.get_index_of(key);
        let first = self.rounds.len().saturating_sub(n_rounds);
        self.rounds.iter().skip(first).map(move |round| amount_in(round, place))
    }

    fn recent(&self, first: usize, last: usize) -> Vec<A> {
        let mut sums = vec![A::default(); self.keys.len()];
        for (place, amount) in self.rounds.range(first..last).flatten() {
            sums[*place as usize].add(*amount);
        }
        sums
    }

    /// Keeps the keys that matter most: lately, and then since the start.
    fn forget(&mut self, n_kept: usize) {
        let recent = self.recent(0, self.rounds.len());
        let mut order: Vec<usize> = (0..self.keys.len()).collect();
        order.sort_by_key(|place| Reverse((recent[*place].weight(), self.whole[*place].weight())));
        let mut is_kept = vec![false; self.keys.len()];
        order.iter().take(n_kept).for_each(|place| is_kept[*place] = true);
        let mut places: Vec<Option<u32>> = Vec::with_capacity(is_kept.len());
        let mut n_before = 0;
        for is_kept in &is_kept {
            places.push(is_kept.then_some(n_before));
            n_before += u32::from(*is_kept);
        }
        let mut kept = is_kept.iter();
        self.keys.retain(|_| *kept.next().unwrap_or(&false));
        let mut kept = is_kept.iter();
        self.whole.retain(|_| *kept.next().unwrap_or(&false));
        for round in &mut self.rounds {
            *round = round
                .iter()
                .filter_map(|(place, amount)| Some((places[*place as usize]?, *amount)))
                .collect();
        }
    }
}

fn amount_in<A: Amount>(round: &[(u32, A)], place: Option<usize>) -> A {
    let Some(place) = place else { return A::default() };
    let found = round.binary_search_by_key(&(place as u32), |(place, _)| *place);
    found.map_or_else(|_| A::default(), |at| round[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(ledger: &Ledger<&'static str, u64>, n_rounds: Option<usize>) -> Vec<(&'static str, u64)> {
        ledger.sums(n_rounds).map(|(key, amount)| (*key, amount)).collect()
    }

    #[test]
    fn the_last_rounds_and_all_time_are_told_apart() {
        let mut ledger = Ledger::default();
        for round in [vec![("a", 1), ("b", 2)], vec![("b", 3)], vec![("c", 4), ("a", 5)], vec![]] {
            ledger.add_round(round, 3);
        }
        assert_eq!(sums(&ledger, None), [("a", 6), ("b", 5), ("c", 4)]);
        assert_eq!(sums(&ledger, Some(2)), [("a", 5), ("c", 4)]);
        assert_eq!(sums(&ledger, Some(9)), [("a", 5), ("b", 3), ("c", 4)], "the first round is gone");
        assert_eq!(ledger.history(&"a", 9).collect::<Vec<_>>(), [0, 5, 0]);
        assert_eq!(
            (ledger.between(&"b", 2, 3), ledger.between(&"b", 0, 2), ledger.between(&"x", 0, 3)),
            (3, 0, 0)
        );
    }

    #[test]
    fn what_is_kept_is_bounded_and_what_matters_stays() {
        let mut ledger: Ledger<u64, u64> = Ledger::default();
        for round in 0..60_u64 {
            let small = (0..1_000).map(|n| (1_000_000 + round * 1_000 + n, 1));
            ledger.add_round(small.chain([(round % 7, 1_000)]).collect(), 5);
        }
        assert!(ledger.keys.len() <= MOST_KEYS && ledger.whole.len() == ledger.keys.len());
        let largest: u64 = ledger.sums(None).filter(|(key, _)| **key < 7).map(|(_, amount)| amount).sum();
        assert_eq!(largest, 60_000);
        assert_eq!(ledger.history(&(59 % 7), 1).next(), Some(1_000));
    }
}
