//! Who allocated what: one row for each call path that allocated.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::{LabelSetId, StackId, ThreadId};

/// How a heap was watched.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum HeapMode {
    /// Every allocation was seen: figures are exact.
    Exact,
    /// Allocations were sampled by bytes: figures are estimates.
    Sampled,
}

/// What a row of the [`HeapTable`] is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HeapKey {
    /// The call path that allocated.
    pub stack: StackId,
    /// The thread that allocated.
    pub thread: ThreadId,
    /// Labels that were set meanwhile.
    pub labels: LabelSetId,
}

/// What one call path did to the heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HeapSite {
    /// Bytes allocated.
    pub allocated_bytes: u64,
    /// Number of allocations.
    pub allocated_count: u64,
    /// Bytes allocated here and freed, wherever that was.
    pub freed_bytes: u64,
    /// Number of such frees.
    pub freed_count: u64,
    /// Bytes of this path that were held at the moment the whole heap was largest.
    pub peak_bytes: u64,
    /// Number of blocks held at that moment.
    pub peak_count: u64,
    /// Allocations that were freed again within the same scope or before the next allocation.
    pub temporary_count: u64,
    /// Bytes of those.
    pub temporary_bytes: u64,
}

impl HeapSite {
    /// Bytes that were allocated here and not freed.
    #[must_use]
    pub fn live_bytes(&self) -> u64 {
        self.allocated_bytes.saturating_sub(self.freed_bytes)
    }

    /// Blocks that were allocated here and not freed.
    #[must_use]
    pub fn live_count(&self) -> u64 {
        self.allocated_count.saturating_sub(self.freed_count)
    }

    /// Adds `other`.
    pub fn add(&mut self, other: &Self) {
        for (own, theirs) in [
            (&mut self.allocated_bytes, other.allocated_bytes),
            (&mut self.allocated_count, other.allocated_count),
            (&mut self.freed_bytes, other.freed_bytes),
            (&mut self.freed_count, other.freed_count),
            (&mut self.peak_bytes, other.peak_bytes),
            (&mut self.peak_count, other.peak_count),
            (&mut self.temporary_count, other.temporary_count),
            (&mut self.temporary_bytes, other.temporary_bytes),
        ] {
            *own = own.saturating_add(theirs);
        }
    }
}

/// The heap as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeapSummary {
    /// How it was watched.
    pub mode: HeapMode,
    /// The most bytes that were held at once.
    pub peak_bytes: u64,
    /// When that was, in nanoseconds from the start of the run; `None` when unknown.
    pub peak_at_nanos: Option<u64>,
}

/// The rows, in the order of their first use, and the heap as a whole.
#[derive(Clone, Debug, Default)]
pub struct HeapTable {
    rows: IndexMap<HeapKey, HeapSite, RandomState>,
    /// The heap as a whole; `None` when it was not watched.
    pub summary: Option<HeapSummary>,
}

impl HeapTable {
    /// Adds to the row of `key`, which is made if it is new.
    pub fn add(&mut self, key: HeapKey, site: &HeapSite) {
        self.rows.entry(key).or_default().add(site);
    }

    /// The row of `key`.
    #[must_use]
    pub fn get(&self, key: &HeapKey) -> Option<&HeapSite> {
        self.rows.get(key)
    }

    /// All rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (HeapKey, &HeapSite)> {
        self.rows.iter().map(|(key, site)| (*key, site))
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
