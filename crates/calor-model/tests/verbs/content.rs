//! What a profile says, told in names instead of handles, so that two profiles can be compared.

use std::collections::BTreeMap;

use calor_model::{
    DurationStats, FrameKind, HeapBlocks, HeapSite, LabelSetId, Profile, SampleKind, SampleWeight,
    ScopeStats, StackId, StringId, ThreadId,
};

/// Rows by what they are about. What holds exactly is text; the spread of durations is apart.
#[derive(Debug, Default)]
pub(crate) struct Content {
    rows: BTreeMap<String, String>,
    spreads: BTreeMap<String, f64>,
}

impl Content {
    #[track_caller]
    pub(crate) fn assert_same(&self, other: &Self) {
        assert_eq!(self.rows, other.rows);
        assert!(self.spreads.keys().eq(other.spreads.keys()));
        for (key, own) in &self.spreads {
            let theirs = other.spreads[key];
            assert!((own - theirs).abs() <= 1e-9 * own.abs().max(1.0), "{key}: {own} and {theirs}");
        }
    }

    fn row(&mut self, key: String, value: String) {
        assert!(self.rows.insert(key.clone(), value).is_none(), "two rows for {key}");
    }

    fn durations(&mut self, key: &str, stats: &DurationStats) -> String {
        self.spreads.insert(key.to_owned(), stats.squared_deviations);
        let extremes = (stats.count > 0).then_some((stats.min_nanos, stats.max_nanos));
        format!("{} {} {extremes:?} {:?}", stats.count, stats.total_nanos, stats.histogram())
    }
}

struct Names<'a>(&'a Profile);

impl Names<'_> {
    fn text(&self, id: StringId) -> String {
        self.0.strings.get(id).to_owned()
    }

    fn stack(&self, id: StackId) -> String {
        let frames = self.0.stacks.path(id).into_iter().map(|frame| {
            let frame = self.0.frames.get(frame);
            let module = frame.module.map(|module| self.text(module));
            format!("{:?} {} {module:?} {:?}", frame.kind, self.text(frame.name), frame.line)
        });
        frames.collect::<Vec<_>>().join(";")
    }

    fn thread(&self, id: ThreadId) -> String {
        let thread = self.0.threads.get(id);
        format!("{}/{}/{}", thread.pid, thread.tid, self.text(thread.name))
    }

    fn labels(&self, id: LabelSetId) -> String {
        self.pairs(self.0.labels.get(id))
    }

    fn pairs(&self, pairs: &[(StringId, StringId)]) -> String {
        let mut texts: Vec<_> = pairs.iter().map(|&(k, v)| (self.text(k), self.text(v))).collect();
        texts.sort();
        format!("{texts:?}")
    }

    fn links(&self) -> Vec<String> {
        let links = self.0.timeline.links.iter();
        let mut texts: Vec<_> = links
            .map(|link| {
                let times = (link.from_nanos, link.since_nanos, link.to_nanos, link.held_nanos);
                let threads = (self.thread(link.from), self.thread(link.to));
                format!("{:?} {} {threads:?} {times:?}", link.kind, link.object)
            })
            .collect();
        texts.sort();
        texts
    }

    fn work(&self, stats: &ScopeStats) -> String {
        let backends: BTreeMap<_, _> = stats.work.backends.iter().map(|&(n, c)| (self.text(n), c)).collect();
        let counters: BTreeMap<_, _> = stats.work.counters.iter().map(|&(n, c)| (self.text(n), c)).collect();
        format!("{} {} {} {backends:?} {counters:?}", stats.work.elements, stats.work.bytes, stats.work.flops)
    }
}

