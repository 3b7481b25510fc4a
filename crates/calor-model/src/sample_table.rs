//! Stack samples: where threads were found at instants, several kinds side by side.

use std::fmt;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::{LabelSetId, StackId, ThreadId};

/// What a sample stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum SampleKind {
    /// The thread was running.
    Cpu,
    /// The thread was waiting; its weight is how long.
    OffCpu,
    /// The thread existed, running or waiting.
    Wall,
}

/// What a row of the [`SampleTable`] is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SampleKey {
    /// What the samples stand for.
    pub kind: SampleKind,
    /// Where the thread was.
    pub stack: StackId,
    /// Which thread.
    pub thread: ThreadId,
    /// Labels that were set meanwhile.
    pub labels: LabelSetId,
    /// When, in nanoseconds from the start of the run, rounded as the recorder chose; `None` when unknown.
    pub at_nanos: Option<u64>,
}

/// How much was sampled there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SampleWeight {
    /// Number of samples.
    pub count: u64,
    /// The time they stand for.
    pub nanos: u64,
}

impl SampleWeight {
    /// Adds `other`.
    pub fn add(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        self.nanos = self.nanos.saturating_add(other.nanos);
    }
}

/// A row as it is kept: 40 bytes, where key and weight side by side would take 48.
#[derive(Clone, Copy)]
struct Row {
    stack: StackId,
    thread: ThreadId,
    labels: LabelSetId,
    kind: SampleKind,
    has_instant: bool,
    /// 0 without an instant.
    at_nanos: u64,
    weight: SampleWeight,
}

impl Row {
    fn new(key: SampleKey, weight: SampleWeight) -> Self {
        let SampleKey { kind, stack, thread, labels, at_nanos } = key;
        let has_instant = at_nanos.is_some();
        Self { stack, thread, labels, kind, has_instant, at_nanos: at_nanos.unwrap_or(0), weight }
    }

    fn key(&self) -> SampleKey {
        let Self { stack, thread, labels, kind, .. } = *self;
        SampleKey { kind, stack, thread, labels, at_nanos: self.has_instant.then_some(self.at_nanos) }
    }
}

/// The rows, in the order of their first use.
///
/// Recorders hand over samples in the order of time, and a sample that is later than all before cannot have a row
/// yet: it is stored without being looked for. Only when others come are rows indexed.
#[derive(Clone, Default)]
pub struct SampleTable {
    rows: Vec<Row>,
    /// The first rows, up to `n_indexed`. Those behind are each later than all before them.
    index: HashTable<u32>,
    n_indexed: usize,
    /// The latest instant of any row.
    latest_nanos: Option<u64>,
    hasher: RandomState,
}

impl SampleTable {
    /// Adds to the row of `key`, which is made if it is new.
    ///
    /// # Panics
    /// When the table has `u32::MAX` rows.
    #[inline]
    pub fn add(&mut self, key: SampleKey, weight: SampleWeight) {
        self.insert_or(key, weight, |row| row.weight.add(weight));
    }

    /// Stores a row unless there is one of `key`, and says whether it did.
    ///
    /// # Panics
    /// When the table has `u32::MAX` rows.
    #[inline]
    pub fn insert(&mut self, key: SampleKey, weight: SampleWeight) -> bool {
        self.insert_or(key, weight, |_| ())
    }

    /// Makes room for so many more rows.
    pub fn reserve(&mut self, n_rows: usize) {
        self.rows.reserve(n_rows);
    }

    /// The row of `key`.
    #[must_use]
    pub fn get(&self, key: &SampleKey) -> Option<SampleWeight> {
        let in_order = &self.rows[self.n_indexed..];
        let row = in_order.binary_search_by_key(&key.at_nanos, |row| Some(row.at_nanos));
        if let Ok(place) = row
            && in_order[place].key() == *key
        {
            return Some(in_order[place].weight);
        }
        let is_same = |index: &u32| self.rows[*index as usize].key() == *key;
        let index = self.index.find(hash(&self.hasher, key), is_same)?;
        Some(self.rows[*index as usize].weight)
    }

