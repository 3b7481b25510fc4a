//! Parts of the heap that are lists of their own: what leaked, what grew, sizes, lifetimes, and what is over time.

use calor_analysis::{GrowthRow, HeapAnswer, HeapOrder};
use calor_model::{CounterPoint, HeapBlocks, HeapHistogram, Profile};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::HeapPath;
#[cfg(feature = "schema")]
use crate::words;

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Leak<'w> {
    #[serde(flatten)]
    pub path: HeapPath<'w>,
    pub bytes: u64,
    pub count: u64,
    /// Of bytes, with 95 % certainty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[u64; 2]>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SuppressedLeaks<'w> {
    pub pattern: &'w str,
    pub paths: usize,
    pub bytes: u64,
    pub count: u64,
}

/// Slopes of what was held, over the snapshots; absent when there are fewer than eight of one run, or they are
/// over less than three seconds.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Growth<'w> {
    pub snapshots: usize,
    pub span_ns: u64,
    /// Of the whole heap.
    pub bytes_per_s: f64,
    /// Of that, with 95 % certainty.
    pub interval: [f64; 2],
    /// Paths that grew with 95 % certainty; those that still did in the later half first.
    pub paths: Vec<GrowthPath<'w>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GrowthPath<'w> {
    #[serde(flatten)]
    pub path: HeapPath<'w>,
    pub bytes_per_s: f64,
    pub interval: [f64; 2],
    /// Whether it also grew in the later half.
    pub lasting: bool,
    /// Slowing: less than half as fast in the later half; settled: not with certainty in the later half.
    #[cfg_attr(feature = "schema", schemars(with = "words::GrowthTrend"))]
    pub trend: &'static str,
    pub first_bytes: u64,
    pub last_bytes: u64,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SizeBucket {
    pub low_bytes: u64,
    pub high_bytes: u64,
    pub count: u64,
    pub bytes: u64,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LifetimeBucket {
    pub low_ns: u64,
    pub high_ns: u64,
    pub count: u64,
    pub bytes: u64,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HeapMoment {
    pub at_ns: u64,
    pub live_bytes: u64,
    pub rss_bytes: u64,
}

/// The heap beside the memory of the program (resident set), the tables of the recorder in it included.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Residence {
    pub start: HeapMoment,
    pub peak: HeapMoment,
    pub end: HeapMoment,
}

/// Pairs of nanoseconds from the start and bytes.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Timeline {
    pub live: Vec<[u64; 2]>,
    pub rss: Vec<[u64; 2]>,
}

impl<'w> Leak<'w> {
    /// Of the answer.
    #[must_use]
    pub fn new(profile: &'w Profile, path: &calor_analysis::HeapPath) -> Self {
        let HeapBlocks { count, bytes } = HeapOrder::Live.blocks(&path.site);
        Self { path: HeapPath::new(profile, path.stack), bytes, count, interval: path.site.live_interval() }
    }
}

impl<'w> SuppressedLeaks<'w> {
    /// Of the answer.
    #[must_use]
    pub fn new(of: &'w calor_analysis::SuppressedLeaks) -> Self {
        let HeapBlocks { count, bytes } = of.blocks;
        Self { pattern: &of.pattern, paths: of.n_paths, bytes, count }
    }
}

impl<'w> Growth<'w> {
    /// Of the answer.
    #[must_use]
    pub fn new(profile: &'w Profile, growth: &calor_analysis::Growth, top: usize) -> Option<Self> {
        let calor_analysis::Growth::Measured { snapshots, span_nanos, total, paths } = growth else {
            return None;
        };
        let path = |row: &GrowthRow| {
            Some(GrowthPath {
                path: HeapPath::new(profile, row.stack?),
                bytes_per_s: row.slope.slope,
                interval: row.slope.interval,
                lasting: row.is_growing(),
                trend: row.trend.word(),
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

impl Residence {
    /// Of the answer.
    #[must_use]
    pub fn new(residence: &calor_analysis::Residence) -> Self {
        let moment = |moment: &calor_analysis::HeapMoment| HeapMoment {
            at_ns: moment.at_nanos,
            live_bytes: moment.live_bytes,
            rss_bytes: moment.rss_bytes,
        };
        Self { start: moment(&residence.start), peak: moment(&residence.peak), end: moment(&residence.end) }
    }
}

impl Timeline {
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
