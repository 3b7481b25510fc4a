//! The heap and who allocates.

use calor_analysis::{Allocator, HeapAnswer, ScopeMemoryRow};
use calor_model::{Frame, FrameKind, HeapMode, HeapSite, Profile, StackId};
use serde::Serialize;

use super::heap_parts::{
    self, LifetimeBucket, SizeBucket, WireGrowth, WireLeak, WireResidence, WireSuppressed, WireTimeline,
};

/// What a row is about.
#[derive(Serialize)]
pub(crate) struct WirePath<'p> {
    name: &'p str,
    path: Vec<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    python: Option<WirePython<'p>>,
}

/// The Python function that a path went through last, where compiled code below it allocated.
#[derive(Serialize)]
struct WirePython<'p> {
    function: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

#[derive(Serialize)]
pub(super) struct WireAllocator<'r> {
    #[serde(flatten)]
    path: WirePath<'r>,
    allocated_bytes: u64,
    allocated_count: u64,
    live_bytes: Option<u64>,
    peak_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temporary_count: Option<u64>,
    share: f64,
    #[serde(flatten)]
    more: Option<MoreOfAllocator>,
}

/// What a scope allocated and freed, its children included.
#[derive(Serialize)]
pub(super) struct WireScopeMemory<'r> {
    #[serde(flatten)]
    path: WirePath<'r>,
    calls: u64,
    allocated_bytes: u64,
    allocated_count: u64,
    freed_bytes: u64,
    freed_count: u64,
    live_bytes: i128,
    peak_bytes: u64,
}

/// What is known where blocks were followed.
#[derive(Serialize)]
struct MoreOfAllocator {
    live_count: u64,
    peak_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    temporary_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    live_interval: Option<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_interval: Option<[u64; 2]>,
}

#[derive(Serialize)]
pub(crate) struct WireHeap<'p> {
    mode: &'static str,
    // Null where blocks were sampled and none was.
    allocated_bytes: Option<u64>,
    allocated_count: Option<u64>,
    freed_bytes: Option<u64>,
    freed_count: Option<u64>,
    live_bytes: Option<u64>,
    live_count: Option<u64>,
    peak_bytes: u64,
    peak_at_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temporary_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temporary_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mapped: Option<WireMapped>,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaked_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaked_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_leaked_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sampling_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    live_interval: Option<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_interval: Option<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaks: Option<Vec<WireLeak<'p>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressed: Vec<WireSuppressed<'p>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unused_suppressions: Vec<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    growth: Option<WireGrowth<'p>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sizes: Vec<SizeBucket>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lifetimes: Vec<LifetimeBucket>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lifetimes_sampled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<WireResidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline: Option<WireTimeline>,
}

/// The word for how a heap was watched.
pub(super) fn mode_word(mode: HeapMode) -> &'static str {
    match mode {
        HeapMode::Sampled => "sampled",
        _ => "exact",
    }
}

impl<'p> WirePath<'p> {
    pub(crate) fn new(profile: &'p Profile, stack: StackId) -> Self {
        let frame = profile.frames.get(profile.stacks.get(stack).frame);
        let file = |frame: Frame| frame.file.map(|file| profile.strings.get(file));
        let mut frames = profile.stacks.frames(stack).map(|frame| profile.frames.get(frame));
        let python = frames.find(|frame| frame.kind == FrameKind::Python);
        Self {
            name: profile.stack_name(stack),
            path: profile.path_names(stack),
            file: file(frame),
            line: frame.line,
            python: python.map(|frame| WirePython {
                function: profile.strings.get(frame.name),
                file: file(frame),
                line: frame.line,
            }),
        }
    }
}

impl<'r> WireAllocator<'r> {
    pub(super) fn new(profile: &'r Profile, entry: &Allocator) -> Self {
        Self {
            path: WirePath::new(profile, entry.stack),
            allocated_bytes: entry.allocated_bytes,
            allocated_count: entry.allocated_count,
            live_bytes: entry.live_bytes,
            peak_bytes: entry.peak_bytes,
            temporary_count: entry.temporary_count,
            share: entry.share,
            more: entry.site.map(|site| MoreOfAllocator {
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

impl<'r> WireScopeMemory<'r> {
    pub(super) fn new(profile: &'r Profile, entry: &ScopeMemoryRow) -> Self {
        Self {
            path: WirePath::new(profile, entry.stack),
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

/// What the program mapped itself: part of all figures.
#[derive(Serialize)]
struct WireMapped {
    allocated_bytes: u64,
    allocated_count: u64,
    live_bytes: u64,
    peak_bytes: u64,
}

impl WireMapped {
    fn new(site: &HeapSite) -> Self {
        Self {
            allocated_bytes: site.allocated_bytes,
            allocated_count: site.allocated_count,
            live_bytes: site.live_bytes(),
            peak_bytes: site.peak_bytes,
        }
    }
}

impl<'p> WireHeap<'p> {
    /// Lists of paths have at most `top` rows.
    pub(crate) fn new(profile: &'p Profile, heap: &'p HeapAnswer, top: Option<usize>) -> Self {
        let (totals, sum) = (&heap.totals, &heap.totals.sum);
        let known = |figure: u64| totals.has_sums().then_some(figure);
        let top = top.unwrap_or(usize::MAX);
        let histograms = &profile.heap.histograms;
        let leaks = heap.leaks.paths.iter().take(top).map(|path| WireLeak::new(profile, path));
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
            mapped: (heap.mapped.allocated_count > 0).then(|| WireMapped::new(&heap.mapped)),
            leaked_bytes: totals.leaked.map(|leaked| leaked.bytes),
            leaked_count: totals.leaked.map(|leaked| leaked.count),
            not_leaked_bytes: heap.leaks.not_of_the_end().filter(|bytes| *bytes > 0),
            sampling_bytes: totals.sampling_bytes,
            samples: (sum.samples > 0).then_some(sum.samples),
            interval: sum.allocated_interval(),
            live_interval: sum.live_interval(),
            peak_interval: sum.peak_interval(),
            leaks: totals.leaked.map(|_| leaks.collect()),
            suppressed: heap.leaks.suppressed.iter().map(WireSuppressed::new).collect(),
            unused_suppressions: heap.leaks.unused.iter().map(String::as_str).collect(),
            growth: WireGrowth::new(profile, &heap.growth, top),
            sizes: heap_parts::sizes(&histograms.sizes),
            lifetimes: heap_parts::lifetimes(&histograms.lifetimes),
            lifetimes_sampled: (!histograms.lifetimes.is_empty()).then_some(histograms.are_lifetimes_sampled),
            memory: heap.residence.as_ref().map(WireResidence::new),
            timeline: WireTimeline::new(heap),
        }
    }
}
