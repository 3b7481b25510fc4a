//! The values of samples as rows of the profile's tables: samples, scopes, allocations, work on GPUs.

use std::collections::HashMap;

use calor_model::{
    CopyKey, CopyStats, DurationStats, HeapKey, HeapMode, HeapSite, HeapSummary, KernelKey, Profile,
    SampleKey, SampleKind, SampleWeight, ScopeKey, ScopeStats, StackId, ThreadId, Warning,
};

use super::columns::Columns;
use super::labels::Tags;
use super::role::{Amounts, Role};

/// The kinds of samples with their roles.
const SAMPLES: [(SampleKind, Role, Role); 3] = [
    (SampleKind::Cpu, Role::CpuCount, Role::CpuNanos),
    (SampleKind::Wall, Role::WallCount, Role::WallNanos),
    (SampleKind::OffCpu, Role::OffCpuCount, Role::OffCpuNanos),
];

/// Puts values where they belong.
pub(super) struct Rows {
    pub(super) columns: Columns,
    heap_mode: Option<HeapMode>,
    has_live: bool,
    has_peak: bool,
    has_allocated: bool,
    has_heap: bool,
    peak_bytes: u64,
}

impl Rows {
    pub(super) fn new(columns: Columns, heap_mode: Option<HeapMode>) -> Self {
        let has_any = |roles: &[Role]| roles.iter().any(|role| columns.has(*role));
        let has_live = has_any(&[Role::LiveCount, Role::LiveBytes]);
        let has_peak = has_any(&[Role::PeakCount, Role::PeakBytes]);
        let has_allocated = has_any(&[Role::AllocatedCount, Role::AllocatedBytes]);
        let has_temporary = has_any(&[Role::TemporaryCount, Role::TemporaryBytes]);
        let has_heap = has_live || has_peak || has_allocated || has_temporary;
        Self { columns, heap_mode, has_live, has_peak, has_allocated, has_heap, peak_bytes: 0 }
    }

    pub(super) fn add(&mut self, stack: StackId, tags: Tags, mut amounts: Amounts, profile: &mut Profile) {
        let Tags { thread, labels, .. } = tags;
        for (kind, count, nanos) in SAMPLES {
            self.columns.complete(&mut amounts, count, nanos);
            let weight = SampleWeight { count: amounts[count], nanos: amounts[nanos] };
            if weight != SampleWeight::default() {
                profile.samples.add(SampleKey { kind, stack, thread, labels, at_nanos: None }, weight);
            }
        }
        if (amounts[Role::ScopeCalls], amounts[Role::ScopeNanos]) != (0, 0) {
            // The time without that of the scopes inside, until `finish` adds theirs.
            let calls = amounts[Role::ScopeCalls];
            let stats = ScopeStats { calls, total_nanos: amounts[Role::ScopeNanos], ..ScopeStats::default() };
            profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
        }
        if self.has_heap {
            let site = self.heap_site(&amounts);
            if site != HeapSite::default() {
                self.peak_bytes = self.peak_bytes.saturating_add(site.peak_bytes);
                profile.heap.add(HeapKey { stack, thread, labels }, &site);
            }
        }
        if [Role::GpuCount, Role::GpuNanos, Role::GpuBytes].iter().any(|role| amounts[*role] > 0) {
            add_gpu(stack, tags, &amounts, profile);
        }
    }

    fn heap_site(&self, amounts: &Amounts) -> HeapSite {
        // What a call path holds it has allocated, also where only the former is told.
        let mut allocated_bytes = amounts[Role::AllocatedBytes].max(amounts[Role::LiveBytes]);
        let mut allocated_count = amounts[Role::AllocatedCount].max(amounts[Role::LiveCount]);
        if !self.has_allocated {
            allocated_bytes = allocated_bytes.max(amounts[Role::TemporaryBytes]);
            allocated_count = allocated_count.max(amounts[Role::TemporaryCount]);
        }
        let peak = if self.has_peak {
            [Role::PeakBytes, Role::PeakCount]
        } else {
            [Role::LiveBytes, Role::LiveCount]
        };
        HeapSite {
            allocated_bytes,
            allocated_count,
            freed_bytes: allocated_bytes - amounts[Role::LiveBytes],
            freed_count: allocated_count - amounts[Role::LiveCount],
            peak_bytes: amounts[peak[0]],
            peak_count: amounts[peak[1]],
            temporary_count: amounts[Role::TemporaryCount],
            temporary_bytes: amounts[Role::TemporaryBytes],
            ..HeapSite::default()
        }
    }

