//! The numbers that formats with one number for each call path are filled with.

use calor_formats::{Format, Metric, WriteOptions, read, weights, write};
use calor_model::*;

use crate::told::values;

/// A profile with something of everything on the path `main;work`.
fn profile() -> (Profile, StackId, ThreadId) {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 2, "t");
    let main = profile.intern_named_path(&["main"], FrameKind::Scope).unwrap();
    let work = profile.intern_named_path(&["main", "work"], FrameKind::Scope).unwrap();
    let labels = LabelTable::none();
    for (stack, calls, total_nanos) in [(main, 1, 100), (work, 4, 60)] {
        let stats = ScopeStats { calls, total_nanos, ..ScopeStats::default() };
        profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
    }
    for (kind, nanos) in [(SampleKind::Cpu, 10), (SampleKind::OffCpu, 5)] {
        for at_nanos in [Some(1), Some(2)] {
            let key = SampleKey { kind, stack: work, thread, labels, at_nanos };
            profile.samples.add(key, SampleWeight { count: 1, nanos });
        }
    }
    let site = HeapSite {
        allocated_bytes: 90,
        allocated_count: 3,
        freed_bytes: 50,
        freed_count: 1,
        peak_bytes: 70,
        peak_count: 2,
        temporary_bytes: 8,
        temporary_count: 1,
        ..HeapSite::default()
    };
    profile.heap.add(HeapKey { stack: work, thread, labels }, &site);
    let mut durations = DurationStats::default();
    durations.record(33);
    let kernel = profile.strings.intern("gemm");
    profile.gpu.add_kernel(KernelKey { name: kernel, device: 0, launched_from: Some(work) }, &durations);
    let copies = CopyStats { durations, bytes: 4 };
    let key = CopyKey { kind: CopyKind::HostToDevice, device: 0, is_pageable: None, launched_from: None };
    profile.gpu.add_copies(key, &copies);
    (profile, work, thread)
}

#[test]
fn each_metric_gives_what_a_path_did_itself() {
    let (profile, work, thread) = profile();
    for (metric, expected) in [
        (Metric::Scopes, vec![("main", 40), ("main;work", 60)]),
        (Metric::Cpu, vec![("main;work", 20)]),
        (Metric::OffCpu, vec![("main;work", 10)]),
        (Metric::Wall, vec![("main;work", 30)]),
        (Metric::Allocated, vec![("main;work", 90)]),
        (Metric::Live, vec![("main;work", 40)]),
        (Metric::Peak, vec![("main;work", 70)]),
        (Metric::Temporary, vec![("main;work", 8)]),
        (Metric::Gpu, vec![("copy host to device", 33), ("main;work;gemm", 33)]),
    ] {
        let expected = expected.into_iter().map(|(path, value)| (path.to_owned(), value)).collect();
        assert_eq!(values(&profile, metric), expected, "{metric}");
    }
    // Samples at different times are one row.
    let rows = weights(&profile, Metric::Cpu).rows;
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].stack, rows[0].thread, rows[0].count), (work, Some(thread), 2));
    assert_eq!(Metric::available(&profile), Metric::ALL);
    assert_eq!(Metric::default_for(&profile), Metric::Scopes);
}

#[test]
fn wall_samples_count_alone_where_there_are_any() {
    let (mut profile, stack, thread) = profile();
    let labels = LabelTable::none();
    let key = SampleKey { kind: SampleKind::Wall, stack, thread, labels, at_nanos: None };
    profile.samples.add(key, SampleWeight { count: 1, nanos: 7 });
    assert_eq!(weights(&profile, Metric::Wall).total(), 7);
}

#[test]
fn cpu_samples_alone_are_no_wall_time() {
    let profile = read(b"main;work 12\n").unwrap();
    assert_eq!(Metric::available(&profile), [Metric::Cpu]);
}

#[test]
fn every_format_that_can_be_written_is_told_again_by_its_content() {
    let (profile, ..) = profile();
    for format in Format::ALL.into_iter().filter(|format| format.can_write()) {
        let mut out = Vec::new();
        if let Err(error) = write(&profile, format, &WriteOptions::default(), &mut out) {
            panic!("{format}: {error}");
        }
        // A table could be of anything.
        let expected = Some(format).filter(|format| *format != Format::Csv);
        assert_eq!(Format::detect(&out), expected, "{format}");
    }
}

#[test]
fn what_cannot_be_written_says_what_can() {
    for format in [Format::Json, Format::PerfScript] {
        let error = write(&Profile::default(), format, &WriteOptions::default(), Vec::new());
        let error = error.unwrap_err().to_string();
        assert!(error.contains("cannot be written") && error.contains("folded"), "{error}");
    }
}
