//! The heap of a profile: `heap/1`, and the heap in `report/1`.

mod difference;
mod parts;

use calor_analysis::{HeapAnswer, ScopeMemoryRow};
use calor_model::{HeapMode, HeapSite, Profile};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

pub use self::difference::{Change, HeapDifference, Side};
pub use self::parts::{
    Growth, GrowthPath, HeapMoment, Leak, LifetimeBucket, Residence, SizeBucket, SuppressedLeaks, Timeline,
};
use self::parts::{lifetimes, sizes};
#[cfg(feature = "schema")]
use crate::words;
use crate::{HeapPath, Schema};

/// The heap of a profile. Times are whole nanoseconds (_ns), sizes are
/// bytes (_bytes). What could not be measured is null or absent; it is never 0.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HeapReport<'w> {
    /// What was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<&'w str>,
    pub heap: Heap<'w>,
    /// Call paths by the bytes they allocated themselves, the most first.
    pub allocators: Vec<Allocator<'w>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Heap<'w> {
    #[cfg_attr(feature = "schema", schemars(with = "words::HeapMode"))]
    pub mode: &'static str,
    /// Null where blocks were sampled and none was.
    pub allocated_bytes: Option<u64>,
    pub allocated_count: Option<u64>,
    pub freed_bytes: Option<u64>,
    pub freed_count: Option<u64>,
    pub live_bytes: Option<u64>,
    pub live_count: Option<u64>,
    pub peak_bytes: u64,
    pub peak_at_ns: Option<u64>,
    /// Bytes of blocks that the next event of their thread on the heap freed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temporary_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temporary_count: Option<u64>,
    /// What the program mapped itself (mmap), where there is any: part of all other figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mapped: Option<Mapped>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaked_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaked_count: Option<u64>,
    /// Held, and among leaks, by processes that became another program (exec), were killed or go on; absent where
    /// there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_leaked_bytes: Option<u64>,
    /// Bytes between two samples in the mean; absent when every allocation was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling_bytes: Option<u64>,
    /// Sampled allocations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// Of allocated_bytes, with 95 % certainty: low, high; absent when it is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[u64; 2]>,
    /// The same of live_bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live_interval: Option<[u64; 2]>,
    /// The same of peak_bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_interval: Option<[u64; 2]>,
    /// What was held when the program ended, the most bytes first; absent when it was not seen to end by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaks: Option<Vec<Leak<'w>>>,
    /// Leaks that are known, by pattern.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suppressed: Vec<SuppressedLeaks<'w>>,
    /// Patterns of known leaks that suppressed nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unused_suppressions: Vec<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth<'w>>,
    /// Allocations by size, from low_bytes to high_bytes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<SizeBucket>,
    /// Freed blocks by the time they lived, from low_ns to high_ns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lifetimes: Vec<LifetimeBucket>,
    /// Whether lifetimes are of sampled blocks, which they also are where all else is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifetimes_sampled: Option<bool>,
    /// The heap beside the memory of the program (resident set), the tables of the recorder in it included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Residence>,
    /// Pairs of nanoseconds from the start and bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
}

/// What the program mapped itself (mmap), where there is any: part of all other figures.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Mapped {
    pub allocated_bytes: u64,
    pub allocated_count: u64,
    pub live_bytes: u64,
    pub peak_bytes: u64,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Allocator<'w> {
    #[serde(flatten)]
    pub path: HeapPath<'w>,
    pub allocated_bytes: u64,
    pub allocated_count: u64,
    pub live_bytes: Option<u64>,
    /// Its bytes at the moment the whole heap was largest.
    pub peak_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temporary_count: Option<u64>,
    pub share: f64,
    #[serde(flatten)]
    pub more: Option<Blocks>,
}

/// What is known where blocks were followed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Blocks {
    pub live_count: u64,
    pub peak_count: u64,
    /// Bytes of blocks that the next event of their thread on the heap freed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temporary_bytes: Option<u64>,
    /// Sampled allocations behind the estimates; absent when figures are exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// Of allocated_bytes, with 95 % certainty: low, high; absent when it is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[u64; 2]>,
    /// The same of live_bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live_interval: Option<[u64; 2]>,
    /// The same of peak_bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_interval: Option<[u64; 2]>,
}

/// What a scope allocated and freed, its children included.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ScopeMemory<'w> {
    #[serde(flatten)]
    pub path: HeapPath<'w>,
    pub calls: u64,
    /// Children included.
    pub allocated_bytes: u64,
    pub allocated_count: u64,
    /// Inside the scope, whoever allocated them.
    pub freed_bytes: u64,
    pub freed_count: u64,
    /// Allocated less freed; below 0 for a scope that frees what others allocated.
    pub live_bytes: i128,
    /// The most that one call held above what was there when it began.
    pub peak_bytes: u64,
}

