//! A sparse log-linear histogram: 128 buckets for each power of two, so that a bucket is at most 0.8 % wide,
//! and only buckets that hold something are stored. Adding two histograms is exact.

/// Bits of linear resolution inside a power of two.
const SUB_BITS: u32 = 7;

/// Counts of `u64` values by log-linear bucket.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Histogram {
    /// Bucket and count, sorted by bucket, no count is zero.
    buckets: Vec<(u32, u64)>,
}

impl Histogram {
    /// Adds `count` values that are equal to `value`.
    pub fn record(&mut self, value: u64, count: u64) {
        self.add_bucket(bucket_of(value), count);
    }

    /// Makes room for so many buckets at once.
    pub(crate) fn reserve(&mut self, buckets: usize) {
        self.buckets.reserve_exact(buckets);
    }

    /// Adds `count` values to a bucket given by its number, as read from [`Histogram::buckets`].
    #[inline]
    pub fn add_bucket(&mut self, bucket: u32, count: u64) {
        if count == 0 {
            return;
        }
        // Writers go upwards most of the time: look at the end before searching.
        match self.buckets.last_mut() {
            Some(last) if last.0 == bucket => last.1 = last.1.saturating_add(count),
            Some(last) if last.0 > bucket => {
                match self.buckets.binary_search_by_key(&bucket, |entry| entry.0) {
                    Ok(at) => self.buckets[at].1 = self.buckets[at].1.saturating_add(count),
                    Err(at) => self.buckets.insert(at, (bucket, count)),
                }
            }
            _ => self.buckets.push((bucket, count)),
        }
    }

    /// Adds everything that `other` holds.
    pub fn add(&mut self, other: &Self) {
        if self.buckets.is_empty() {
            self.buckets.clone_from(&other.buckets);
            return;
        }
        // A few buckets are searched for among many; otherwise one walk along both is cheaper.
        if other.buckets.len() * 8 < self.buckets.len() {
            other.buckets.iter().for_each(|&(bucket, count)| self.add_bucket(bucket, count));
            return;
        }
        let mut own = self.buckets.iter_mut().peekable();
        let mut missing = Vec::new();
        for &(bucket, count) in &other.buckets {
            while own.next_if(|entry| entry.0 < bucket).is_some() {}
            match own.next_if(|entry| entry.0 == bucket) {
                Some(entry) => entry.1 = entry.1.saturating_add(count),
                None => missing.push((bucket, count)),
            }
        }
        if !missing.is_empty() {
            self.buckets.append(&mut missing);
            // Two sorted runs, which this sort merges in one pass.
            self.buckets.sort_by_key(|entry| entry.0);
        }
    }

    /// How many values were recorded.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.iter().fold(0, |sum, entry| sum.saturating_add(entry.1))
    }

    /// Whether nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }

    /// The value that a share `q` (0 to 1) of all values does not exceed: the middle of its bucket, within
    /// 0.4 % of the true value. `None` when nothing was recorded.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Option<f64> {
        // A rank, as in a sorted array: the smallest value with at least q * n values at or below it.
        let rank = (q.clamp(0.0, 1.0) * self.count() as f64).ceil().max(1.0);
        let mut seen = 0_u64;
        for &(bucket, count) in &self.buckets {
            seen = seen.saturating_add(count);
            if seen as f64 >= rank {
                return Some(middle_of(bucket));
            }
        }
        self.buckets.last().map(|last| middle_of(last.0))
    }

    /// The buckets that hold something: number and count, in order of value.
    #[must_use]
    pub fn buckets(&self) -> &[(u32, u64)] {
        &self.buckets
    }

    /// The lowest and highest value that fall into a bucket.
    #[must_use]
    pub fn bounds(bucket: u32) -> (u64, u64) {
        let (low, width) = low_and_width(bucket);
        (low, low.saturating_add(width - 1))
    }
}

fn bucket_of(value: u64) -> u32 {
    let top = 63 - (value | (1 << SUB_BITS)).leading_zeros();
    let shift = top - SUB_BITS;
    (shift << SUB_BITS) + (value >> shift) as u32
}

fn low_and_width(bucket: u32) -> (u64, u64) {
    // A number from outside may be larger than any bucket there is; shifts stay inside 64 bits all the same.
    let group = (bucket >> SUB_BITS).min(64 - SUB_BITS);
    if group < 2 {
        return (u64::from(bucket), 1);
    }
    let shift = group - 1;
    let mantissa = u64::from(bucket & ((1 << SUB_BITS) - 1)) | (1 << SUB_BITS);
    (mantissa << shift, 1 << shift)
}

fn middle_of(bucket: u32) -> f64 {
    let (low, width) = low_and_width(bucket);
    low as f64 + (width - 1) as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_the_bounds_of_its_bucket() {
        let edges = (0..64).flat_map(|bit| [(1_u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        for value in (0..5000).chain(edges).chain([u64::MAX]) {
            let (low, high) = Histogram::bounds(bucket_of(value));
            assert!(low <= value && value <= high, "{value} is not in {low}..={high}");
            assert!((high - low) as f64 <= value as f64 / 128.0, "{value}: {low}..={high} is too wide");
        }
    }

    #[test]
    fn a_bucket_number_from_outside_never_panics() {
        for bucket in [u32::MAX, 8000, 57 << 7, 58 << 7, 65 << 7] {
            let _ = Histogram::bounds(bucket);
        }
    }

    #[test]
    fn order_of_recording_does_not_matter() {
        let mut up = Histogram::default();
        let mut down = Histogram::default();
        for value in 0..1000 {
            up.record(value * 7, 1);
            down.record((999 - value) * 7, 1);
        }
        assert_eq!(up, down);
        assert_eq!(up.count(), 1000);
    }

    #[test]
    fn quantiles_follow_the_ranks_of_a_sorted_array() {
        let mut histogram = Histogram::default();
        let mut values: Vec<u64> = (1..=1000).map(|i| i * i).collect();
        values.iter().for_each(|&value| histogram.record(value, 1));
        values.sort_unstable();
        for q in [0.0, 0.01, 0.5, 0.95, 0.99, 1.0] {
            let rank = ((q * 1000.0_f64).ceil() as usize).max(1) - 1;
            let exact = values[rank] as f64;
            let got = histogram.quantile(q).unwrap();
            assert!((got / exact - 1.0).abs() < 0.005, "q {q}: {got} instead of {exact}");
        }
    }
}
