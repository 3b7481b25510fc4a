//! Profiles in which every table is filled. Names are few, so that paths meet, recur and collide. Scope rows are
//! consistent, a caller's figures hold those of its callees, except that some callers have no row at all.

use calor_model::{
    CodeKey, CodeLine, CopyKey, CopyKind, CopyStats, CounterKey, CounterPoint, DurationStats, EventKey,
    EventWeight, Frame, FrameKind, FunctionCode, GpuDevice, GpuScopeKey, GpuWork, HeapBlocks, HeapKey,
    HeapMode, HeapSite, HeapSnapshot, HeapSummary, KernelKey, LabelSetId, Link, LinkKind, Mark, Profile,
    Recorder, Run, RunId, SampleKey, SampleKind, SampleWeight, ScopeKey, ScopeMemory, Span, StackId,
    ThreadId, Warning,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// A caller by its number, a name and a kind for each path.
type Paths = Vec<(usize, usize, usize)>;
/// A path, a thread and labels by number, then three free numbers.
type Row = (usize, usize, usize, u32, u32, u32);

const NAMES: [&str; 4] = ["alpha", "beta", "alpha::<u8>", "_ZN4core3ptr5drop_17h0123456789abcdefE"];
const KINDS: [FrameKind; 4] = [FrameKind::Scope, FrameKind::Native, FrameKind::Context, FrameKind::Python];
const SAMPLES: [SampleKind; 3] = [SampleKind::Cpu, SampleKind::OffCpu, SampleKind::Wall];

fn rows() -> impl Strategy<Value = Vec<Row>> {
    vec((0..64_usize, 0..3_usize, 0..3_usize, 0..5000_u32, 0..50_u32, 0..8_u32), 1..12)
}

/// A profile with something in every table.
pub(crate) fn profile() -> impl Strategy<Value = Profile> {
    let paths = vec((0..64_usize, 0..NAMES.len(), 0..KINDS.len()), 1..14);
    (paths, rows(), rows(), rows(), rows(), rows()).prop_map(|(paths, scopes, spans, samples, heap, rest)| {
        let mut build = Build::new(&paths);
        scopes.iter().for_each(|row| build.scope(*row));
        spans.iter().for_each(|row| build.span(*row));
        samples.iter().for_each(|row| build.sample(*row));
        heap.iter().for_each(|row| build.site(*row));
        heap.iter().for_each(|row| build.code(*row));
        samples.iter().for_each(|row| build.event(*row));
        rest.iter().for_each(|row| build.rest(*row));
        build.profile
    })
}

struct Build {
    profile: Profile,
    stacks: Vec<StackId>,
    threads: Vec<ThreadId>,
    labels: Vec<LabelSetId>,
}

impl Build {
    fn new(paths: &Paths) -> Self {
        let mut profile = Profile::default();
        let mut stacks: Vec<StackId> = Vec::new();
        for &(caller, name, kind) in paths {
            let name = profile.strings.intern(NAMES[name]);
            let module = (kind == 1).then(|| profile.strings.intern("libm.so"));
            let line = (kind == 1).then_some(7);
            let frame = profile.frames.intern(Frame { module, line, ..Frame::new(name, KINDS[kind]) });
            let parent = stacks.get(caller % (stacks.len() + 1)).copied();
            stacks.push(profile.stacks.intern(parent, frame));
        }
        let threads =
            (0..3).map(|i| profile.intern_thread(1, 100 + i, ["main", "worker", "worker"][i as usize]));
        let threads = threads.collect();
        let mut label = |key: &str, value: &str| (profile.strings.intern(key), profile.strings.intern(value));
        let sets = [vec![], vec![label("rank", "0")], vec![label("batch", "b"), label("rank", "1")]];
        let labels = sets.iter().map(|set| profile.labels.intern(set)).collect();
        Self { profile, stacks, threads, labels }
    }

    fn place(&self, row: Row) -> (StackId, ThreadId, LabelSetId) {
        (self.stacks[row.0 % self.stacks.len()], self.threads[row.1], self.labels[row.2])
    }

    fn scope(&mut self, row: Row) {
        let (stack, thread, _) = self.place(row);
        let (nanos, calls, choice) = (u64::from(row.3), u64::from(row.4), row.5);
        let mut at = Some(stack);
        while let Some(stack) = at {
            // Every fifth path has no row, whatever it called.
            if stack.index() % 5 != 4 {
                // Labels are those of the scope alone, or of all that it was called by.
                let labels = self.labels
                    [if row.5.is_multiple_of(2) { row.2 } else { stack.index() % self.labels.len() }];
                let stats = self.profile.scopes.row_mut(ScopeKey { stack, thread, labels });
                stats.calls += calls + 1;
                if choice == 0 {
                    stats.open_calls += 1;
                    stats.open_nanos += i64::from(row.3);
                } else {
                    stats.timed.record(nanos);
                    stats.total_nanos += nanos;
                    stats.total_variance += f64::from(row.4);
                }
                if choice < 4 {
                    let bytes = ScopeMemory {
                        allocated_bytes: nanos,
                        allocated_count: 1,
                        freed_bytes: nanos / 2,
                        freed_count: 1,
                        peak_bytes: nanos,
                    };
                    stats.memory.get_or_insert_default().add(&bytes);
                }
                stats.work.elements += calls;
                if choice == 2 {
                    let name = self.profile.strings.intern(["avx2", "neon"][row.2 % 2]);
                    stats.work.add_backend(name, calls);
                    stats.work.add_counter(name, -i64::from(row.4));
                }
                if choice == 3 {
                    stats.future.get_or_insert_default().wall.record(nanos);
                }
            }
            at = self.profile.stacks.get(stack).parent;
        }
    }

    fn span(&mut self, row: Row) {
        let (stack, thread, _) = self.place(row);
        let name = self.profile.strings.intern(["step", "epoch"][row.2 % 2]);
        let track = self.profile.timeline.track_mut(thread);
        track.spans.push(Span { start_nanos: row.3.into(), duration_nanos: row.4.into(), stack });
        track.marks.push(Mark { at_nanos: row.3.into(), name, details: vec![(name, name)] });
        if row.5 > 2 {
            let to = self.profile.intern_thread(1, 2 + u64::from(row.5 % 2), "waiter");
            let (from_nanos, to_nanos) = (row.3.into(), u64::from(row.3) + u64::from(row.4));
            let link = Link {
                kind: [LinkKind::Lock, LinkKind::Join][row.2 % 2],
                object: u64::from(row.5),
                from: thread,
                from_nanos,
                to,
                since_nanos: from_nanos / 2,
                to_nanos,
                held_nanos: row.4.into(),
            };
            self.profile.timeline.links.push(link);
        }
    }

    fn sample(&mut self, row: Row) {
        let (stack, thread, labels) = self.place(row);
        let at_nanos = (row.5 > 0).then_some(u64::from(row.3));
        let kind = SAMPLES[row.5 as usize % 3];
        let weight = SampleWeight { count: 1, nanos: row.4.into() };
        self.profile.samples.add(SampleKey { kind, stack, thread, labels, at_nanos }, weight);
    }

    fn code(&mut self, row: Row) {
        let profile = &mut self.profile;
        let (name, build) = (profile.strings.intern(NAMES[row.0 % 4]), profile.strings.intern("b0"));
        let function = (row.5 > 2).then(|| profile.strings.intern(NAMES[row.2]));
        let module = (row.5 > 4).then(|| profile.strings.intern("libm.so"));
        let key = CodeKey { name, module, build, start: row.1 as u64 };
        let line = CodeLine { offset: row.4, function, file: module, line: Some(row.3) };
        let counts = [(row.4, u64::from(row.3))].into();
        let bytes = vec![row.5 as u8; row.2];
        let code = FunctionCode { size: u64::from(row.4), bytes, lines: vec![line], counts };
        profile.code.add(key, code, &profile.strings);
    }

    fn event(&mut self, row: Row) {
        let (stack, thread, labels) = self.place(row);
        let name = self.profile.strings.intern(["page-faults", "cycles"][row.5 as usize % 2]);
        let weight = EventWeight { events: row.3.into(), samples: 1 };
        self.profile.events.add(EventKey { name, stack, thread, labels }, weight);
    }

    fn site(&mut self, row: Row) {
        let (stack, thread, labels) = self.place(row);
        let bytes = u64::from(row.3);
        let site = HeapSite {
            allocated_bytes: bytes,
            allocated_count: 1,
            freed_bytes: bytes / 3,
            freed_count: 1,
            peak_bytes: bytes / 2,
            peak_count: 1,
            temporary_count: row.4.into(),
            temporary_bytes: 0,
            samples: row.5.into(),
            // Whole numbers, whose sums are exact in any order.
            allocated_variance: f64::from(row.4),
            live_variance: f64::from(row.5),
            peak_variance: f64::from(row.5 % 3),
        };
        self.profile.heap.add(HeapKey { stack, thread, labels }, &site);
        let blocks = HeapBlocks { count: 1, bytes };
        self.profile.heap.histograms.sizes.record(bytes, blocks);
        self.profile.heap.histograms.lifetimes.record(row.4.into(), blocks);
        self.profile.heap.histograms.are_lifetimes_sampled |= row.5 == 7;
        let mut snapshot = HeapSnapshot::new(u64::from(row.5) * 10);
        snapshot.add(stack, blocks);
        self.profile.heap.snapshots.add(snapshot);
        // Few sizes and times, so that two profiles often have the same peak.
        self.profile.heap.summary = Some(HeapSummary {
            mode: if row.5.is_multiple_of(2) { HeapMode::Exact } else { HeapMode::Sampled },
            peak_bytes: u64::from(row.4 % 3),
            peak_at_nanos: (row.5 > 3).then_some(u64::from(row.5 % 2)),
            leaked: (row.5 > 5).then_some(blocks),
            sampling_bytes: (row.4 > 20).then_some(row.4.into()),
        });
    }

    fn rest(&mut self, row: Row) {
        let (stack, thread, labels) = self.place(row);
        let profile = &mut self.profile;
        let name = profile.strings.intern(["gemm", "axpy"][row.2 % 2]);
        let unit = profile.strings.intern("bytes");
        let launched_from = (row.5 > 1).then_some(stack);
        let mut durations = DurationStats::default();
        durations.record(row.3.into());
        profile.gpu.add_kernel(KernelKey { name, device: 0, launched_from }, &durations);
        let copy = CopyKey { kind: CopyKind::Set, device: 0, is_pageable: None, launched_from };
        profile.gpu.add_copies(copy, &CopyStats { durations, bytes: row.4.into() });
        let work = GpuWork { count: 1, nanos: row.3.into() };
        profile.gpu.add_scope(GpuScopeKey { stack, labels }, work);
        if profile.gpu.devices.is_empty() {
            profile.gpu.devices.push(GpuDevice { index: 0, name, memory_bytes: 1 << 30 });
        }
        let key = CounterKey { name, unit, thread: (row.5 > 4).then_some(thread) };
        let point = CounterPoint { at_nanos: row.3.into(), value: f64::from(row.4) };
        profile.counters.series_mut(key).push(point);
        let run = Run {
            id: RunId(row.2 as u128),
            command: (row.5 > 2).then(|| format!("program {}", row.4)),
            started_at_unix_nanos: row.3.into(),
            duration_nanos: row.4.into(),
            labels: [("rank".to_owned(), row.5.to_string())].into(),
            recorders: [Recorder::Scopes, Recorder::Heap][..=(row.5 as usize % 2)].iter().copied().collect(),
            ..Run::default()
        };
        match profile.runs.binary_search_by_key(&run.id, |run| run.id) {
            Ok(at) => profile.runs[at].absorb(&run),
            Err(at) => profile.runs.insert(at, run),
        }
        profile.warn(Warning::counted("spans_lost", "the ring was full", row.4.into()));
    }
}
