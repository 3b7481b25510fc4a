//! What one call path did to the heap, counted or estimated, and how sure an estimate is.

/// A number of blocks and the bytes they have together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HeapBlocks {
    /// How many.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl HeapBlocks {
    /// Adds `other`.
    pub fn add(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What one call path did to the heap.
///
/// Where allocations were sampled, figures are estimates: sums over sampled blocks, each of which stands for
/// as many as its chance to be sampled says. Chances are independent, so variances add up as figures do.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
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
    /// Sampled allocations behind the estimates; 0 when every allocation was seen.
    pub samples: u64,
    /// The variance of `allocated_bytes` as an estimate, in bytes squared; 0 when it is exact.
    pub allocated_variance: f64,
    /// The variance of [`HeapSite::live_bytes`] as an estimate, in bytes squared; 0 when it is exact.
    pub live_variance: f64,
    /// The variance of `peak_bytes` as an estimate, in bytes squared; 0 when it is exact.
    pub peak_variance: f64,
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

    /// Where the bytes allocated truly lie, with 95 % certainty; `None` when they were counted.
    #[must_use]
    pub fn allocated_interval(&self) -> Option<[u64; 2]> {
        estimate_interval(self.allocated_bytes, self.allocated_variance)
    }

    /// Where the bytes not freed truly lie, with 95 % certainty; `None` when they were counted.
    #[must_use]
    pub fn live_interval(&self) -> Option<[u64; 2]> {
        estimate_interval(self.live_bytes(), self.live_variance)
    }

    /// Where the bytes held at the peak truly lie, with 95 % certainty; `None` when they were counted.
    #[must_use]
    pub fn peak_interval(&self) -> Option<[u64; 2]> {
        estimate_interval(self.peak_bytes, self.peak_variance)
    }

    pub(crate) fn has_peak(&self) -> bool {
        self.peak_bytes != 0 || self.peak_count != 0
    }

    /// The same without what it held at the peak.
    #[must_use]
    pub(crate) fn without_peak(self) -> Self {
        Self { peak_bytes: 0, peak_count: 0, peak_variance: 0.0, ..self }
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
            (&mut self.samples, other.samples),
        ] {
            *own = own.saturating_add(theirs);
        }
        self.allocated_variance += other.allocated_variance;
        self.live_variance += other.live_variance;
        self.peak_variance += other.peak_variance;
    }
}

/// Where a figure that was estimated truly lies, with 95 % certainty, if the estimate is normally distributed, as
/// sums of many samples are. `None` for a figure that has no variance, because it was counted.
#[must_use]
pub fn estimate_interval(estimate: u64, variance: f64) -> Option<[u64; 2]> {
    /// The quantile of the normal distribution that leaves 2.5 % on either side.
    const QUANTILE: f64 = 1.96;
    (variance > 0.0).then(|| {
        let (middle, reach) = (estimate as f64, QUANTILE * variance.sqrt());
        [(middle - reach).max(0.0).round() as u64, (middle + reach).round() as u64]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_reaches_two_deviations_to_either_side_and_not_below_zero() {
        assert_eq!(estimate_interval(1000, 10_000.0), Some([804, 1196]));
        assert_eq!(estimate_interval(100, 10_000.0), Some([0, 296]));
        assert_eq!(estimate_interval(5, f64::INFINITY), Some([0, u64::MAX]));
        for no_variance in [0.0, -1.0, f64::NAN] {
            assert_eq!(estimate_interval(1000, no_variance), None);
        }
    }
}
