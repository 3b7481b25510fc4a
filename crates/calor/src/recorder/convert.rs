//! From ticks to a profile: the raw figures of threads become rows of the model's tables.

use std::collections::HashMap;

use calor_model::{
    DurationStats, Frame, FrameId, FrameKind, FutureStats, LabelSetId, LabelTable, Profile, ScopeKey,
    ScopeMemory, ScopeStats, Span, StackId, ThreadId, Warning, Work,
};

use crate::Site;
use crate::clock::{self, Scale};

use super::block::{MAX_DEPTH, MAX_NODES};
use super::buckets::middle_of;
use super::node::{ExtraKind, MAX_EXTRAS};
use super::raw::{RawNode, RawTally, RawThread};

/// Adds threads to a profile.
pub(crate) struct Converter<'a> {
    profile: &'a mut Profile,
    scale: Scale,
    /// Frames by the number of their site.
    frames: Vec<Option<FrameId>>,
    /// Labels by the number of their site.
    labels: HashMap<u32, LabelSetId>,
}

impl<'a> Converter<'a> {
    pub(crate) fn new(profile: &'a mut Profile) -> Self {
        Self { profile, scale: Scale::measure(), frames: Vec::new(), labels: HashMap::new() }
    }

    /// Adds everything that was read of a thread, under the given identity.
    pub(crate) fn add(&mut self, raw: &RawThread, thread: ThreadId) {
        let mut stacks: Vec<Option<StackId>> = Vec::with_capacity(raw.nodes.len());
        let memory = with_children(&raw.nodes);
        for (index, node) in raw.nodes.iter().enumerate() {
            if index == 0 {
                // The root of a thread is no scope.
                stacks.push(None);
                continue;
            }
            let parent = stacks.get(node.parent).copied().flatten();
            let frame = self.frame(node.site);
            let stack = self.profile.stacks.intern(parent, frame);
            stacks.push(Some(stack));
            let memory = memory.get(index).copied().filter(|memory| *memory != ScopeMemory::default());
            if !node.is_empty() || memory.is_some() {
                let stats = ScopeStats { memory, ..self.stats(node) };
                let labels = self.labels(node.site);
                self.profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
            }
        }
        self.add_spans(raw, thread, &stacks);
        self.add_warnings(raw);
    }

