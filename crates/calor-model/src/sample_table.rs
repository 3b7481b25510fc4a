//! Stack samples: where threads were found at instants, several kinds side by side.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

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

/// The rows, in the order of their first use.
#[derive(Clone, Debug, Default)]
pub struct SampleTable {
    rows: IndexMap<SampleKey, SampleWeight, RandomState>,
}

impl SampleTable {
    /// Adds to the row of `key`, which is made if it is new.
    pub fn add(&mut self, key: SampleKey, weight: SampleWeight) {
        self.rows.entry(key).or_default().add(weight);
    }

    /// The row of `key`.
    #[must_use]
    pub fn get(&self, key: &SampleKey) -> Option<SampleWeight> {
        self.rows.get(key).copied()
    }

    /// All rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (SampleKey, SampleWeight)> {
        self.rows.iter().map(|(key, weight)| (*key, *weight))
    }

    /// Puts the rows in the order of their handles.
    pub(crate) fn sort(&mut self) {
        self.rows.sort_by_cached_key(|key, _| (key.kind, key.stack, key.thread, key.labels, key.at_nanos));
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
}
