//! Profiles drawn by hand for the tests of rules.
//!
//! A frame is told in one text: `py:` before a Python function, then its name, `!module` of compiled code and
//! `@file:line`, each where known: `app::load@src/load.rs:7`, `memmove!libc.so.6`, `py:train@train.py:12`. Samples are of a
//! millisecond each.

use calor_model::{
    CodeKey, CopyKey, CopyKind, CopyStats, CounterKey, CounterPoint, DurationStats, Frame, FrameId,
    FrameKind, FunctionCode, HeapBlocks, HeapKey, HeapMode, HeapSite, HeapSnapshot, HeapSummary, KernelKey,
    LabelTable, Profile, Run, SampleKey, SampleKind, SampleWeight, ScopeKey, ScopeStats, StackId, ThreadId,
    Work,
};

const SAMPLE_NANOS: u64 = 1_000_000;

/// A profile in the making; each method adds one row.
pub(crate) struct Draft(Profile);

#[allow(dead_code, reason = "each rule draws what it needs, and rules come and go")]
impl Draft {
    pub(crate) fn new() -> Self {
        Self(Profile::default())
    }

    /// The run took so long by the clock.
    pub(crate) fn seconds(mut self, seconds: f64) -> Self {
        self.run().duration_nanos = (seconds * 1e9) as u64;
        self
    }

    /// The machine has so many cores.
    pub(crate) fn cores(mut self, cores: u32) -> Self {
        self.run().host.cores = Some(cores);
        self
    }

    /// The processor can do these things: `avx2 fma`.
    pub(crate) fn cpu_features(mut self, features: &str) -> Self {
        self.run().host.cpu_features = features.split_whitespace().map(str::to_owned).collect();
        self
    }

    /// Samples of a running thread on a path of compiled code and Python.
    pub(crate) fn cpu(self, path: &[&str], count: u64) -> Self {
        self.samples("main", SampleKind::Cpu, path, &[], count, count * SAMPLE_NANOS, None)
    }

    /// The same on a thread.
    pub(crate) fn cpu_on(self, thread: &str, path: &[&str], count: u64) -> Self {
        self.samples(thread, SampleKind::Cpu, path, &[], count, count * SAMPLE_NANOS, None)
    }

    /// The same at an instant.
    pub(crate) fn cpu_at(self, thread: &str, path: &[&str], count: u64, at_nanos: u64) -> Self {
        self.samples(thread, SampleKind::Cpu, path, &[], count, count * SAMPLE_NANOS, Some(at_nanos))
    }

    /// The same with labels, such as `("gil", "held")`.
    pub(crate) fn cpu_labelled(
        self,
        thread: &str,
        path: &[&str],
        labels: &[(&str, &str)],
        count: u64,
    ) -> Self {
        self.samples(thread, SampleKind::Cpu, path, labels, count, count * SAMPLE_NANOS, None)
    }

    /// Waits of a thread.
    pub(crate) fn wait_on(self, thread: &str, path: &[&str], count: u64, nanos: u64) -> Self {
        self.samples(thread, SampleKind::OffCpu, path, &[], count, nanos, None)
    }

    /// Waits of a thread with labels, such as `("gil", "waiting")`.
    pub(crate) fn wait_labelled(
        self,
        thread: &str,
        path: &[&str],
        labels: &[(&str, &str)],
        count: u64,
        nanos: u64,
    ) -> Self {
        self.samples(thread, SampleKind::OffCpu, path, labels, count, nanos, None)
    }

    /// Calls of a path of scopes on the main thread that took `total` nanoseconds together, evenly.
    pub(crate) fn scope(self, path: &[&str], calls: u64, total: u64) -> Self {
        self.scope_on("main", path, calls, total)
    }

    /// The same on a thread.
    pub(crate) fn scope_on(self, thread: &str, path: &[&str], calls: u64, total: u64) -> Self {
        self.scope_row(thread, path, &[], evenly(calls, total))
    }

