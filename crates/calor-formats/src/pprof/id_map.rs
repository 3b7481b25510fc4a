//! What the numbers stand for that a file gives to its mappings, functions and locations. Nearly every tool
//! counts from 1, so a number is its place in a list; a number far out of line goes into a map instead, so that
//! a file of a few bytes cannot ask for a list of gigabytes.

use std::collections::HashMap;

/// Things by the number that a file gave them.
pub(super) struct IdMap<T> {
    dense: Vec<Option<T>>,
    sparse: HashMap<u64, T>,
    /// Numbers below this one are places in the list.
    n_dense: u64,
}

impl<T: Copy> IdMap<T> {
    /// A map for so many things.
    pub(super) fn new(n_things: usize) -> Self {
        Self { dense: Vec::new(), sparse: HashMap::new(), n_dense: 2 * n_things as u64 + 64 }
    }

    pub(super) fn insert(&mut self, id: u64, thing: T) {
        if id >= self.n_dense {
            self.sparse.insert(id, thing);
            return;
        }
        let place = id as usize;
        if place >= self.dense.len() {
            self.dense.resize(place + 1, None);
        }
        self.dense[place] = Some(thing);
    }

    pub(super) fn get(&self, id: u64) -> Option<T> {
        if id < self.n_dense {
            self.dense.get(id as usize).copied().flatten()
        } else {
            self.sparse.get(&id).copied()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_near_and_far_are_found_again() {
        let mut map = IdMap::new(2);
        for id in [1, 67, 68, 69, u64::MAX] {
            map.insert(id, id);
        }
        for id in [1, 67, 68, 69, u64::MAX] {
            assert_eq!(map.get(id), Some(id));
        }
        assert_eq!((map.get(0), map.get(2), map.get(1000)), (None, None, None));
        assert!(map.dense.len() < 100);
    }
}