    /// Says what the values could not tell, and adds to every scope the time of those inside it.
    pub(super) fn finish(self, profile: &mut Profile) {
        self.columns.warn(profile);
        if self.has_heap {
            let mode = self.heap_mode.unwrap_or(HeapMode::Sampled);
            profile.heap.summary = Some(HeapSummary::new(mode, self.peak_bytes, None));
            if !self.has_live {
                let message = "the file tells what was allocated and not what was kept: all counts as freed";
                profile.warn(Warning::new("heap_live_unknown", message));
            }
            if !self.has_peak {
                let message = "the file does not tell when the heap was largest: what was held when it was written \
                               stands for the peak";
                profile.warn(Warning::new("heap_peak_unknown", message));
            }
        }
        if !profile.scopes.is_empty() || !profile.gpu.is_empty() {
            let message =
                "the file tells how long calls took together, not each of them: there are no percentiles";
            profile.warn(Warning::new("durations_unknown", message));
        }
        add_inner_scopes(profile);
    }
}

/// Callers stand before callees in the table of call paths, so from its end on every scope is complete before
/// it is added to its caller. That is the nearest one further out that is a scope; where it has several rows, the one with the
/// same labels, or else the first.
fn add_inner_scopes(profile: &mut Profile) {
    let mut keys: Vec<ScopeKey> = profile.scopes.iter().map(|(key, _)| key).collect();
    let mut first: HashMap<(StackId, ThreadId), ScopeKey> = HashMap::new();
    keys.iter().for_each(|key| {
        first.entry((key.stack, key.thread)).or_insert(*key);
    });
    keys.sort_unstable_by_key(|key| std::cmp::Reverse(key.stack));
    for key in keys {
        let outer = |stack: &StackId| profile.stacks.get(*stack).parent;
        let mut callers = std::iter::successors(outer(&key.stack), outer);
        let Some(other) = callers.find_map(|stack| first.get(&(stack, key.thread))) else { continue };
        let same = ScopeKey { stack: other.stack, ..key };
        let caller = if profile.scopes.get(&same).is_some() { same } else { *other };
        let total_nanos = profile.scopes.get(&key).map_or(0, |stats| stats.total_nanos);
        let outer = profile.scopes.row_mut(caller);
        outer.total_nanos = outer.total_nanos.saturating_add(total_nanos);
    }
}

/// The innermost frame is the kernel or the copy, the rest is the path that launched it.
fn add_gpu(stack: StackId, tags: Tags, amounts: &Amounts, profile: &mut Profile) {
    let (count, total_nanos) = (amounts[Role::GpuCount], amounts[Role::GpuNanos]);
    let mean = total_nanos.checked_div(count).unwrap_or(0);
    let mut durations = DurationStats::default();
    (durations.count, durations.total_nanos) = (count, total_nanos);
    (durations.min_nanos, durations.max_nanos) = (mean, mean);
    let leaf = profile.stacks.get(stack);
    let (device, launched_from) = (tags.device, leaf.parent);
    match tags.copy {
        Some(kind) => {
            let key = CopyKey { kind, device, is_pageable: tags.is_pageable, launched_from };
            profile.gpu.add_copies(key, &CopyStats { durations, bytes: amounts[Role::GpuBytes] });
        }
        None => {
            let name = profile.frames.get(leaf.frame).name;
            profile.gpu.add_kernel(KernelKey { name, device, launched_from }, &durations);
        }
    }
}
