//! Who held memory at a few instants: what growth is seen in, and what two moments of a run are compared by.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::{HeapBlocks, StackId};

/// What each call path held at an instant.
#[derive(Clone, Debug, Default)]
pub struct HeapSnapshot {
    /// When, in nanoseconds from the start of the run.
    pub at_nanos: u64,
    rows: IndexMap<StackId, HeapBlocks, RandomState>,
}

impl HeapSnapshot {
    /// An instant at which nobody holds anything yet.
    #[must_use]
    pub fn new(at_nanos: u64) -> Self {
        Self { at_nanos, ..Self::default() }
    }

    /// Adds blocks that a call path held.
    pub fn add(&mut self, stack: StackId, blocks: HeapBlocks) {
        if !blocks.is_empty() {
            self.rows.entry(stack).or_default().add(blocks);
        }
    }

    /// What a call path held.
    #[must_use]
    pub fn get(&self, stack: StackId) -> HeapBlocks {
        self.rows.get(&stack).copied().unwrap_or_default()
    }

    /// The call paths that held something.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (StackId, HeapBlocks)> {
        self.rows.iter().map(|(&stack, &blocks)| (stack, blocks))
    }

    /// All that was held.
    #[must_use]
    pub fn total(&self) -> HeapBlocks {
        self.rows.values().fold(HeapBlocks::default(), |mut sum, blocks| {
            sum.add(*blocks);
            sum
        })
    }

    /// How many call paths held something.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether nobody held anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Snapshots of one run, in order of time.
#[derive(Clone, Debug, Default)]
pub struct HeapSnapshots {
    snapshots: Vec<HeapSnapshot>,
}

impl HeapSnapshots {
    /// How many a recorder keeps.
    pub const MOST: usize = 32;

    /// Keeps a snapshot that a recorder took. When there are more than [`HeapSnapshots::MOST`], about every second one
    /// goes, so that those that stay are spread evenly over the run, its first and its latest moment among them.
    pub fn push(&mut self, snapshot: HeapSnapshot) {
        self.add(snapshot);
        if self.snapshots.len() > Self::MOST {
            let (first, last) =
                (self.snapshots[0].at_nanos, self.snapshots[self.snapshots.len() - 1].at_nanos);
            let distance = (last - first) / (Self::MOST as u64 / 2);
            let mut next = first;
            self.snapshots.retain(|snapshot| {
                let stays = snapshot.at_nanos >= next || snapshot.at_nanos == last;
                if stays {
                    next = snapshot.at_nanos.saturating_add(distance);
                }
                stays
            });
        }
    }

    /// From when on another snapshot is worth its cost: one that is taken sooner is so near to the latest, for the
    /// length of the run by then, that it would be the next to go.
    #[must_use]
    pub fn next_at_nanos(&self) -> u64 {
        let (Some(first), Some(last)) = (self.snapshots.first(), self.snapshots.last()) else { return 0 };
        last.at_nanos.saturating_add((last.at_nanos - first.at_nanos) / Self::MOST as u64)
    }

    /// Adds a snapshot, however many there are; two of one instant are one.
    pub fn add(&mut self, snapshot: HeapSnapshot) {
        match self.snapshots.binary_search_by_key(&snapshot.at_nanos, |known| known.at_nanos) {
            Ok(at) => snapshot.iter().for_each(|(stack, blocks)| self.snapshots[at].add(stack, blocks)),
            Err(at) => self.snapshots.insert(at, snapshot),
        }
    }

    /// Puts the rows of all in the order of their handles.
    pub(crate) fn sort(&mut self) {
        self.snapshots.iter_mut().for_each(|snapshot| snapshot.rows.sort_unstable_keys());
    }

    /// All snapshots.
    pub fn iter(&self) -> std::slice::Iter<'_, HeapSnapshot> {
        self.snapshots.iter()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.snapshots.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.snapshots.is_empty()
    }
}

impl<'a> IntoIterator for &'a HeapSnapshots {
    type Item = &'a HeapSnapshot;
    type IntoIter = std::slice::Iter<'a, HeapSnapshot>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(at_nanos: u64, bytes: u64) -> HeapSnapshot {
        let mut snapshot = HeapSnapshot::new(at_nanos);
        snapshot.add(StackId::from_index(0), HeapBlocks { count: 1, bytes });
        snapshot
    }

    #[test]
    fn a_recorder_keeps_few_snapshots_spread_over_the_whole_run() {
        let mut snapshots = HeapSnapshots::default();
        for at_nanos in 0..10_000 {
            snapshots.push(held(at_nanos, at_nanos));
            assert!(snapshots.len() <= HeapSnapshots::MOST);
        }
        let times: Vec<_> = snapshots.iter().map(|snapshot| snapshot.at_nanos).collect();
        assert_eq!((times[0], times[times.len() - 1]), (0, 9_999));
        // A quarter of the run has its quarter of them, but for what came since some went.
        let n_early = times.iter().filter(|time| **time < 2_500).count();
        assert!((3..=8).contains(&n_early), "{times:?}");
        assert!(times.len() > HeapSnapshots::MOST / 3, "{times:?}");
    }

    #[test]
    fn the_time_to_the_next_snapshot_grows_with_the_run() {
        let mut snapshots = HeapSnapshots::default();
        let mut n_taken = 0;
        for at_nanos in 0..1_000_000 {
            if at_nanos >= snapshots.next_at_nanos() {
                snapshots.push(held(at_nanos, 1));
                n_taken += 1;
            }
        }
        assert!(n_taken < 500, "{n_taken} were taken");
        assert!(snapshots.len() > HeapSnapshots::MOST / 3);
    }

    #[test]
    fn snapshots_of_one_instant_add_up_and_all_stand_in_order_of_time() {
        let mut snapshots = HeapSnapshots::default();
        for (at_nanos, bytes) in [(5, 10), (3, 1), (5, 20)] {
            snapshots.add(held(at_nanos, bytes));
        }
        let all: Vec<_> =
            snapshots.iter().map(|it| (it.at_nanos, it.total().bytes, it.total().count)).collect();
        assert_eq!(all, [(3, 1, 1), (5, 30, 2)]);
    }
}
