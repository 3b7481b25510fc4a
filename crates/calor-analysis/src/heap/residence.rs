//! The heap beside the memory that the program has: what is more there is code, stacks, other mappings, and what the
//! allocator keeps for itself because free blocks lie scattered between used ones.

use calor_model::{CounterPoint, HEAP_LIVE, Profile, RSS};

/// What the program held and had at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeapMoment {
    /// When, in nanoseconds from the start of the run.
    pub at_nanos: u64,
    /// Bytes that were allocated and not freed.
    pub live_bytes: u64,
    /// Bytes in the machine's memory.
    pub rss_bytes: u64,
}

/// Heap and memory at the moments that matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Residence {
    /// When watching began: what is beyond the heap here was there without it.
    pub start: HeapMoment,
    /// When the heap was largest, of the moments that were looked at.
    pub peak: HeapMoment,
    /// When watching ended.
    pub end: HeapMoment,
}

impl HeapMoment {
    /// Memory that is not what the program holds on its heap.
    #[must_use]
    pub fn beyond_bytes(&self) -> u64 {
        self.rss_bytes.saturating_sub(self.live_bytes)
    }
}

impl Residence {
    /// What a profile tells; `None` where heap and memory were not both watched over time.
    #[must_use]
    pub fn of(profile: &Profile) -> Option<Self> {
        let (live, rss) = (profile.heap_points(HEAP_LIVE), profile.heap_points(RSS));
        let moment = |point: &CounterPoint| {
            let rss = nearest(&rss, point.at_nanos)?;
            let (live_bytes, rss_bytes) = (point.value as u64, rss.value as u64);
            Some(HeapMoment { at_nanos: point.at_nanos, live_bytes, rss_bytes })
        };
        let largest =
            live.iter().reduce(|most, point| if point.value > most.value { point } else { most })?;
        Some(Self { start: moment(live.first()?)?, peak: moment(largest)?, end: moment(live.last()?)? })
    }

    /// By how much what is beyond the heap grew from the start to the end.
    #[must_use]
    pub fn beyond_grown_bytes(&self) -> u64 {
        self.end.beyond_bytes().saturating_sub(self.start.beyond_bytes())
    }
}

/// The point of a series, in order of time, that lies nearest to a moment.
fn nearest(points: &[CounterPoint], at_nanos: u64) -> Option<&CounterPoint> {
    let after = points.partition_point(|point| point.at_nanos < at_nanos);
    let around = points.get(after.saturating_sub(1)..(after + 1).min(points.len()))?;
    around.iter().min_by_key(|point| point.at_nanos.abs_diff(at_nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_peak_and_end_have_the_memory_of_that_moment() {
        let mut profile = Profile::default();
        for (at, live, rss) in [(0, 10, 50), (10, 90, 140), (20, 70, 145), (30, 20, 120)] {
            profile.push_heap_point(at, Some(live), Some(rss));
        }
        let found = Residence::of(&profile).unwrap();
        assert_eq!(found.start, HeapMoment { at_nanos: 0, live_bytes: 10, rss_bytes: 50 });
        assert_eq!(found.peak, HeapMoment { at_nanos: 10, live_bytes: 90, rss_bytes: 140 });
        assert_eq!(found.end, HeapMoment { at_nanos: 30, live_bytes: 20, rss_bytes: 120 });
        assert_eq!((found.end.beyond_bytes(), found.beyond_grown_bytes()), (100, 60));
    }

    #[test]
    fn a_series_alone_tells_nothing() {
        let mut profile = Profile::default();
        assert_eq!(Residence::of(&profile), None);
        profile.push_heap_point(5, Some(10), None);
        assert_eq!(Residence::of(&profile), None);
        profile.push_heap_point(7, None, Some(10));
        assert!(Residence::of(&profile).is_some());
    }
}
