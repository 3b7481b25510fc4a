//! A profile drawn by hand: a small transformer that runs on two threads, with every part a report shows.

use std::collections::{BTreeMap, BTreeSet};

use calor_model::{
    Canary, Cost, Frame, FrameKind, FutureStats, HeapKey, HeapMode, HeapSite, HeapSummary, Host, LabelTable,
    Profile, Recorder, Run, RunId, SampleKey, SampleKind, SampleWeight, ScopeKey, ScopeStats, StackId,
    Warning,
};

/// Interns a path of scopes that have a place in the source.
fn stack(profile: &mut Profile, path: &[&str]) -> StackId {
    let file = profile.strings.intern("src/model.rs");
    let mut stack = None;
    for name in path {
        let line = Some(10 + name.len() as u32);
        let name = profile.strings.intern(name);
        let frame = Frame { file: Some(file), line, ..Frame::new(name, FrameKind::Scope) };
        let frame = profile.frames.intern(frame);
        stack = Some(profile.stacks.intern(stack, frame));
    }
    stack.expect("a path has a frame")
}

fn scope(profile: &mut Profile, thread: &str, path: &[&str], stats: ScopeStats) {
    let stack = stack(profile, path);
    let tid = if thread == "main" { 4711 } else { 4712 };
    let thread = profile.intern_thread(4711, tid, thread);
    profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
}

/// `calls` calls of about `mean` nanoseconds each, from 0.8 to 1.2 times as long.
fn calls(calls: u64, mean: u64) -> ScopeStats {
    let mut stats = ScopeStats { calls, ..ScopeStats::default() };
    for call in 0..calls {
        stats.timed.record(mean * (80 + 10 * (call % 5)) / 100);
    }
    stats.total_nanos = stats.timed.total_nanos;
    stats
}

pub(crate) fn run() -> Run {
    Run {
        id: RunId(7),
        command: Some("target/release/infer --model tiny --prompt 'to be'".to_owned()),
        started_at_unix_nanos: 1_763_217_765_000_000_000,
        duration_nanos: 2_400_000_000,
        cpu_nanos: Some(4_100_000_000),
        host: Host {
            name: "bench-1".to_owned(),
            os: "linux".to_owned(),
            kernel: "6.12.9".to_owned(),
            arch: "x86_64".to_owned(),
            cpu: "AMD EPYC 9B45".to_owned(),
            cpu_features: ["avx2".to_owned(), "fma".to_owned()].into(),
            cores: Some(8),
            memory_bytes: Some(32 << 30),
        },
        commit: Some("1f9c2ab".to_owned()),
        labels: BTreeMap::from([("batch".to_owned(), "8".to_owned())]),
        recorders: BTreeSet::from([Recorder::Scopes, Recorder::Heap, Recorder::Cpu]),
        cost: Cost {
            own_cpu_nanos: Some(9_400_000),
            per_scope_picos: Some(22_400),
            inside_scope_picos: Some(9_100),
            memory_bytes: Some(3 << 20),
        },
        canary: Canary::default(),
    }
}

/// Scopes, an estimate, an async scope, a heap, samples and a warning.
pub(crate) fn transformer() -> Profile {
    let mut profile = Profile { runs: vec![run()], ..Profile::default() };
    scopes(&mut profile);
    heap(&mut profile);
    samples(&mut profile);
    profile.warn(Warning::counted(
        "samples_lost",
        "samples were lost because the buffer was full: raise its size",
        37,
    ));
    profile
}

fn scopes(profile: &mut Profile) {
    let ms = 1_000_000;
    let mut generate = calls(1, 2_900 * ms);
    generate.work.elements = 4_096;
    generate.work.add_counter(profile.strings.intern("cache hits"), 3_210);
    scope(profile, "main", &["generate"], generate);
    let avx2 = profile.strings.intern("avx2");
    for (thread, n) in [("main", 40), ("worker", 24)] {
        let forward: &[&str] = if thread == "main" { &["generate", "forward"] } else { &["forward"] };
        let path = |names: &[&'static str]| [forward, names].concat();
        scope(profile, thread, forward, calls(n, 50 * ms));
        scope(profile, thread, &path(&["attention"]), calls(n * 12, 2_400_000));
        let mut matmul = calls(n * 48, 380_000);
        matmul.work.flops = n * 48 * 16_000_000;
        matmul.work.bytes = n * 48 * 900_000;
        matmul.work.add_backend(avx2, n * 48);
        scope(profile, thread, &path(&["attention", "matmul"]), matmul);
        scope(profile, thread, &path(&["attention", "softmax"]), calls(n * 12, 210_000));
        scope(profile, thread, &path(&["feed_forward"]), calls(n * 12, 1_300_000));
        let mut matmul = calls(n * 24, 550_000);
        matmul.work.flops = n * 24 * 33_000_000;
        scope(profile, thread, &path(&["feed_forward", "matmul"]), matmul);
        scope(profile, thread, &path(&["layer_norm"]), calls(n * 24, 31_000));
    }
    // Only one call in a hundred was timed.
    let mut sampled = calls(500, 420);
    sampled.calls = 50_000;
    sampled.total_nanos = 21_000_000;
    sampled.total_variance = 1.6e11;
    scope(profile, "main", &["generate", "sample_token"], sampled);
    let mut fetch = calls(12, 90_000);
    let mut future = FutureStats { cancelled: 1, ..FutureStats::default() };
    (0..4).for_each(|life| future.wall.record((20 + life) * ms));
    fetch.future = Some(Box::new(future));
    scope(profile, "worker", &["fetch_prompt"], fetch);
}

fn heap(profile: &mut Profile) {
    profile.heap.summary = Some(HeapSummary::new(HeapMode::Exact, 412 << 20, Some(1_900_000_000)));
    let thread = profile.intern_thread(4711, 4711, "main");
    for (path, bytes, count, freed) in [
        (&["generate", "forward", "attention"][..], 3_u64 << 30, 40_960, 3_u64 << 30),
        (&["generate", "forward", "feed_forward"][..], 1 << 30, 9_000, 1 << 30),
        (&["generate"][..], 400 << 20, 12, 16 << 20),
    ] {
        let stack = stack(profile, path);
        let site = HeapSite {
            allocated_bytes: bytes,
            allocated_count: count,
            freed_bytes: freed,
            freed_count: if freed == bytes { count } else { 3 },
            peak_bytes: bytes / 8,
            peak_count: 1,
            temporary_count: count / 2,
            temporary_bytes: bytes / 2,
            ..HeapSite::default()
        };
        profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
    }
}

fn samples(profile: &mut Profile) {
    let thread = profile.intern_thread(4711, 4711, "main");
    let places = [
        (SampleKind::Cpu, &["main", "infer::gemm::<f32>"][..], 1_450),
        (SampleKind::Cpu, &["main", "infer::softmax"][..], 210),
        (SampleKind::Cpu, &["main"][..], 40),
        (SampleKind::OffCpu, &["main", "read"][..], 120),
    ];
    for (kind, path, count) in places {
        let stack = profile.intern_named_path(path, FrameKind::Native).expect("a path has a frame");
        let key = SampleKey { kind, stack, thread, labels: LabelTable::none(), at_nanos: None };
        profile.samples.add(key, SampleWeight { count, nanos: count * 1_000_000 });
    }
}