impl Schema for HeapReport<'_> {
    const NAME: &'static str = "calor/heap/1";
}

impl<'w> Heap<'w> {
    /// Lists of paths have at most `top` rows.
    #[must_use]
    pub fn new(profile: &'w Profile, heap: &'w HeapAnswer, top: Option<usize>) -> Self {
        let (totals, sum) = (&heap.totals, &heap.totals.sum);
        let known = |figure: u64| totals.has_sums().then_some(figure);
        let top = top.unwrap_or(usize::MAX);
        let histograms = &profile.heap.histograms;
        let leaks = heap.leaks.paths.iter().take(top).map(|path| Leak::new(profile, path));
        Self {
            mode: mode_word(totals.mode),
            allocated_bytes: known(totals.allocated_bytes),
            allocated_count: known(totals.allocated_count),
            freed_bytes: known(totals.freed_bytes),
            freed_count: known(totals.freed_count),
            live_bytes: known(sum.live_bytes()),
            live_count: known(sum.live_count()),
            peak_bytes: totals.peak_bytes,
            peak_at_ns: totals.peak_at_nanos,
            temporary_bytes: totals.knows_temporary().then_some(sum.temporary_bytes),
            temporary_count: totals.knows_temporary().then_some(sum.temporary_count),
            mapped: (heap.mapped.allocated_count > 0).then(|| Mapped::new(&heap.mapped)),
            leaked_bytes: totals.leaked.map(|leaked| leaked.bytes),
            leaked_count: totals.leaked.map(|leaked| leaked.count),
            not_leaked_bytes: heap.leaks.not_of_the_end().filter(|bytes| *bytes > 0),
            sampling_bytes: totals.sampling_bytes,
            samples: (sum.samples > 0).then_some(sum.samples),
            interval: sum.allocated_interval(),
            live_interval: sum.live_interval(),
            peak_interval: sum.peak_interval(),
            leaks: totals.leaked.map(|_| leaks.collect()),
            suppressed: heap.leaks.suppressed.iter().map(SuppressedLeaks::new).collect(),
            unused_suppressions: heap.leaks.unused.iter().map(String::as_str).collect(),
            growth: Growth::new(profile, &heap.growth, top),
            sizes: sizes(&histograms.sizes),
            lifetimes: lifetimes(&histograms.lifetimes),
            lifetimes_sampled: (!histograms.lifetimes.is_empty()).then_some(histograms.are_lifetimes_sampled),
            memory: heap.residence.as_ref().map(Residence::new),
            timeline: Timeline::new(heap),
        }
    }
}

impl<'w> Allocator<'w> {
    /// Of a row of the answer.
    #[must_use]
    pub fn new(profile: &'w Profile, entry: &calor_analysis::Allocator) -> Self {
        Self {
            path: HeapPath::new(profile, entry.stack),
            allocated_bytes: entry.allocated_bytes,
            allocated_count: entry.allocated_count,
            live_bytes: entry.live_bytes,
            peak_bytes: entry.peak_bytes,
            temporary_count: entry.temporary_count,
            share: entry.share,
            more: entry.site.map(|site| Blocks {
                live_count: site.live_count(),
                peak_count: site.peak_count,
                temporary_bytes: entry.temporary_count.map(|_| site.temporary_bytes),
                samples: (site.samples > 0).then_some(site.samples),
                interval: site.allocated_interval(),
                live_interval: site.live_interval(),
                peak_interval: site.peak_interval(),
            }),
        }
    }
}

impl<'w> ScopeMemory<'w> {
    /// Of a row of the answer.
    #[must_use]
    pub fn new(profile: &'w Profile, entry: &ScopeMemoryRow) -> Self {
        Self {
            path: HeapPath::new(profile, entry.stack),
            calls: entry.calls,
            allocated_bytes: entry.memory.allocated_bytes,
            allocated_count: entry.memory.allocated_count,
            freed_bytes: entry.memory.freed_bytes,
            freed_count: entry.memory.freed_count,
            live_bytes: entry.kept_bytes(),
            peak_bytes: entry.memory.peak_bytes,
        }
    }
}

impl Mapped {
    /// Of the site that stands for mappings.
    #[must_use]
    pub fn new(site: &HeapSite) -> Self {
        Self {
            allocated_bytes: site.allocated_bytes,
            allocated_count: site.allocated_count,
            live_bytes: site.live_bytes(),
            peak_bytes: site.peak_bytes,
        }
    }
}

/// The word for how a heap was watched.
fn mode_word(mode: HeapMode) -> &'static str {
    match mode {
        HeapMode::Sampled => "sampled",
        _ => "exact",
    }
}
