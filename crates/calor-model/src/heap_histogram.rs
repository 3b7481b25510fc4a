//! How large blocks are and how long they live, by powers of two: fine enough to see what a heap is made of, and so
//! coarse that a recorder can count them with one addition for each allocation.

use std::collections::BTreeMap;

use crate::HeapBlocks;

/// Blocks by a power of two. Bucket 0 holds the value 0, bucket b the values of b binary digits: from 2^(b-1) to
/// 2^b - 1. So there are 65 of them, and those that hold nothing are not stored.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HeapHistogram {
    buckets: BTreeMap<u8, HeapBlocks>,
}

impl HeapHistogram {
    /// The number of the last bucket.
    pub const LAST: u8 = 64;

    /// The bucket that holds a value.
    #[must_use]
    pub fn bucket_of(value: u64) -> u8 {
        (u64::BITS - value.leading_zeros()) as u8
    }

    /// The lowest and highest value that fall into a bucket; those past the last one are as the last one.
    #[must_use]
    pub fn bounds(bucket: u8) -> (u64, u64) {
        match bucket.min(Self::LAST) {
            0 => (0, 0),
            bucket => (1 << (bucket - 1), u64::MAX >> (Self::LAST - bucket)),
        }
    }

    /// Adds blocks of a value.
    pub fn record(&mut self, value: u64, blocks: HeapBlocks) {
        self.add_bucket(Self::bucket_of(value), blocks);
    }

    /// Adds blocks to a bucket given by its number; those past the last one count as the last one.
    pub fn add_bucket(&mut self, bucket: u8, blocks: HeapBlocks) {
        if !blocks.is_empty() {
            self.buckets.entry(bucket.min(Self::LAST)).or_default().add(blocks);
        }
    }

    /// Adds everything that `other` holds.
    pub fn add(&mut self, other: &Self) {
        other.iter().for_each(|(bucket, blocks)| self.add_bucket(bucket, blocks));
    }

    /// The buckets that hold something, in order of value.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u8, HeapBlocks)> {
        self.buckets.iter().map(|(&bucket, &blocks)| (bucket, blocks))
    }

    /// All blocks.
    #[must_use]
    pub fn total(&self) -> HeapBlocks {
        self.buckets.values().fold(HeapBlocks::default(), |mut sum, blocks| {
            sum.add(*blocks);
            sum
        })
    }

    /// Whether nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }
}

/// What the heap is made of, all call paths together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HeapHistograms {
    /// Allocations by their size in bytes.
    pub sizes: HeapHistogram,
    /// Blocks that were freed by the nanoseconds between their allocation and that; what is still held is missing.
    pub lifetimes: HeapHistogram,
    /// Whether lifetimes are of sampled blocks, so that numbers are estimates, even where sizes are exact.
    pub are_lifetimes_sampled: bool,
}

impl HeapHistograms {
    /// Adds everything that `other` holds.
    pub fn add(&mut self, other: &Self) {
        self.sizes.add(&other.sizes);
        self.lifetimes.add(&other.lifetimes);
        self.are_lifetimes_sampled |= other.are_lifetimes_sampled;
    }

    /// Whether nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty() && self.lifetimes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_the_bounds_of_its_bucket_and_buckets_leave_no_gap() {
        let edges = (0..64).flat_map(|bit| [(1_u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        for value in edges.chain([u64::MAX]) {
            let (low, high) = HeapHistogram::bounds(HeapHistogram::bucket_of(value));
            assert!(low <= value && value <= high, "{value} is not in {low}..={high}");
        }
        for bucket in 0..HeapHistogram::LAST {
            assert_eq!(HeapHistogram::bounds(bucket).1 + 1, HeapHistogram::bounds(bucket + 1).0);
        }
        assert_eq!(HeapHistogram::bounds(200), HeapHistogram::bounds(64));
    }

    #[test]
    fn what_is_recorded_adds_up_and_nothing_makes_no_bucket() {
        let mut histogram = HeapHistogram::default();
        histogram.record(100, HeapBlocks { count: 2, bytes: 200 });
        histogram.record(64, HeapBlocks { count: 1, bytes: 64 });
        histogram.record(7, HeapBlocks::default());
        assert_eq!(histogram.iter().collect::<Vec<_>>(), [(7, HeapBlocks { count: 3, bytes: 264 })]);
        assert_eq!(histogram.total(), HeapBlocks { count: 3, bytes: 264 });
    }
}
