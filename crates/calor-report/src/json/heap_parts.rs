//! Parts of the heap that are lists of their own: what leaked, what grew, sizes, lifetimes, and what is over time.

use calor_analysis::{
    Growth, GrowthRow, HeapAnswer, HeapMoment, HeapOrder, HeapPath, Residence, SuppressedLeaks,
};
use calor_model::{CounterPoint, HeapBlocks, HeapHistogram, Profile};
use serde::Serialize;

use super::heap::WirePath;

use crate::section::heap::growth::word;

#[derive(Serialize)]
pub(super) struct WireLeak<'p> {
    #[serde(flatten)]
    path: WirePath<'p>,
    bytes: u64,
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[u64; 2]>,
}

#[derive(Serialize)]
pub(super) struct WireSuppressed<'p> {
    pattern: &'p str,
    paths: usize,
    bytes: u64,
    count: u64,
}

#[derive(Serialize)]
pub(super) struct WireGrowth<'p> {
    snapshots: usize,
    span_ns: u64,
    bytes_per_s: f64,
    interval: [f64; 2],
    paths: Vec<GrowthPath<'p>>,
}

#[derive(Serialize)]
struct GrowthPath<'p> {
    #[serde(flatten)]
    path: WirePath<'p>,
    bytes_per_s: f64,
    interval: [f64; 2],
    lasting: bool,
    trend: &'static str,
    first_bytes: u64,
    last_bytes: u64,
}

#[derive(Serialize)]
pub(super) struct SizeBucket {
    low_bytes: u64,
    high_bytes: u64,
    count: u64,
    bytes: u64,
}

#[derive(Serialize)]
pub(super) struct LifetimeBucket {
    low_ns: u64,
    high_ns: u64,
    count: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct WireMoment {
    at_ns: u64,
    live_bytes: u64,
    rss_bytes: u64,
}

#[derive(Serialize)]
pub(super) struct WireResidence {
    start: WireMoment,
    peak: WireMoment,
    end: WireMoment,
}

/// Pairs of nanoseconds and bytes.
#[derive(Serialize)]
pub(super) struct WireTimeline {
    live: Vec<[u64; 2]>,
    rss: Vec<[u64; 2]>,
}

impl<'p> WireLeak<'p> {
    pub(super) fn new(profile: &'p Profile, path: &HeapPath) -> Self {
        let HeapBlocks { count, bytes } = HeapOrder::Live.blocks(&path.site);
        Self { path: WirePath::new(profile, path.stack), bytes, count, interval: path.site.live_interval() }
    }
}

impl<'p> WireSuppressed<'p> {
    pub(super) fn new(of: &'p SuppressedLeaks) -> Self {
        let HeapBlocks { count, bytes } = of.blocks;
        Self { pattern: &of.pattern, paths: of.n_paths, bytes, count }
    }
}

impl<'p> WireGrowth<'p> {
    pub(super) fn new(profile: &'p Profile, growth: &Growth, top: usize) -> Option<Self> {
        let Growth::Measured { snapshots, span_nanos, total, paths } = growth else { return None };
        let path = |row: &GrowthRow| {
            Some(GrowthPath {
                path: WirePath::new(profile, row.stack?),
                bytes_per_s: row.slope.slope,
                interval: row.slope.interval,
                lasting: row.is_growing(),
                trend: word(row.trend),
                first_bytes: row.first_bytes,
                last_bytes: row.last_bytes,
            })
        };
        Some(Self {
            snapshots: *snapshots,
            span_ns: *span_nanos,
            bytes_per_s: total.slope.slope,
            interval: total.slope.interval,
            paths: paths.iter().filter_map(path).take(top).collect(),
        })
    }
}

impl WireResidence {
    pub(super) fn new(residence: &Residence) -> Self {
        let moment = |moment: &HeapMoment| WireMoment {
            at_ns: moment.at_nanos,
            live_bytes: moment.live_bytes,
            rss_bytes: moment.rss_bytes,
        };
        Self { start: moment(&residence.start), peak: moment(&residence.peak), end: moment(&residence.end) }
    }
}

impl WireTimeline {
    /// `None` when nobody looked.
    pub(super) fn new(heap: &HeapAnswer) -> Option<Self> {
        let pairs = |points: &[CounterPoint]| -> Vec<[u64; 2]> {
            points.iter().map(|point| [point.at_nanos, point.value.max(0.0) as u64]).collect()
        };
        let (live, rss) = (pairs(&heap.live_points), pairs(&heap.rss_points));
        (!live.is_empty()).then_some(Self { live, rss })
    }
}

/// Sizes of allocations.
pub(super) fn sizes(histogram: &HeapHistogram) -> Vec<SizeBucket> {
    let bucket = |(bucket, HeapBlocks { count, bytes }): (u8, HeapBlocks)| {
        let (low_bytes, high_bytes) = HeapHistogram::bounds(bucket);
        SizeBucket { low_bytes, high_bytes, count, bytes }
    };
    histogram.iter().map(bucket).collect()
}

/// Lifetimes of freed blocks.
pub(super) fn lifetimes(histogram: &HeapHistogram) -> Vec<LifetimeBucket> {
    let bucket = |(bucket, HeapBlocks { count, bytes }): (u8, HeapBlocks)| {
        let (low_ns, high_ns) = HeapHistogram::bounds(bucket);
        LifetimeBucket { low_ns, high_ns, count, bytes }
    };
    histogram.iter().map(bucket).collect()
}
