//! Statistics of a set of durations: exact count, total, minimum, maximum and spread, percentiles by histogram.

use crate::Histogram;

/// The histogram counts in sixteenths of a nanosecond, so that durations of a few ticks keep their resolution.
const HISTOGRAM_UNITS_PER_NANO: f64 = 16.0;

/// What is known of a set of durations in nanoseconds.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DurationStats {
    /// How many durations.
    pub count: u64,
    /// Their sum.
    pub total_nanos: u64,
    /// The shortest; meaningless while `count` is 0.
    pub min_nanos: u64,
    /// The longest.
    pub max_nanos: u64,
    /// The sum of squared distances from the mean, in nanoseconds squared.
    pub squared_deviations: f64,
    histogram: Histogram,
}

impl DurationStats {
    /// Adds one duration.
    pub fn record(&mut self, nanos: u64) {
        let one =
            Self { count: 1, total_nanos: nanos, min_nanos: nanos, max_nanos: nanos, ..Self::default() };
        self.add(&one);
        self.add_to_histogram(nanos as f64, 1);
    }

    /// Adds `count` durations near `nanos` to the histogram alone: for a recorder that keeps its own buckets
    /// and fills in the exact fields itself.
    pub fn add_to_histogram(&mut self, nanos: f64, count: u64) {
        self.histogram.record((nanos * HISTOGRAM_UNITS_PER_NANO) as u64, count);
    }

    /// Makes room for so many buckets of the histogram at once.
    pub fn reserve_histogram(&mut self, buckets: usize) {
        self.histogram.reserve(buckets);
    }

    /// The same, by bucket number as read from [`DurationStats::histogram`].
    #[inline]
    pub fn add_histogram_bucket(&mut self, bucket: u32, count: u64) {
        self.histogram.add_bucket(bucket, count);
    }

    /// The histogram, in sixteenths of a nanosecond.
    #[must_use]
    pub fn histogram(&self) -> &Histogram {
        &self.histogram
    }

    /// Adds everything that `other` holds. Counts, totals, extremes and histograms add up exactly in any
    /// order; the spread to within the rounding of a float.
    pub fn add(&mut self, other: &Self) {
        if other.count == 0 {
            self.histogram.add(&other.histogram);
            return;
        }
        if self.count == 0 {
            let own = std::mem::take(&mut self.histogram);
            self.clone_from(other);
            self.histogram.add(&own);
            return;
        }
        let (n_self, n_other) = (self.count as f64, other.count as f64);
        let distance = self.total_nanos as f64 / n_self - other.total_nanos as f64 / n_other;
        self.squared_deviations +=
            other.squared_deviations + distance * distance * (n_self * n_other / (n_self + n_other));
        self.count = self.count.saturating_add(other.count);
        self.total_nanos = self.total_nanos.saturating_add(other.total_nanos);
        self.min_nanos = self.min_nanos.min(other.min_nanos);
        self.max_nanos = self.max_nanos.max(other.max_nanos);
        self.histogram.add(&other.histogram);
    }

    /// The mean; `None` when there is nothing to take it of.
    #[must_use]
    pub fn mean_nanos(&self) -> Option<f64> {
        (self.count > 0).then(|| self.total_nanos as f64 / self.count as f64)
    }

    /// The standard deviation of the recorded durations themselves (divided by their number, not by one less).
    #[must_use]
    pub fn stddev_nanos(&self) -> Option<f64> {
        (self.count > 0).then(|| (self.squared_deviations.max(0.0) / self.count as f64).sqrt())
    }

    /// The duration that a share `q` (0 to 1) of all durations does not exceed.
    #[must_use]
    pub fn quantile_nanos(&self, q: f64) -> Option<f64> {
        let middle = self.histogram.quantile(q)? / HISTOGRAM_UNITS_PER_NANO;
        // The true value lies between the extremes, which are known exactly.
        (self.count > 0)
            .then(|| middle.clamp(self.min_nanos as f64, self.max_nanos.max(self.min_nanos) as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(durations: &[u64]) -> DurationStats {
        let mut stats = DurationStats::default();
        durations.iter().for_each(|&nanos| stats.record(nanos));
        stats
    }

    #[test]
    fn nothing_recorded_has_no_mean_instead_of_zero() {
        let stats = DurationStats::default();
        assert_eq!((stats.mean_nanos(), stats.stddev_nanos(), stats.quantile_nanos(0.5)), (None, None, None));
    }

    #[test]
    fn spread_survives_a_mean_that_is_much_larger() {
        let stats = stats(&[1_000_000_000_000, 1_000_000_000_002, 1_000_000_000_004]);
        let exact = (8.0_f64 / 3.0).sqrt();
        assert!((stats.stddev_nanos().unwrap() / exact - 1.0).abs() < 1e-9);
    }

    #[test]
    fn adding_parts_equals_recording_the_whole() {
        let all: Vec<u64> = (1..200).map(|i| i * 37 % 1001 + 1).collect();
        let (left, right) = all.split_at(70);
        let (mut sum, whole) = (stats(left), stats(&all));
        sum.add(&stats(right));
        assert_eq!(
            (sum.count, sum.total_nanos, sum.min_nanos),
            (whole.count, whole.total_nanos, whole.min_nanos)
        );
        assert_eq!(sum.histogram(), whole.histogram());
        assert!((sum.stddev_nanos().unwrap() / whole.stddev_nanos().unwrap() - 1.0).abs() < 1e-12);
    }
}
