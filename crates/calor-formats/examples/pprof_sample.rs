//! Writes a pprof file that has every sample type, and prints as JSON what a reader of the format has to find in
//! it: the sum of each sample type, and the time of two functions. `tests/readers/pprof_check.py` compares.
//!
//! Run with `cargo run -p calor-formats --features all --example pprof_sample -- sample.pb.gz`.

use std::error::Error;
use std::fs::File;

use calor_formats::{Metric, WriteOptions, pprof, weights};
use calor_model::*;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("expected the path of the file to write")?;
    let profile = sample();
    pprof::write(&profile, &WriteOptions::default(), File::create(path)?)?;
    println!("{}", expectations(&profile));
    Ok(())
}

/// Sums as the profile has them, under the names of the sample types.
fn expectations(profile: &Profile) -> String {
    let of = |metric: Metric| weights(profile, metric);
    let count = |metric: Metric| of(metric).rows.iter().map(|row| row.count).sum::<u64>();
    let copied: u64 = profile.gpu.copies.values().map(|copies| copies.bytes).sum();
    let temporary = profile
        .heap
        .iter()
        .fold((0, 0), |sum, (_, site)| (sum.0 + site.temporary_count, sum.1 + site.temporary_bytes));
    let sums = [
        ("samples", count(Metric::Cpu)),
        ("cpu", of(Metric::Cpu).total()),
        ("wall_samples", count(Metric::Wall)),
        ("wall", of(Metric::Wall).total()),
        ("off_cpu_samples", count(Metric::OffCpu)),
        ("off_cpu", of(Metric::OffCpu).total()),
        ("scope_calls", count(Metric::Scopes)),
        ("scope_time", of(Metric::Scopes).total()),
        ("gpu_launches", count(Metric::Gpu)),
        ("gpu_time", of(Metric::Gpu).total()),
        ("gpu_copied", copied),
        ("alloc_objects", count(Metric::Allocated)),
        ("alloc_space", of(Metric::Allocated).total()),
        ("inuse_objects", count(Metric::Live)),
        ("inuse_space", of(Metric::Live).total()),
        ("peak_objects", count(Metric::Peak)),
        ("peak_space", of(Metric::Peak).total()),
        ("temporary_objects", temporary.0),
        ("temporary_space", temporary.1),
    ];
    let sums: Vec<String> = sums.iter().map(|(name, sum)| format!("    \"{name}\": {sum}")).collect();
    let self_nanos = |name: &str| -> u64 {
        let cpu = of(Metric::Cpu);
        cpu.rows
            .iter()
            .filter(|row| cpu.path_names(row.stack).last() == Some(&name))
            .map(|row| row.value)
            .sum()
    };
    format!(
        "{{\n  \"sums\": {{\n{}\n  }},\n  \"self_cpu\": {{\n    \"matmul\": {},\n    \"größe\": {}\n  }},\n  \
         \"threads\": [\"main\", \"worker\"],\n  \"default_sample_type\": \"scope_time\"\n}}",
        sums.join(",\n"),
        self_nanos("matmul"),
        self_nanos("größe")
    )
}

fn sample() -> Profile {
    let mut profile = Profile::default();
    let threads = [profile.intern_thread(40, 41, "main"), profile.intern_thread(40, 42, "worker")];
    let request = (profile.strings.intern("request"), profile.strings.intern("chat"));
    let labels = [LabelTable::none(), profile.labels.intern(&[request])];
    let paths: Vec<StackId> = [
        &[("main", FrameKind::Native, false), ("forward", FrameKind::Python, false)][..],
        &[
            ("main", FrameKind::Native, false),
            ("matmul", FrameKind::Native, false),
            ("fma", FrameKind::Native, true),
        ],
        &[("main", FrameKind::Native, false), ("matmul", FrameKind::Native, false)],
        &[("größe", FrameKind::Kernel, false)],
    ]
    .iter()
    .filter_map(|path| path_of(&mut profile, path))
    .collect();
    for (index, &stack) in paths.iter().enumerate() {
        let (n, thread, labels) = (index as u64 + 1, threads[index % 2], labels[index % 2]);
        for (kind, nanos) in
            [(SampleKind::Cpu, 10_000_000), (SampleKind::Wall, 11), (SampleKind::OffCpu, 1_700)]
        {
            let key = SampleKey { kind, stack, thread, labels, at_nanos: None };
            profile.samples.add(key, SampleWeight { count: n, nanos: n * nanos });
        }
        let site = HeapSite {
            allocated_bytes: 4096 * n,
            allocated_count: 4 * n,
            freed_bytes: 1024 * n,
            freed_count: n,
            peak_bytes: 2048 * n,
            peak_count: 2 * n,
            temporary_count: n,
            temporary_bytes: 512 * n,
            ..HeapSite::default()
        };
        profile.heap.add(HeapKey { stack, thread, labels }, &site);
    }
    for (depth, total_nanos) in [(1, 9_000), (2, 7_500), (3, 1_000)] {
        let names = ["step", "layer", "attention"];
        if let Some(stack) = profile.intern_named_path(&names[..depth], FrameKind::Scope) {
            let stats = ScopeStats { calls: depth as u64 * 3, total_nanos, ..ScopeStats::default() };
            profile.scopes.add(ScopeKey { stack, thread: threads[0], labels: labels[0] }, stats);
        }
    }
    let mut durations = DurationStats::default();
    [300, 500, 700].into_iter().for_each(|nanos| durations.record(nanos));
    let name = profile.strings.intern("gemm_kernel");
    profile.gpu.add_kernel(KernelKey { name, device: 0, launched_from: paths.first().copied() }, &durations);
    let key =
        CopyKey { kind: CopyKind::HostToDevice, device: 1, is_pageable: Some(true), launched_from: None };
    profile.gpu.add_copies(key, &CopyStats { durations, bytes: 1 << 20 });
    profile.heap.summary = Some(HeapSummary::new(HeapMode::Exact, 20_480, None));
    profile.runs.push(Run {
        command: Some("infer --model tiny".to_owned()),
        started_at_unix_nanos: 1_750_000_000_000_000_000,
        duration_nanos: 2_000_000_000,
        ..Run::default()
    });
    profile
}

fn path_of(profile: &mut Profile, path: &[(&str, FrameKind, bool)]) -> Option<StackId> {
    let mut stack = None;
    for (line, &(name, kind, is_inlined)) in (10..).zip(path) {
        let frame = Frame {
            name: profile.strings.intern(name),
            kind,
            module: Some(profile.strings.intern("libinfer.so")),
            file: Some(profile.strings.intern(if kind == FrameKind::Python {
                "model.py"
            } else {
                "infer.c"
            })),
            line: Some(line),
            is_inlined,
        };
        let frame = profile.frames.intern(frame);
        stack = Some(profile.stacks.intern(stack, frame));
    }
    stack
}
