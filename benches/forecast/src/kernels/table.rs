//! Programs over sorted, hashed and counted things.

use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;

use crate::chance::Chance;

pub(super) fn sort(n: usize) -> u64 {
    let mut chance = Chance::new(10);
    let mut middle = 0;
    for _ in 0..4 {
        let mut numbers: Vec<u64> = (0..n).map(|_| chance.next()).collect();
        numbers.sort_unstable();
        middle ^= numbers[n / 2];
    }
    middle
}

pub(super) fn hash_map(n: usize) -> u64 {
    let mut chance = Chance::new(11);
    let mut counts: HashMap<u64, u64> = HashMap::new();
    let keys: Vec<u64> = (0..n).map(|_| chance.next() % (4 * n as u64)).collect();
    keys.iter().for_each(|key| *counts.entry(*key).or_default() += 1);
    let mut found = 0;
    for turn in 0..4 {
        found += keys.iter().filter_map(|key| counts.get(&(key + turn))).sum::<u64>();
    }
    found
}

pub(super) fn b_tree(n: usize) -> u64 {
    let mut chance = Chance::new(12);
    let mut latest: BTreeMap<u64, u32> = BTreeMap::new();
    for at in 0..n {
        latest.insert(chance.next(), at as u32);
    }
    latest.iter().fold(0, |sum: u64, (key, at)| sum.wrapping_mul(31).wrapping_add(key ^ u64::from(*at)))
}

/// What does not depend on the size takes most of the time at the smallest one.
pub(super) fn warm_start(n: usize) -> u64 {
    const LARGEST: usize = 1 << 20;
    let mut is_prime = vec![true; LARGEST];
    for number in 2..LARGEST {
        if is_prime[number] {
            (number.saturating_mul(number)..LARGEST).step_by(number).for_each(|at| is_prime[at] = false);
        }
    }
    let mut chance = Chance::new(13);
    (0..n).filter(|_| black_box(is_prime[chance.below(LARGEST)])).count() as u64
}