/// Everything that a profile says.
pub(crate) fn content(profile: &Profile) -> Content {
    let mut content = Content::default();
    let names = Names(profile);
    for (key, stats) in profile.scopes.iter() {
        let at = format!(
            "scope {} on {} {}",
            names.stack(key.stack),
            names.thread(key.thread),
            names.labels(key.labels)
        );
        let timed = content.durations(&format!("{at} timed"), &stats.timed);
        let future = stats
            .future
            .as_ref()
            .map(|future| (content.durations(&format!("{at} future"), &future.wall), future.cancelled));
        content.spreads.insert(format!("{at} variance"), stats.total_variance);
        let open = (stats.open_calls, stats.open_nanos);
        let work = names.work(stats);
        let value = format!(
            "{} {} {open:?} {timed} {work} {:?} {future:?}",
            stats.calls, stats.total_nanos, stats.memory
        );
        content.row(at, value);
    }
    for (thread, track) in profile.timeline.iter() {
        let mut spans: Vec<_> =
            track.spans.iter().map(|s| (s.start_nanos, s.duration_nanos, names.stack(s.stack))).collect();
        spans.sort();
        let mut marks: Vec<_> =
            track.marks.iter().map(|m| (m.at_nanos, names.text(m.name), names.pairs(&m.details))).collect();
        marks.sort();
        content.row(format!("track {}", names.thread(thread)), format!("{spans:?} {marks:?}"));
    }
    for (nth, link) in names.links().into_iter().enumerate() {
        content.row(format!("link {nth}"), link);
    }
    for (key, weight) in profile.samples.iter() {
        let (stack, thread) = (names.stack(key.stack), names.thread(key.thread));
        let at =
            format!("{:?} {stack} on {thread} {} at {:?}", key.kind, names.labels(key.labels), key.at_nanos);
        content.row(at, format!("{weight:?}"));
    }
    for (key, code) in profile.code.iter() {
        let module = key.module.map(|module| names.text(module));
        let at = format!("code {} {module:?} {} {}", names.text(key.name), names.text(key.build), key.start);
        let text = |id: Option<StringId>| id.map(|id| names.text(id));
        let lines: Vec<_> =
            code.lines.iter().map(|it| (it.offset, text(it.function), text(it.file), it.line)).collect();
        content.row(at, format!("{} {:?} {lines:?} {:?}", code.size, code.bytes, code.counts));
    }
    for (key, weight) in profile.events.iter() {
        let (stack, thread) = (names.stack(key.stack), names.thread(key.thread));
        let at = format!("event {} {stack} on {thread} {}", names.text(key.name), names.labels(key.labels));
        content.row(at, format!("{weight:?}"));
    }
    for (key, site) in profile.heap.iter() {
        let (stack, thread) = (names.stack(key.stack), names.thread(key.thread));
        content.row(format!("heap {stack} on {thread} {}", names.labels(key.labels)), format!("{site:?}"));
    }
    content.row("heap".to_owned(), format!("{:?} {:?}", profile.heap.summary, profile.heap.histograms));
    for snapshot in &profile.heap.snapshots {
        content.row(format!("heap at {}", snapshot.at_nanos), format!("{:?}", snapshot.total()));
        for (stack, blocks) in snapshot.iter() {
            let at = format!("heap at {} {}", snapshot.at_nanos, names.stack(stack));
            content.row(at, format!("{blocks:?}"));
        }
    }
    for device in &profile.gpu.devices {
        let at = format!("device {} {} {}", device.index, names.text(device.name), device.memory_bytes);
        content.row(at, String::new());
    }
    for (key, durations) in &profile.gpu.kernels {
        let from = key.launched_from.map(|stack| names.stack(stack));
        let at = format!("kernel {} {} {from:?}", names.text(key.name), key.device);
        let value = content.durations(&at, durations);
        content.row(at, value);
    }
    for (key, copies) in &profile.gpu.copies {
        let from = key.launched_from.map(|stack| names.stack(stack));
        let at = format!("copy {:?} {} {:?} {from:?}", key.kind, key.device, key.is_pageable);
        let value = content.durations(&at, &copies.durations);
        content.row(at, format!("{value} {}", copies.bytes));
    }
    for (key, points) in profile.counters.iter() {
        let mut points: Vec<_> = points.iter().map(|point| (point.at_nanos, point.value.to_bits())).collect();
        points.sort_unstable();
        let thread = key.thread.map(|thread| names.thread(thread));
        let at = format!("counter {} {} {thread:?}", names.text(key.name), names.text(key.unit));
        content.row(at, format!("{points:?}"));
    }
    content.row("runs".to_owned(), format!("{:?}", profile.runs));
    content.row("warnings".to_owned(), format!("{:?}", profile.warnings));
    content
}

