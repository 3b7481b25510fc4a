//! The heap as a whole: how it was watched and when it was largest.

use std::cmp::Reverse;

use crate::HeapBlocks;

/// How a heap was watched.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum HeapMode {
    /// Every allocation was seen: figures are exact.
    Exact,
    /// Allocations were sampled by bytes: figures are estimates.
    Sampled,
}

/// The heap as a whole. What is not here is the sum over the rows of the [`HeapTable`](crate::HeapTable).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeapSummary {
    /// How it was watched.
    pub mode: HeapMode,
    /// The most bytes that were held at once.
    pub peak_bytes: u64,
    /// When that was, in nanoseconds from the start of the run; `None` when unknown.
    pub peak_at_nanos: Option<u64>,
    /// What processes held when they ended by themselves; `None` while they run and when they were killed. Of the
    /// parts of a recording one tells it, as it adds up.
    pub leaked: Option<HeapBlocks>,
    /// Bytes between two samples in the mean; `None` when every allocation was seen or the distance is unknown.
    pub sampling_bytes: Option<u64>,
}

impl HeapSummary {
    /// A heap of which no more than its peak is known.
    #[must_use]
    pub fn new(mode: HeapMode, peak_bytes: u64, peak_at_nanos: Option<u64>) -> Self {
        Self { mode, peak_bytes, peak_at_nanos, leaked: None, sampling_bytes: None }
    }

    /// The larger of two peaks is the one whose order is larger.
    pub(crate) fn order(summary: Option<Self>) -> Option<(u64, Reverse<u64>)> {
        // A time that is unknown comes after all others.
        summary.map(|heap| (heap.peak_bytes, Reverse(heap.peak_at_nanos.unwrap_or(u64::MAX))))
    }

    /// What is known of two heaps together.
    pub(crate) fn united(own: Option<Self>, theirs: Option<Self>) -> Option<Self> {
        let (Some(own), Some(theirs)) = (own, theirs) else { return own.or(theirs) };
        let is_less = Self::order(Some(own)) < Self::order(Some(theirs));
        let peak = if is_less { theirs } else { own };
        let mut leaked = own.leaked;
        if let Some(blocks) = theirs.leaked {
            leaked.get_or_insert_default().add(blocks);
        }
        Some(Self {
            // Part of an estimate makes the whole one, and it is as coarse as its coarsest part.
            mode: own.mode.max(theirs.mode),
            sampling_bytes: own.sampling_bytes.max(theirs.sampling_bytes),
            leaked,
            ..peak
        })
    }
}