    /// The rows of a path of sites and of all those around it, outermost first, with their labels.
    #[cfg(all(feature = "gpu", target_os = "linux", target_arch = "x86_64"))]
    pub(crate) fn path(&mut self, sites: &[&'static Site]) -> Vec<(StackId, LabelSetId)> {
        let mut rows: Vec<(StackId, LabelSetId)> = Vec::with_capacity(sites.len());
        for site in sites {
            let frame = self.frame(site);
            let stack = self.profile.stacks.intern(rows.last().map(|row| row.0), frame);
            rows.push((stack, self.labels(site)));
        }
        rows
    }

    fn add_spans(&mut self, raw: &RawThread, thread: ThreadId, stacks: &[Option<StackId>]) {
        let begin = clock::anchor().ticks;
        let scale = self.scale;
        let spans = raw.spans.iter().filter_map(|scope| {
            let stack = stacks.get(scope.node as usize).copied().flatten()?;
            let start_nanos = scale.nanos(scope.start.saturating_sub(begin));
            let end_nanos = scale.nanos((scope.start + scope.ticks).saturating_sub(begin));
            // By way of the end, so that a child never ends after its parent by rounding.
            Some(Span { start_nanos, duration_nanos: end_nanos - start_nanos, stack })
        });
        if !raw.spans.is_empty() {
            self.profile.timeline.track_mut(thread).spans.extend(spans);
        }
    }

    fn add_warnings(&mut self, raw: &RawThread) {
        let extras_lost = raw.nodes.iter().map(|node| node.extras_lost).sum();
        for (count, code, message) in [
            (
                raw.over_limit,
                "call_paths_over_limit",
                format!(
                    "scopes on call paths beyond the {} that a thread may have are counted here only; \
                     their time is in the self time of the scope around them",
                    MAX_NODES - 1
                ),
            ),
            (
                raw.too_deep,
                "scopes_too_deep",
                format!(
                    "scopes nested deeper than {MAX_DEPTH} are counted here only; their time is in the self time \
                     of the deepest scope recorded"
                ),
            ),
            (
                extras_lost,
                "counters_over_limit",
                format!(
                    "a call path holds {MAX_EXTRAS} counters and backends; additions to further ones were dropped"
                ),
            ),
            (
                raw.lost_spans,
                "spans_lost",
                String::from(
                    "scopes left the timeline's ring before they were read and are in the statistics only; record \
                     fewer or longer scopes, or raise Options::timeline_events",
                ),
            ),
            (
                u64::from(raw.is_torn),
                "snapshot_inexact",
                String::from(
                    "a thread was too busy for one consistent look: its scopes are of slightly different moments",
                ),
            ),
        ] {
            if count > 0 {
                self.profile.warn(Warning::counted(code, message, count));
            }
        }
    }

    fn labels(&mut self, site: &'static Site) -> LabelSetId {
        if site.labels().is_empty() {
            return LabelTable::none();
        }
        *self.labels.entry(site.id()).or_insert_with(|| {
            let Profile { strings, labels, .. } = &mut *self.profile;
            let pair = |&(key, value): &(&str, &str)| (strings.intern(key), strings.intern(value));
            let pairs: Vec<_> = site.labels().iter().map(pair).collect();
            labels.intern(&pairs)
        })
    }

    fn frame(&mut self, site: &'static Site) -> FrameId {
        let id = site.id() as usize;
        if let Some(Some(frame)) = self.frames.get(id) {
            return *frame;
        }
        let strings = &mut self.profile.strings;
        let known = |text: &str, strings: &mut calor_model::StringTable| {
            (!text.is_empty()).then(|| strings.intern(text))
        };
        let frame = Frame {
            name: strings.intern(site.name()),
            kind: if site.is_context() { FrameKind::Context } else { FrameKind::Scope },
            module: known(site.module(), strings),
            file: known(site.file(), strings),
            line: (site.line() > 0).then(|| site.line()),
            is_inlined: false,
        };
        let frame = self.profile.frames.intern(frame);
        if self.frames.len() <= id {
            self.frames.resize(id + 1, None);
        }
        self.frames[id] = Some(frame);
        frame
    }

    fn stats(&mut self, node: &RawNode) -> ScopeStats {
        let timed = self.durations(&node.timed);
        let per_tick = self.scale.nanos_per_tick();
        let total_nanos = timed.total_nanos.saturating_add(self.scale.nanos(node.untimed_ticks));
        ScopeStats {
            calls: node.timed.count + node.untimed,
            total_nanos: total_nanos.saturating_sub(self.scale.nanos(node.recursive_ticks)),
            total_variance: node.variance * per_tick * per_tick,
            timed,
            open_calls: node.open_calls,
            open_nanos: node.open_nanos,
            work: self.work(node),
            memory: None,
            future: node.future.as_ref().map(|future| {
                Box::new(FutureStats { wall: self.durations(&future.wall), cancelled: future.cancelled })
            }),
        }
    }

    fn durations(&self, raw: &RawTally) -> DurationStats {
        let per_tick = self.scale.nanos_per_tick();
        let mut stats = DurationStats::default();
        stats.count = raw.count;
        stats.total_nanos = self.scale.nanos(raw.sum);
        stats.min_nanos = self.scale.nanos(raw.min);
        stats.max_nanos = self.scale.nanos(raw.max);
        stats.squared_deviations = raw.squared_deviations() * per_tick * per_tick;
        stats.reserve_histogram(raw.buckets.len());
        for &(bucket, count) in &raw.buckets {
            stats.add_to_histogram(middle_of(usize::from(bucket)) * per_tick, count);
        }
        stats
    }

    fn work(&mut self, node: &RawNode) -> Work {
        let mut work =
            Work { elements: node.elements, bytes: node.bytes, flops: node.flops, ..Work::default() };
        if let Some(each) = node.site.call_work() {
            let calls = node.timed.count + node.untimed;
            for (sum, each) in [
                (&mut work.elements, each.elements),
                (&mut work.bytes, each.bytes),
                (&mut work.flops, each.flops),
            ] {
                *sum = sum.saturating_add(each.saturating_mul(calls));
            }
            if let Some(backend) = each.backend.filter(|_| calls > 0) {
                work.add_backend(self.profile.strings.intern(backend), calls);
            }
        }
        // A name stays with its node when figures are reset: what is zero was not told.
        for &(kind, name, value) in node.extras.iter().filter(|extra| extra.2 != 0) {
            let name = self.profile.strings.intern(name);
            match kind {
                ExtraKind::Counter => work.add_counter(name, value),
                ExtraKind::Backend => work.add_backend(name, value.unsigned_abs()),
            }
        }
        work
    }
}

/// What was allocated in each call path, its children included; nothing when no allocator is watched. Children come
/// after their parents.
fn with_children(nodes: &[RawNode]) -> Vec<ScopeMemory> {
    #[cfg(feature = "told-heap")]
    if crate::heap::counts_scopes() {
        let own = |node: &RawNode| ScopeMemory {
            allocated_bytes: node.memory.allocated_bytes,
            allocated_count: node.memory.allocated_count,
            freed_bytes: node.memory.freed_bytes,
            freed_count: node.memory.freed_count,
            peak_bytes: node.memory.peak_bytes,
        };
        let mut sums: Vec<ScopeMemory> = nodes.iter().map(own).collect();
        for (index, node) in nodes.iter().enumerate().skip(1).rev() {
            let child = sums[index];
            if let Some(parent) = sums.get_mut(node.parent) {
                parent.allocated_bytes += child.allocated_bytes;
                parent.allocated_count += child.allocated_count;
                parent.freed_bytes += child.freed_bytes;
                parent.freed_count += child.freed_count;
            }
        }
        return sums;
    }
    let _ = nodes;
    Vec::new()
}