    /// The same with statistics of one's own.
    pub(crate) fn scope_row(
        mut self,
        thread: &str,
        path: &[&str],
        labels: &[(&str, &str)],
        stats: ScopeStats,
    ) -> Self {
        let stack = self.path(path, FrameKind::Scope);
        let (thread, labels) = (self.thread(thread), self.labels(labels));
        self.0.scopes.add(ScopeKey { stack, thread, labels }, stats);
        self
    }

    /// Calls of an operation of NumPy; the path ends in its name, before which stands the calling line.
    pub(crate) fn operation(
        self,
        path: &[&str],
        labels: &[(&str, &str)],
        calls: u64,
        total: u64,
        work: Work,
    ) -> Self {
        let labels: Vec<(&str, &str)> = [("op", "numpy")].iter().chain(labels).copied().collect();
        self.scope_row("main", path, &labels, ScopeStats { work, ..evenly(calls, total) })
    }

    /// What a path did to a heap of which every block was seen. Its peak is the sum of what the paths held.
    pub(crate) fn heap(mut self, path: &[&str], site: HeapSite) -> Self {
        let stack = self.path(path, FrameKind::Native);
        let thread = self.thread("main");
        self.0.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
        let known = self.0.heap.summary.map_or(0, |summary| summary.peak_bytes);
        self.0.heap.summary = Some(HeapSummary::new(HeapMode::Exact, known + site.peak_bytes, None));
        self
    }

    /// The heap was sampled, not watched whole.
    pub(crate) fn sampled_heap(mut self) -> Self {
        if let Some(summary) = &mut self.0.heap.summary {
            summary.mode = HeapMode::Sampled;
        }
        self
    }

    /// Launches of a kernel that took so long each, on the first device, from a line that nobody knows.
    pub(crate) fn kernel(self, name: &str, launches: u64, nanos_each: u64) -> Self {
        self.kernel_at(name, launches, launches * nanos_each, None)
    }

    /// Launches of a kernel that took so long in all, on the first device, from a path.
    pub(crate) fn kernel_at(
        mut self,
        name: &str,
        launches: u64,
        nanos: u64,
        launched_from: Option<StackId>,
    ) -> Self {
        let key = KernelKey { name: self.0.strings.intern(name), device: 0, launched_from };
        self.0.gpu.add_kernel(key, &durations(launches, nanos));
        self
    }

    /// Copies that a path asked for, between the host and the first device.
    pub(crate) fn copies(
        mut self,
        path: &[&str],
        (kind, is_pageable): (CopyKind, Option<bool>),
        count: u64,
        bytes_each: u64,
        nanos: u64,
    ) -> Self {
        let launched_from = Some(self.path(path, FrameKind::Native));
        let stats = CopyStats { durations: durations(count, nanos), bytes: count * bytes_each };
        self.0.gpu.add_copies(CopyKey { kind, device: 0, is_pageable, launched_from }, &stats);
        self
    }

    /// Values of a series, a tenth of a second apart.
    pub(crate) fn series(mut self, name: &str, unit: &str, values: impl Iterator<Item = f64>) -> Self {
        let (name, unit) = (self.0.strings.intern(name), self.0.strings.intern(unit));
        let points = self.0.counters.series_mut(CounterKey { name, unit, thread: None });
        let point = |(at, value)| CounterPoint { at_nanos: at as u64 * 100_000_000, value };
        points.extend(values.enumerate().map(point));
        self
    }

    /// What paths held at an instant.
    pub(crate) fn snapshot(mut self, seconds: f64, held: &[(&[&str], u64)]) -> Self {
        let mut snapshot = HeapSnapshot::new((seconds * 1e9) as u64);
        for &(path, bytes) in held {
            let stack = self.path(path, FrameKind::Native);
            snapshot.add(stack, HeapBlocks { count: 1, bytes });
        }
        self.0.heap.snapshots.add(snapshot);
        self
    }

