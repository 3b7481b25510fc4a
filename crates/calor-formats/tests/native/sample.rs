//! A small recording as a program would write it: four parts, of which the first says what is recorded.

use calor_model::*;

/// The parts of the recording, in order.
pub(crate) fn parts() -> Vec<Profile> {
    (0..4).map(part).collect()
}

fn part(second: u64) -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(4242, 4243, "worker");
    let layer = profile.intern_named_path(&["forward", "layer"], FrameKind::Scope).unwrap();
    let attention = profile.intern_named_path(&["forward", "layer", "attention"], FrameKind::Scope).unwrap();
    let request = (profile.strings.intern("request"), profile.strings.intern("chat"));
    let labels = profile.labels.intern(&[request]);
    for (stack, nanos) in [(layer, 5_000_000), (attention, 2_000_000)] {
        let mut stats = ScopeStats { calls: 20, ..ScopeStats::default() };
        for call in 0..20 {
            stats.timed.record(nanos + call * 1_000);
            let start_nanos = second * 1_000_000_000 + call * 40_000_000;
            let span = Span { start_nanos, duration_nanos: nanos + call * 1_000, stack };
            profile.timeline.track_mut(thread).spans.push(span);
        }
        stats.total_nanos = stats.timed.total_nanos;
        stats.work.flops = 1 << 30;
        stats.work.add_backend(profile.strings.intern("avx2"), 20);
        profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
    }
    let mark = Mark { at_nanos: second * 1_000_000_000, name: request.1, details: vec![request] };
    profile.timeline.track_mut(thread).marks.push(mark);
    let (name, unit) = (profile.strings.intern("tokens"), profile.strings.intern(""));
    let point = CounterPoint { at_nanos: second * 1_000_000_000, value: 1.5 * second as f64 };
    profile.counters.series_mut(CounterKey { name, unit, thread: None }).push(point);
    let mut run = Run { id: RunId(7), duration_nanos: (second + 1) * 1_000_000_000, ..Run::default() };
    if second == 0 {
        run.command = Some("infer --model tiny".to_owned());
        run.started_at_unix_nanos = 1_750_000_000_000_000_000;
        run.host.os = "linux".to_owned();
        run.host.cores = Some(8);
        run.recorders = [Recorder::Scopes, Recorder::Counters].into();
    }
    profile.runs.push(run);
    profile
}

/// Samples of one function with its code, on a machine whose processor is known better.
pub(crate) fn with_code() -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(4242, 4242, "main");
    let stack = profile.intern_named_path(&["main", "dot"], FrameKind::Native).unwrap();
    let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels: LabelTable::none(), at_nanos: None };
    profile.samples.add(key, SampleWeight { count: 12, nanos: 12_000_000 });
    let name = profile.strings.intern("dot");
    let (module, file) = (profile.strings.intern("infer"), profile.strings.intern("src/dot.rs"));
    let build = profile.strings.intern("00c0ffee");
    // Adds four floats at a time until rax is 0, then returns.
    let bytes = vec![0x0f, 0x58, 0x06, 0x48, 0xff, 0xc8, 0x75, 0xf8, 0xc3];
    let line = |offset, line| CodeLine { offset, function: Some(name), file: Some(file), line };
    let lines = vec![line(0, Some(7)), line(3, Some(6)), line(8, None)];
    let counts = [(0, 9), (3, 3)].into();
    let key = CodeKey { name, module: Some(module), build, start: 0x1040 };
    profile.code.add(key, FunctionCode { size: 9, bytes, lines, counts }, &profile.strings);
    let mut run = Run { id: RunId(8), duration_nanos: 12_000_000, ..Run::default() };
    run.host.cpu_features = ["avx2".to_owned(), "fma".to_owned()].into();
    run.recorders = [Recorder::Cpu].into();
    profile.runs.push(run);
    profile
}

/// Events of two counters on one path, as 1.2 added them.
pub(crate) fn with_events() -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(4242, 4242, "main");
    let stack = profile.intern_named_path(&["main", "load"], FrameKind::Native).unwrap();
    for (name, events, samples) in [("page-faults", 5_000, 60), ("cache-misses", 1 << 40, 999)] {
        let name = profile.strings.intern(name);
        let key = EventKey { name, stack, thread, labels: LabelTable::none() };
        profile.events.add(key, EventWeight { events, samples });
    }
    let mut run = Run { id: RunId(9), duration_nanos: 12_000_000, ..Run::default() };
    run.recorders = [Recorder::Cpu, Recorder::Counters].into();
    profile.runs.push(run);
    profile
}

