//! What stands out of a heap.

use calor_model::HeapMode;

use super::{GROWTH_SURE_NANOS, Growth, GrowthTrend, HeapOrder, HeapPath, Residence};
use crate::{HeapTotals, Insight};

/// A place of whose allocations this share of all was freed by the next event is worth a sentence.
const SHORT_LIVED_SHARE: f64 = 0.25;
/// Fewer allocations than these cost nobody anything.
const SHORT_LIVED_COUNT: u64 = 100_000;
/// Growth is worth a sentence if what is sure of it, over the time that was watched, is this share of the peak.
const GROWTH_SHARE: f64 = 0.01;
/// And at least so many bytes.
const GROWTH_BYTES: f64 = 1_048_576.0;
/// Memory beyond the heap is worth a sentence if by this share of it has grown.
const BEYOND_SHARE: f64 = 0.25;
/// And at least by so many bytes: allocators keep some for their own ease.
const BEYOND_BYTES: u64 = 64 << 20;
/// At most so many sentences of a kind.
const MOST_OF_A_KIND: usize = 3;

/// Observations on a heap: what grows, what is temporary, and memory that is not the heap's. `temporary` are places
/// in that order.
#[must_use]
pub fn heap_insights(
    totals: &HeapTotals,
    growth: &Growth,
    temporary: &[HeapPath],
    residence: Option<&Residence>,
) -> Vec<Insight> {
    let mut found = Vec::new();
    if let Growth::Measured { span_nanos, paths, .. } = growth
        && *span_nanos >= GROWTH_SURE_NANOS
    {
        let seconds = *span_nanos as f64 / 1e9;
        let least = GROWTH_BYTES.max(totals.peak_bytes as f64 * GROWTH_SHARE);
        // What fills up may be meant to.
        let steady = paths.iter().filter(|row| row.trend == GrowthTrend::Steady);
        let growing = steady.filter(|row| row.slope.interval[0] * seconds >= least);
        found.extend(growing.take(MOST_OF_A_KIND).filter_map(|row| {
            Some(Insight::GrowingHeap {
                stack: row.stack?,
                bytes_per_second: row.slope.slope,
                last_bytes: row.last_bytes,
            })
        }));
    }
    let all = totals.allocated_count.max(1) as f64;
    found.extend(temporary.iter().take(MOST_OF_A_KIND).filter_map(|path| {
        let count = HeapOrder::Temporary.blocks(&path.site).count;
        let share = count as f64 / all;
        (count >= SHORT_LIVED_COUNT && share >= SHORT_LIVED_SHARE).then_some(Insight::ShortLived {
            stack: path.stack,
            count,
            share,
        })
    }));
    found.extend(residence.filter(|it| is_notable(it, totals.mode)).map(|residence| {
        Insight::MemoryBeyondHeap {
            rss_bytes: residence.end.rss_bytes,
            beyond_bytes: residence.end.beyond_bytes(),
            grown_bytes: residence.beyond_grown_bytes(),
        }
    }));
    found
}

fn is_notable(residence: &Residence, mode: HeapMode) -> bool {
    // Where every block is watched, our own tables take up to a quarter of the heap, if its blocks are small.
    let own_tables = if mode == HeapMode::Exact { residence.peak.live_bytes / 4 } else { 0 };
    let grown = residence.beyond_grown_bytes().saturating_sub(own_tables);
    grown >= BEYOND_BYTES && grown as f64 >= residence.end.rss_bytes as f64 * BEYOND_SHARE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeapMoment, HeapPlaces, ThreadChoice, growth, heap_paths};
    use calor_model::{
        FrameKind, HeapBlocks, HeapKey, HeapSite, HeapSnapshot, HeapSummary, LabelTable, Profile,
    };

    fn found(temporary_count: u64, bytes_per_second: u64) -> Vec<Insight> {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        let stack = profile.intern_named_path(&["main", "work"], FrameKind::Native).unwrap();
        let site = HeapSite {
            allocated_count: 1_000_000,
            allocated_bytes: 1 << 30,
            temporary_count,
            temporary_bytes: temporary_count,
            ..HeapSite::default()
        };
        profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
        profile.heap.summary = Some(HeapSummary::new(HeapMode::Exact, 200 << 20, None));
        for at in 0..10 {
            let second = 4 * at;
            let mut snapshot = HeapSnapshot::new(second * 1_000_000_000);
            snapshot.add(stack, HeapBlocks { count: 1, bytes: 1 + second * bytes_per_second });
            profile.heap.snapshots.add(snapshot);
        }
        let places = HeapPlaces::default();
        let temporary = heap_paths(&profile, &ThreadChoice::All, HeapOrder::Temporary, &places);
        let totals = HeapTotals::of(&profile, &ThreadChoice::All).unwrap();
        heap_insights(&totals, &growth(&profile, &places), &temporary, None)
    }

    #[test]
    fn what_grows_or_is_temporary_is_told_if_it_is_much() {
        assert_eq!(found(90_000, 1_000), []);
        let told = found(600_000, 1 << 20);
        assert!(matches!(told[0], Insight::GrowingHeap { last_bytes, .. } if last_bytes == 1 + (36 << 20)));
        assert!(matches!(told[1], Insight::ShortLived { share, .. } if share == 0.6));
        assert_eq!(told.len(), 2);
    }

    #[test]
    fn memory_beyond_the_heap_is_told_if_it_has_grown_by_much() {
        let moment = |live_bytes, rss_bytes| HeapMoment { at_nanos: 0, live_bytes, rss_bytes };
        let residence = |rss| Residence {
            start: moment(1 << 20, 20 << 20),
            peak: moment(300 << 20, rss),
            end: moment(100 << 20, rss),
        };
        for (rss, sampled, exact) in
            [(150, false, false), (170, false, false), (250, true, false), (300, true, true)]
        {
            let residence = residence(rss << 20);
            assert_eq!(is_notable(&residence, HeapMode::Sampled), sampled, "{rss}");
            assert_eq!(is_notable(&residence, HeapMode::Exact), exact, "{rss}");
        }
    }
}
