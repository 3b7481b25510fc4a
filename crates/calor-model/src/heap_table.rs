//! Who allocated what: one row for each call path that allocated, and what is known of the heap as a whole.

use std::cmp::Ordering;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::{
    HeapHistograms, HeapSite, HeapSnapshot, HeapSnapshots, HeapSummary, LabelSetId, StackId, ThreadId,
};

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

/// The rows, in the order of their first use, and the heap as a whole.
#[derive(Clone, Debug, Default)]
pub struct HeapTable {
    rows: IndexMap<HeapKey, HeapSite, RandomState>,
    /// The rows that held something at the peak, so that a new peak can forget them without a search.
    at_peak: Vec<HeapKey>,
    /// The heap as a whole; `None` when it was not watched.
    pub summary: Option<HeapSummary>,
    /// How large blocks were and how long they lived.
    pub histograms: HeapHistograms,
    /// Who held memory at a few instants.
    pub snapshots: HeapSnapshots,
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
                    *row = row.without_peak();
                }
            }
        }
        for (key, site) in other.iter() {
            let key = rekey(key);
            let mut site = *site;
            match order {
                Ordering::Less => {}
                Ordering::Greater => site = site.without_peak(),
                Ordering::Equal => {
                    let own = self.get(&key).copied().unwrap_or_default();
                    site.peak_bytes = site.peak_bytes.saturating_sub(own.peak_bytes);
                    site.peak_count = site.peak_count.saturating_sub(own.peak_count);
                    site.peak_variance = (site.peak_variance - own.peak_variance).max(0.0);
                }
            }
            self.add(key, &site);
        }
        self.summary = HeapSummary::united(self.summary, other.summary);
        self.histograms.add(&other.histograms);
    }

    /// Takes in the snapshots of another table, without those and the rows that `place` leaves out.
    pub(crate) fn absorb_snapshots(
        &mut self,
        other: &Self,
        is_kept: impl Fn(u64) -> bool,
        mut place: impl FnMut(StackId) -> Option<StackId>,
    ) {
        for snapshot in other.snapshots.iter().filter(|snapshot| is_kept(snapshot.at_nanos)) {
            let mut carried = HeapSnapshot::new(snapshot.at_nanos);
            for (stack, blocks) in snapshot.iter() {
                if let Some(stack) = place(stack) {
                    carried.add(stack, blocks);
                }
            }
            self.snapshots.add(carried);
        }
    }

    /// Puts the rows in the order of their handles.
    pub(crate) fn sort(&mut self) {
        self.rows.sort_by_cached_key(|key, _| (key.stack, key.thread, key.labels));
        self.snapshots.sort();
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