/// Sums that no verb may change unless it says so.
#[derive(PartialEq, Debug)]
pub(crate) struct Totals {
    pub(crate) self_nanos: u64,
    pub(crate) samples: BTreeMap<SampleKind, (u64, u64)>,
    pub(crate) events: BTreeMap<String, u64>,
    pub(crate) heap: HeapSite,
    /// What was held at each instant.
    pub(crate) heap_at: BTreeMap<u64, HeapBlocks>,
    pub(crate) kernel_nanos: u64,
    pub(crate) copied_bytes: u64,
}

pub(crate) fn totals(profile: &Profile) -> Totals {
    let mut samples = BTreeMap::new();
    for (key, weight) in profile.samples.iter() {
        let sum: &mut (u64, u64) = samples.entry(key.kind).or_default();
        *sum = (sum.0 + weight.count, sum.1 + weight.nanos);
    }
    let mut events = BTreeMap::new();
    for (key, weight) in profile.events.iter() {
        *events.entry(profile.strings.get(key.name).to_owned()).or_default() += weight.events;
    }
    let mut heap = HeapSite::default();
    profile.heap.iter().for_each(|(_, site)| heap.add(site));
    Totals {
        self_nanos: profile.scope_self_nanos().iter().sum(),
        samples,
        events,
        heap,
        heap_at: profile.heap.snapshots.iter().map(|held| (held.at_nanos, held.total())).collect(),
        kernel_nanos: profile.gpu.kernels.values().map(|durations| durations.total_nanos).sum(),
        copied_bytes: profile.gpu.copies.values().map(|copies| copies.bytes).sum(),
    }
}

/// A profile of scopes alone: paths such as `a;b`, calls and total time, all on one thread.
pub(crate) fn scopes(rows: &[(&str, u64, u64)]) -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    for &(path, calls, total_nanos) in rows {
        let names: Vec<_> = path.split(';').collect();
        let stack = profile.intern_named_path(&names, FrameKind::Scope).expect("a path has frames");
        let key = calor_model::ScopeKey { stack, thread, labels: calor_model::LabelTable::none() };
        profile.scopes.add(key, ScopeStats { calls, total_nanos, ..ScopeStats::default() });
    }
    profile
}

/// The scope rows of a profile as `path calls total`, sorted.
pub(crate) fn scope_lines(profile: &Profile) -> Vec<String> {
    let rows = profile.scopes.iter();
    let mut lines: Vec<_> = rows
        .map(|(key, stats)| {
            format!("{} {} {}", profile.path_names(key.stack).join(";"), stats.calls, stats.total_nanos)
        })
        .collect();
    lines.sort();
    lines
}

/// A profile of CPU samples alone: paths such as `a;b` and how many were found there.
pub(crate) fn samples(rows: &[(&str, u64)]) -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    for &(path, count) in rows {
        let names: Vec<_> = path.split(';').collect();
        let stack = profile.intern_named_path(&names, FrameKind::Native).expect("a path has frames");
        let labels = calor_model::LabelTable::none();
        let key = calor_model::SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count, nanos: count * 10 });
    }
    profile
}

/// The samples of a profile as `path count`, sorted.
pub(crate) fn sample_lines(profile: &Profile) -> Vec<String> {
    let rows = profile.samples.iter();
    let mut lines: Vec<_> = rows
        .map(|(key, weight)| format!("{} {}", profile.path_names(key.stack).join(";"), weight.count))
        .collect();
    lines.sort();
    lines
}
