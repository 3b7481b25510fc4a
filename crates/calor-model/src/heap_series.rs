//! The heap over time: what the program held and what the machine gave it for that, as two series of the
//! [`CounterTable`](crate::CounterTable). Side by side they show how much of the memory is not the heap's.

use crate::{CounterKey, CounterPoint, Profile};

/// The name of the series of bytes that were allocated and not freed.
pub const HEAP_LIVE: &str = "heap live";

/// The name of the series of bytes that were in the machine's memory (resident set).
pub const RSS: &str = "rss";

/// How many points a recorder keeps of each.
const MOST_POINTS: usize = 1024;

impl Profile {
    /// Adds what was held at an instant by all watched processes together, as a recorder sees it. However long it
    /// runs, about a thousand points are kept; of points that are too near to each other the largest stays.
    pub fn push_heap_point(&mut self, at_nanos: u64, live_bytes: Option<u64>, rss_bytes: Option<u64>) {
        for (name, bytes) in [(HEAP_LIVE, live_bytes), (RSS, rss_bytes)] {
            if let Some(bytes) = bytes {
                let key = CounterKey {
                    name: self.strings.intern(name),
                    unit: self.strings.intern("bytes"),
                    thread: None,
                };
                let points = self.counters.series_mut(key);
                points.push(CounterPoint { at_nanos, value: bytes as f64 });
                if points.len() > MOST_POINTS {
                    thin(points, MOST_POINTS as u64 / 2);
                }
            }
        }
    }

    /// One of these series, in order of time; empty where nobody watched.
    #[must_use]
    pub fn heap_points(&self, name: &str) -> Vec<CounterPoint> {
        let (Some(name), Some(unit)) = (self.strings.find(name), self.strings.find("bytes")) else {
            return Vec::new();
        };
        let points = self.counters.get(&CounterKey { name, unit, thread: None });
        let mut points = points.unwrap_or_default().to_vec();
        points.sort_by_key(|point| point.at_nanos);
        points
    }
}

/// Keeps the largest point of each of `n_stretches` of time of one length.
fn thin(points: &mut Vec<CounterPoint>, n_stretches: u64) {
    points.sort_by_key(|point| point.at_nanos);
    let first = points.first().map_or(0, |point| point.at_nanos);
    let span = points.last().map_or(0, |point| point.at_nanos - first);
    let stretch = |point: &CounterPoint| (point.at_nanos - first) / (span / n_stretches + 1);
    let mut kept: Vec<CounterPoint> = Vec::with_capacity(MOST_POINTS + 1);
    for point in points.drain(..) {
        match kept.last_mut() {
            Some(last) if stretch(last) == stretch(&point) => {
                if point.value > last.value {
                    *last = point;
                }
            }
            _ => kept.push(point),
        }
    }
    *points = kept;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_series_stays_short_and_keeps_its_peaks() {
        let mut profile = Profile::default();
        for second in 0..100_000 {
            let bytes = if second % 33_333 == 777 { 1 << 30 } else { second };
            profile.push_heap_point(second * 1_000_000_000, Some(bytes), (second % 2 == 0).then_some(5));
        }
        let live = profile.heap_points(HEAP_LIVE);
        assert!(live.len() <= MOST_POINTS && live.len() > MOST_POINTS / 3, "{}", live.len());
        assert_eq!(live.iter().filter(|point| point.value == f64::from(1 << 30)).count(), 3);
        assert!(live.is_sorted_by_key(|point| point.at_nanos));
        // The first half of the run has its share of the points.
        let n_early = live.iter().filter(|point| point.at_nanos < 50_000_000_000_000).count();
        assert!(n_early * 4 > live.len(), "{n_early} of {}", live.len());
        assert!(profile.heap_points(RSS).len() <= MOST_POINTS);
        assert!(profile.heap_points("loss").is_empty());
    }
}
