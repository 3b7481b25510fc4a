//! Who allocated what: one row for each call path that allocated.

use std::cmp::{Ordering, Reverse};

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

    fn has_peak(&self) -> bool {
        self.peak_bytes != 0 || self.peak_count != 0
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

impl HeapSummary {
    /// The larger of two peaks is the one whose order is larger.
    fn order(summary: Option<Self>) -> Option<(u64, Reverse<u64>)> {
        // A time that is unknown comes after all others.
        summary.map(|heap| (heap.peak_bytes, Reverse(heap.peak_at_nanos.unwrap_or(u64::MAX))))
    }
}

/// The rows, in the order of their first use, and the heap as a whole.
#[derive(Clone, Debug, Default)]
pub struct HeapTable {
    rows: IndexMap<HeapKey, HeapSite, RandomState>,
    /// The rows that held something at the peak, so that a new peak can forget them without a search.
    at_peak: Vec<HeapKey>,
    /// The heap as a whole; `None` when it was not watched.
    pub summary: Option<HeapSummary>,
}

impl HeapTable {
    /// Adds to the row of `key`, which is made if it is new.
    pub fn add(&mut self, key: HeapKey, site: &HeapSite) {
        let row = self.rows.entry(key).or_default();
        let had_peak = row.has_peak();
        row.add(site);
        if row.has_peak() && !had_peak {
            self.at_peak.push(key);
        }
    }

    /// Takes in another table, whose keys `rekey` turns into different keys of this one.
    ///
    /// What was allocated and freed adds up, but peaks do not: they were at different moments. The larger
    /// peak counts, of two equal ones the earlier, and of the sites only what they held at that moment; so
    /// the sites of one peak still add up to the summary's. A peak of the same size at the same time is the
    /// same peak told twice.
    pub(crate) fn absorb(&mut self, other: &Self, mut rekey: impl FnMut(HeapKey) -> HeapKey) {
        let order = HeapSummary::order(self.summary).cmp(&HeapSummary::order(other.summary));
        if order.is_lt() {
            for key in self.at_peak.drain(..) {
                if let Some(row) = self.rows.get_mut(&key) {
                    (row.peak_bytes, row.peak_count) = (0, 0);
                }
            }
        }
        for (key, site) in other.iter() {
            let key = rekey(key);
            let mut site = *site;
            match order {
                Ordering::Less => {}
                Ordering::Greater => (site.peak_bytes, site.peak_count) = (0, 0),
                Ordering::Equal => {
                    let own = self.get(&key).copied().unwrap_or_default();
                    site.peak_bytes = site.peak_bytes.saturating_sub(own.peak_bytes);
                    site.peak_count = site.peak_count.saturating_sub(own.peak_count);
                }
            }
            self.add(key, &site);
        }
        self.summary = match (self.summary, other.summary) {
            (Some(own), Some(theirs)) => {
                let peak = if order.is_lt() { theirs } else { own };
                // Part of an estimate makes the whole one.
                Some(HeapSummary { mode: own.mode.max(theirs.mode), ..peak })
            }
            (own, theirs) => own.or(theirs),
        };
    }

    /// Puts the rows in the order of their handles.
    pub(crate) fn sort(&mut self) {
        self.rows.sort_by_cached_key(|key, _| (key.stack, key.thread, key.labels));
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
