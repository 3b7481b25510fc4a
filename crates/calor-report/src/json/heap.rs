//! The heap and who allocates.

use calor_analysis::{Allocator, HeapTotals};
use calor_model::HeapMode;
use serde::Serialize;

use crate::facts::Report;

#[derive(Serialize)]
pub(super) struct WireAllocator<'r> {
    name: &'r str,
    path: Vec<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    allocated_bytes: u64,
    allocated_count: u64,
    live_bytes: Option<u64>,
    peak_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temporary_count: Option<u64>,
    share: f64,
}

#[derive(Serialize)]
pub(super) struct WireHeap {
    mode: &'static str,
    allocated_bytes: u64,
    allocated_count: u64,
    freed_bytes: u64,
    freed_count: u64,
    live_bytes: u64,
    live_count: u64,
    peak_bytes: u64,
    peak_at_ns: Option<u64>,
}

impl<'r> WireAllocator<'r> {
    pub(super) fn new(report: &'r Report<'_>, entry: &Allocator) -> Self {
        let profile = report.profile;
        let frame = profile.frames.get(profile.stacks.get(entry.stack).frame);
        Self {
            name: profile.stack_name(entry.stack),
            path: profile.path_names(entry.stack),
            file: frame.file.map(|file| profile.strings.get(file)),
            line: frame.line,
            allocated_bytes: entry.allocated_bytes,
            allocated_count: entry.allocated_count,
            live_bytes: entry.live_bytes,
            peak_bytes: entry.peak_bytes,
            temporary_count: entry.temporary_count,
            share: entry.share,
        }
    }
}

impl WireHeap {
    pub(super) fn new(heap: &HeapTotals) -> Self {
        Self {
            mode: match heap.mode {
                HeapMode::Sampled => "sampled",
                _ => "exact",
            },
            allocated_bytes: heap.allocated_bytes,
            allocated_count: heap.allocated_count,
            freed_bytes: heap.freed_bytes,
            freed_count: heap.freed_count,
            live_bytes: heap.allocated_bytes.saturating_sub(heap.freed_bytes),
            live_count: heap.allocated_count.saturating_sub(heap.freed_count),
            peak_bytes: heap.peak_bytes,
            peak_at_ns: heap.peak_at_nanos,
        }
    }
}