    /// The code of a compiled function, with so many samples at each of its instructions by offset.
    pub(crate) fn code(mut self, name: &str, bytes: &[u8], counts: &[(u32, u64)]) -> Self {
        let (name, build) = (self.0.strings.intern(name), self.0.strings.intern("build"));
        let code = FunctionCode {
            size: bytes.len() as u64,
            bytes: bytes.to_vec(),
            lines: Vec::new(),
            counts: counts.iter().copied().collect(),
        };
        let start = 0x1000 * (1 + self.0.code.len() as u64);
        self.0.code.add(CodeKey { name, module: None, build, start }, code, &self.0.strings);
        self
    }

    pub(crate) fn profile(self) -> Profile {
        self.0
    }

    /// The profile so far, for rows that no method adds.
    pub(crate) fn change(mut self, change: impl FnOnce(&mut Profile)) -> Self {
        change(&mut self.0);
        self
    }

    /// The handle of a path.
    pub(crate) fn path(&mut self, path: &[&str], kind: FrameKind) -> StackId {
        let frames: Vec<FrameId> = path.iter().map(|text| self.frame(text, kind)).collect();
        self.0.stacks.intern_path(frames).expect("a path has a frame")
    }

    fn frame(&mut self, text: &str, kind: FrameKind) -> FrameId {
        let (text, kind) = text.strip_prefix("py:").map_or((text, kind), |text| (text, FrameKind::Python));
        let (text, kind) =
            text.strip_prefix("kernel:").map_or((text, kind), |text| (text, FrameKind::Kernel));
        let (text, is_inlined) = text.strip_prefix("inlined:").map_or((text, false), |text| (text, true));
        let (text, source) = text.split_once('@').map_or((text, None), |(text, source)| (text, Some(source)));
        let (name, module) = text.split_once('!').map_or((text, None), |(name, module)| (name, Some(module)));
        let (file, line) = source.and_then(|source| source.rsplit_once(':')).unzip();
        let strings = &mut self.0.strings;
        let frame = Frame {
            module: module.map(|module| strings.intern(module)),
            file: file.map(|file| strings.intern(file)),
            line: line.and_then(|line| line.parse().ok()),
            is_inlined,
            ..Frame::new(strings.intern(name), kind)
        };
        self.0.frames.intern(frame)
    }

    #[expect(clippy::too_many_arguments, reason = "the one place that adds samples, behind named methods")]
    fn samples(
        mut self,
        thread: &str,
        kind: SampleKind,
        path: &[&str],
        labels: &[(&str, &str)],
        count: u64,
        nanos: u64,
        at_nanos: Option<u64>,
    ) -> Self {
        let stack = self.path(path, FrameKind::Native);
        let (thread, labels) = (self.thread(thread), self.labels(labels));
        self.0
            .samples
            .add(SampleKey { kind, stack, thread, labels, at_nanos }, SampleWeight { count, nanos });
        self
    }

    fn labels(&mut self, labels: &[(&str, &str)]) -> calor_model::LabelSetId {
        let pairs: Vec<_> = labels
            .iter()
            .map(|(key, value)| (self.0.strings.intern(key), self.0.strings.intern(value)))
            .collect();
        self.0.labels.intern(&pairs)
    }

    fn thread(&mut self, name: &str) -> ThreadId {
        let tid = 1 + name.bytes().fold(0, |sum: u64, byte| sum * 31 + u64::from(byte)) % 1_000_000;
        self.0.intern_thread(1, tid, name)
    }

    fn run(&mut self) -> &mut Run {
        if self.0.runs.is_empty() {
            self.0.runs.push(Run::default());
        }
        &mut self.0.runs[0]
    }
}

fn durations(count: u64, total_nanos: u64) -> DurationStats {
    let mut durations = DurationStats::default();
    durations.record(total_nanos / count.max(1));
    durations.count = count;
    durations.total_nanos = total_nanos;
    durations
}

fn evenly(calls: u64, total: u64) -> ScopeStats {
    let mut stats = ScopeStats { calls, total_nanos: total, ..ScopeStats::default() };
    // A histogram of some calls tells as much as one of all of them.
    let n_recorded = calls.min(1_000);
    for _ in 0..n_recorded {
        stats.timed.record(total / calls.max(1));
    }
    stats.timed.count = calls;
    stats.timed.total_nanos = total;
    stats
}
