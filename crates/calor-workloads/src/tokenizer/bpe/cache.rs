//! The ids of words that were seen before: a bounded table. When it is full the next word takes the place of one that
//! was not asked for since the hand last came by (the clock, or second chance, of Corbató 1968): nearly as good as the
//! least recently used, without a list to keep in order at every hit.

use super::hash;
use super::tally::Tally;

/// Words of at least this many bytes are not kept: they hardly come again. The limit of the crate `tokenizers`.
const LONGEST: usize = 256;

/// No slot.
const EMPTY: u32 = u32::MAX;

/// A bounded cache of words.
#[derive(Debug)]
pub(super) struct Cache {
    capacity: usize,
    slots: Vec<Slot>,
    /// Numbers of slots, by hash, with linear probing; at most half full.
    table: Box<[u32]>,
    hand: usize,
}

#[derive(Debug)]
struct Slot {
    hash: u64,
    word: Box<[u8]>,
    ids: Box<[u32]>,
    was_asked_for: bool,
}

impl Cache {
    /// Room for so many words; with 0 nothing is kept and nothing looked up.
    pub(super) fn new(capacity: usize) -> Self {
        let n_places = if capacity == 0 { 0 } else { (2 * capacity).next_power_of_two() };
        Self { capacity, slots: Vec::new(), table: vec![EMPTY; n_places].into(), hand: 0 }
    }

    pub(super) fn is_off(&self) -> bool {
        self.capacity == 0
    }

    /// How many words are in it.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The ids of a word.
    #[inline]
    pub(super) fn get(&mut self, hash: u64, word: &[u8]) -> Option<&[u32]> {
        let place = self.place(hash, |slot| slot.hash == hash && *slot.word == *word);
        let slot = self.slots.get_mut(self.table[place] as usize)?;
        slot.was_asked_for = true;
        Some(&slot.ids)
    }

    /// Keeps the ids of a word that is not in it.
    pub(super) fn insert<T: Tally>(&mut self, hash: u64, word: &[u8], ids: &[u32], tally: &mut T) {
        if word.len() >= LONGEST {
            return;
        }
        let slot = Slot { hash, word: word.into(), ids: ids.into(), was_asked_for: false };
        let number = if self.slots.len() < self.capacity {
            self.slots.push(slot);
            self.slots.len() - 1
        } else {
            tally.eviction();
            let number = self.least_asked_for();
            self.forget(number);
            self.slots[number] = slot;
            number
        };
        let place = self.place(hash, |_| false);
        self.table[place] = number as u32;
    }

    /// The slot that the hand stops at: words that were asked for since it last passed have a second chance.
    fn least_asked_for(&mut self) -> usize {
        loop {
            let number = self.hand;
            self.hand = (self.hand + 1) % self.slots.len();
            if !std::mem::take(&mut self.slots[number].was_asked_for) {
                return number;
            }
        }
    }

    /// Takes a slot out of the table and closes the gap, so that no search ends early.
    fn forget(&mut self, number: usize) {
        let mask = self.table.len() - 1;
        let hash = self.slots[number].hash;
        let mut gap = self.start(hash);
        while self.table[gap] != number as u32 {
            gap = (gap + 1) & mask;
        }
        let mut next = (gap + 1) & mask;
        while self.table[next] != EMPTY {
            let home = self.start(self.slots[self.table[next] as usize].hash);
            // What lies at `next` may move to the gap if its search passes the gap.
            if (next.wrapping_sub(home) & mask) >= (next.wrapping_sub(gap) & mask) {
                self.table[gap] = self.table[next];
                gap = next;
            }
            next = (next + 1) & mask;
        }
        self.table[gap] = EMPTY;
    }

    /// The first place of a search that is the wanted slot's, or empty.
    #[inline]
    fn place(&self, hash: u64, is_wanted: impl Fn(&Slot) -> bool) -> usize {
        let mask = self.table.len() - 1;
        let mut place = self.start(hash);
        while let Some(slot) = self.slots.get(self.table[place] as usize) {
            if is_wanted(slot) {
                break;
            }
            place = (place + 1) & mask;
        }
        place
    }

    #[inline]
    fn start(&self, hash: u64) -> usize {
        hash as usize & (self.table.len() - 1)
    }
}

/// The hash that [`Cache`] is asked with.
#[inline]
pub(super) fn hash(word: &[u8]) -> u64 {
    hash::of(word)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::super::tally::Counts;
    use super::*;

    fn insert(cache: &mut Cache, word: &[u8], ids: &[u32], counts: &mut Counts) {
        cache.insert(hash(word), word, ids, counts);
    }

    fn get(cache: &mut Cache, word: &[u8]) -> Option<Vec<u32>> {
        cache.get(hash(word), word).map(<[u32]>::to_vec)
    }

    #[test]
    fn a_word_that_is_asked_for_stays_and_another_leaves() {
        let (mut cache, mut counts) = (Cache::new(2), Counts::default());
        insert(&mut cache, b"one", &[1], &mut counts);
        insert(&mut cache, b"two", &[2], &mut counts);
        assert_eq!(get(&mut cache, b"one"), Some(vec![1]));
        insert(&mut cache, b"three", &[3], &mut counts);
        assert_eq!(get(&mut cache, b"one"), Some(vec![1]));
        assert_eq!(get(&mut cache, b"two"), None);
        assert_eq!(get(&mut cache, b"three"), Some(vec![3]));
        assert_eq!((counts.evictions, cache.len()), (1, 2));
    }

    #[test]
    fn very_long_words_are_not_kept() {
        let (mut cache, mut counts) = (Cache::new(2), Counts::default());
        insert(&mut cache, &[b'x'; LONGEST], &[1], &mut counts);
        insert(&mut cache, &[b'x'; LONGEST - 1], &[2], &mut counts);
        assert_eq!((cache.len(), get(&mut cache, &[b'x'; LONGEST - 1])), (1, Some(vec![2])));
    }

    proptest! {
        /// Few words, a small cache and hashes that fall on each other: whatever is found is right, and it is never
        /// fuller than allowed.
        #[test]
        fn what_is_found_is_what_was_kept(words in prop::collection::vec(0u8..40, 1..400), capacity in 1usize..12) {
            let (mut cache, mut counts) = (Cache::new(capacity), Counts::default());
            let mut kept: HashMap<u8, u32> = HashMap::new();
            let mut n_inserted = 0;
            for (n, word) in words.into_iter().enumerate() {
                let crowded = u64::from(word % 3);
                match cache.get(crowded, &[word]) {
                    Some(ids) => prop_assert_eq!(ids, &[kept[&word]][..]),
                    None => {
                        cache.insert(crowded, &[word], &[n as u32], &mut counts);
                        kept.insert(word, n as u32);
                        n_inserted += 1;
                    }
                }
                prop_assert!(cache.len() <= capacity);
                prop_assert_eq!(cache.get(crowded, &[word]), Some(&[kept[&word]][..]));
            }
            prop_assert_eq!(counts.evictions as usize, n_inserted - cache.len());
        }
    }
}