/// A sampled heap of a program that ended, with what 1.3 added.
pub(crate) fn with_heap() -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(4242, 4242, "main");
    let stack = profile.intern_named_path(&["main", "load"], FrameKind::Native).unwrap();
    let site = HeapSite {
        allocated_bytes: 9 << 20,
        allocated_count: 700,
        freed_bytes: 8 << 20,
        freed_count: 650,
        peak_bytes: 3 << 20,
        peak_count: 99,
        temporary_count: 40,
        temporary_bytes: 9_000,
        samples: 18,
        allocated_variance: 4.7e12,
        live_variance: 5.2e11,
        peak_variance: 1.5e12,
    };
    profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
    profile.heap.summary = Some(HeapSummary {
        leaked: Some(HeapBlocks { count: 50, bytes: 1 << 20 }),
        sampling_bytes: Some(512 << 10),
        ..HeapSummary::new(HeapMode::Sampled, 3 << 20, Some(6_000_000))
    });
    let histograms = &mut profile.heap.histograms;
    histograms.sizes.record(13_000, HeapBlocks { count: 600, bytes: 8 << 20 });
    histograms.sizes.record(0, HeapBlocks { count: 100, bytes: 0 });
    histograms.lifetimes.record(5_000, HeapBlocks { count: 650, bytes: 8 << 20 });
    histograms.are_lifetimes_sampled = true;
    for at_nanos in [4_000_000, 8_000_000] {
        let mut snapshot = HeapSnapshot::new(at_nanos);
        snapshot.add(stack, HeapBlocks { count: at_nanos / 100_000, bytes: at_nanos / 4 });
        profile.heap.snapshots.add(snapshot);
        profile.push_heap_point(at_nanos, Some(at_nanos / 4), Some(30 << 20));
    }
    let mut run = Run { id: RunId(10), duration_nanos: 12_000_000, ..Run::default() };
    run.recorders = [Recorder::Heap].into();
    profile.runs.push(run);
    profile
}

/// Two threads and what they waited for, as 1.4 added it.
pub(crate) fn with_links() -> Profile {
    let mut profile = Profile::default();
    let main = profile.intern_thread(4242, 4242, "main");
    let worker = profile.intern_thread(4242, 4243, "worker");
    let stack = profile.intern_named_path(&["load"], FrameKind::Scope).unwrap();
    let span = Span { start_nanos: 1_200, duration_nanos: 8_000, stack };
    profile.timeline.track_mut(worker).spans.push(span);
    let link = |kind, object, (from, from_nanos), (to, since_nanos, to_nanos), held_nanos| Link {
        kind,
        object,
        from,
        from_nanos,
        to,
        since_nanos,
        to_nanos,
        held_nanos,
    };
    profile.timeline.links = vec![
        link(LinkKind::Spawn, 0, (main, 1_000), (worker, 1_100, 1_100), 0),
        link(LinkKind::Lock, 3, (main, 900), (worker, 2_000, 2_010), 700),
        link(LinkKind::Channel, 4, (worker, 5_000), (main, 1_500, 5_060), 0),
        link(LinkKind::Room, 4, (main, 5_060), (worker, 5_010, 5_100), 0),
        link(LinkKind::Barrier, 0, (worker, 6_000), (main, 5_500, 6_020), 0),
        link(LinkKind::Other, 9, (main, 7_000), (worker, 7_500, 7_500), 0),
        link(LinkKind::Join, 0, (worker, 9_300), (main, 7_400, 9_390), 0),
    ];
    let mut run = Run { id: RunId(11), duration_nanos: 12_000, ..Run::default() };
    run.recorders = [Recorder::Scopes].into();
    profile.runs.push(run);
    profile
}

/// What a GPU did for two scopes of one name, as 1.5 added it.
pub(crate) fn with_gpu_scopes() -> Profile {
    let mut profile = Profile::default();
    let outer = profile.intern_named_path(&["step"], FrameKind::Scope).unwrap();
    let inner = profile.intern_named_path(&["step", "linear"], FrameKind::Scope).unwrap();
    let mut labels = |shape: &str| {
        let pair = (profile.strings.intern("shape"), profile.strings.intern(shape));
        profile.labels.intern(&[pair])
    };
    let [small, large] = ["16x16", "256x256"].map(&mut labels);
    let name = profile.strings.intern("gemm");
    let mut durations = DurationStats::default();
    [120, 480].into_iter().for_each(|nanos| durations.record(nanos));
    profile.gpu.add_kernel(KernelKey { name, device: 0, launched_from: Some(inner) }, &durations);
    for (stack, labels, count, nanos) in
        [(outer, LabelTable::none(), 2, 600), (inner, small, 1, 120), (inner, large, 1, 480)]
    {
        profile.gpu.add_scope(GpuScopeKey { stack, labels }, GpuWork { count, nanos });
    }
    let mut run = Run { id: RunId(12), duration_nanos: 12_000, ..Run::default() };
    run.recorders = [Recorder::Gpu].into();
    profile.runs.push(run);
    profile
}