    /// All rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (SampleKey, SampleWeight)> {
        self.rows.iter().map(|row| (row.key(), row.weight))
    }

    /// Puts the rows in the order of their handles.
    pub(crate) fn sort(&mut self) {
        self.rows.sort_by_key(|row| (row.kind, row.stack, row.thread, row.labels, row.key().at_nanos));
        self.index.clear();
        self.n_indexed = 0;
        self.index_rest();
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Stores a row, or hands the one of the same key to `known`. Says whether it was stored.
    #[inline]
    fn insert_or(&mut self, key: SampleKey, weight: SampleWeight, known: impl FnOnce(&mut Row)) -> bool {
        assert!(self.rows.len() < u32::MAX as usize, "a table holds at most u32::MAX rows");
        if key.at_nanos > self.latest_nanos {
            self.latest_nanos = key.at_nanos;
            self.rows.push(Row::new(key, weight));
            return true;
        }
        self.index_rest();
        let (rows, hasher) = (&self.rows, &self.hasher);
        let is_same = |index: &u32| rows[*index as usize].key() == key;
        let hash_of = |index: &u32| hash(hasher, &rows[*index as usize].key());
        match self.index.entry(hash(hasher, &key), is_same, hash_of) {
            Entry::Occupied(place) => {
                known(&mut self.rows[*place.get() as usize]);
                false
            }
            Entry::Vacant(place) => {
                place.insert(self.rows.len() as u32);
                self.rows.push(Row::new(key, weight));
                self.n_indexed = self.rows.len();
                true
            }
        }
    }

    /// Indexes the rows that are not yet.
    fn index_rest(&mut self) {
        let (rows, hasher) = (&self.rows, &self.hasher);
        for index in self.n_indexed..rows.len() {
            let hash_of = |index: &u32| hash(hasher, &rows[*index as usize].key());
            self.index.insert_unique(hash_of(&(index as u32)), index as u32, hash_of);
        }
        self.n_indexed = rows.len();
    }
}

/// The rows alone: the order of the index differs from table to table.
impl fmt::Debug for SampleTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

fn hash(hasher: &RandomState, key: &SampleKey) -> u64 {
    let pair = |high: usize, low: usize| (high as u64) << 32 | low as u64;
    hasher.hash_one([
        pair(key.stack.index(), key.thread.index()),
        pair(key.labels.index(), key.kind as usize),
        // No instant and the last of all share a hash, which is no harm.
        key.at_nanos.unwrap_or(u64::MAX),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LabelTable;

    fn key(stack: usize, at_nanos: Option<u64>) -> SampleKey {
        let (stack, thread) = (StackId::from_index(stack), ThreadId::from_index(0));
        SampleKey { kind: SampleKind::Cpu, stack, thread, labels: LabelTable::none(), at_nanos }
    }

    #[test]
    fn rows_are_found_whether_they_came_in_order_of_time_or_not() {
        let instants = [None, Some(5), Some(9), Some(9), Some(0), None, Some(12), Some(13), Some(9)];
        let keys: Vec<_> = instants.iter().flat_map(|at| [key(1, *at), key(2, *at), key(1, *at)]).collect();
        let mut expected: Vec<(SampleKey, u64)> = Vec::new();
        let mut table = SampleTable::default();
        for (number, key) in keys.into_iter().enumerate() {
            table.add(key, SampleWeight { count: 1, nanos: number as u64 });
            match expected.iter_mut().find(|(known, _)| *known == key) {
                Some((_, nanos)) => *nanos += number as u64,
                None => expected.push((key, number as u64)),
            }
            let rows: Vec<_> = table.iter().map(|(key, weight)| (key, weight.nanos)).collect();
            assert_eq!(rows, expected);
            assert!(expected.iter().all(|(key, nanos)| table.get(key).unwrap().nanos == *nanos));
        }
        assert_eq!((table.get(&key(3, None)), table.get(&key(1, Some(1)))), (None, None));
    }

    #[test]
    fn a_table_that_was_sorted_finds_its_rows_and_takes_more() {
        let mut table = SampleTable::default();
        let weight = SampleWeight { count: 1, nanos: 2 };
        (0..5).for_each(|at| table.add(key(9 - at as usize, Some(at)), weight));
        table.sort();
        assert!(table.iter().is_sorted_by_key(|(key, _)| key.stack));
        (0..6).for_each(|at| table.add(key(9 - at as usize, Some(at)), weight));
        assert_eq!((table.len(), table.get(&key(7, Some(2))).unwrap().count), (6, 2));
    }

    #[test]
    fn a_row_is_inserted_once() {
        let mut table = SampleTable::default();
        let first = SampleWeight { count: 1, nanos: 2 };
        for at_nanos in [None, Some(0), Some(3)] {
            assert!(table.insert(key(1, at_nanos), first));
            assert!(!table.insert(key(1, at_nanos), SampleWeight::default()));
            assert_eq!(table.get(&key(1, at_nanos)), Some(first));
        }
    }
}
