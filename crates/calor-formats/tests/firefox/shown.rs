//! What a viewer shows of a file.

use calor_formats::{Format, Metric, WriteOptions, firefox};
use calor_model::*;
use serde_json::json;

use crate::indexes::{walk, written};

/// One thread with a sample, a span and a mark, and a counter.
fn profile() -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(7, 9, "worker");
    let stack = profile.intern_named_path(&["main", "matmul"], FrameKind::Native).unwrap();
    let labels = LabelTable::none();
    for (at_nanos, nanos) in [(3_000_000, 1_000_000), (1_000_000, 500_000)] {
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: Some(at_nanos) };
        profile.samples.add(key, SampleWeight { count: 1, nanos });
    }
    let (name, unit) = (profile.strings.intern("heat"), profile.strings.intern("celsius"));
    let scope = profile.intern_named_path(&["forward"], FrameKind::Scope).unwrap();
    let track = profile.timeline.track_mut(thread);
    track.spans.push(Span { start_nanos: 2_000_000, duration_nanos: 250_000, stack: scope });
    track.marks.push(Mark { at_nanos: 4_000_000, name, details: vec![(name, unit)] });
    let points = profile.counters.series_mut(CounterKey { name, unit, thread: None });
    for (at_nanos, value) in [(0, 40.0), (2_000_000, 45.5), (5_000_000, 42.0)] {
        points.push(CounterPoint { at_nanos, value });
    }
    profile.runs.push(Run {
        command: Some("infer".to_owned()),
        started_at_unix_nanos: 1_750_000_000_000_000_000,
        duration_nanos: 6_000_000,
        ..Run::default()
    });
    profile
}

#[test]
fn samples_stand_at_their_times_with_their_weights_in_milliseconds() {
    let file = written(&profile(), None);
    walk(&file);
    let thread = &file["threads"][0];
    assert_eq!(
        (&thread["name"], &thread["pid"], &thread["tid"]),
        (&json!("worker"), &json!("7"), &json!("9"))
    );
    assert_eq!(thread["samples"]["timeDeltas"], json!([1.0, 2.0]));
    assert_eq!(thread["samples"]["weight"], json!([0.5, 1.0]));
    assert_eq!(thread["samples"]["weightType"], "tracing-ms");
    assert_eq!(thread["stackTable"]["prefix"], json!([null, 0]));
    assert_eq!(file["meta"]["interval"], json!(0.75));
    assert_eq!(file["meta"]["startTime"], json!(1_750_000_000_000.0));
    assert_eq!(file["meta"]["product"], "Calor: infer");
}

#[test]
fn spans_are_intervals_marks_are_instants_and_both_have_a_schema() {
    let file = written(&profile(), None);
    let markers = &file["threads"][0]["markers"];
    assert_eq!(markers["phase"], json!([1, 0]));
    assert_eq!(markers["startTime"], json!([2.0, 4.0]));
    assert_eq!(markers["endTime"], json!([2.25, null]));
    assert_eq!(markers["data"], json!([{"type": "Span"}, {"type": "Mark", "details": "heat: celsius"}]));
    let schemas = file["meta"]["markerSchema"].as_array().unwrap();
    let names: Vec<&str> = schemas.iter().filter_map(|schema| schema["name"].as_str()).collect();
    assert_eq!(names, ["Span", "Mark"]);
}

#[test]
fn frames_are_coloured_by_their_kind() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    use FrameKind::*;
    let kinds = [Scope, Context, Native, Kernel, Python, Gpu, Synthetic];
    for kind in kinds {
        let stack = profile.intern_named_path(&[&format!("{kind:?}")], kind).unwrap();
        let stats = ScopeStats { calls: 1, total_nanos: 1, ..ScopeStats::default() };
        profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
    }
    let file = written(&profile, None);
    let thread = &file["threads"][0];
    let category = |index: usize| {
        let category = thread["frameTable"]["category"][index].as_u64().unwrap() as usize;
        file["meta"]["categories"][category]["name"].as_str().unwrap().to_owned()
    };
    let shown: Vec<String> = (0..kinds.len()).map(category).collect();
    assert_eq!(shown, ["Scope", "Context", "Native", "Kernel", "Python", "GPU", "Other"]);
}

#[test]
fn counters_are_changes_and_say_their_unit() {
    let counter = &written(&profile(), None)["counters"][0];
    assert_eq!(counter["samples"]["count"], json!([40.0, 5.5, -3.5]));
    assert_eq!(counter["samples"]["timeDeltas"], json!([0.0, 2.0, 3.0]));
    assert_eq!(counter["description"], "celsius, whatever unit is shown");
}

#[test]
fn totals_without_a_time_are_named_so() {
    let mut profile = profile();
    let thread = profile.intern_thread(7, 10, "other");
    let stack = profile.intern_named_path(&["main", "alloc"], FrameKind::Native).unwrap();
    let key = HeapKey { stack, thread, labels: LabelTable::none() };
    profile.heap.add(key, &HeapSite { allocated_bytes: 5_000_000_000, ..HeapSite::default() });
    let file = written(&profile, Some(Metric::Allocated));
    let names: Vec<&str> =
        file["threads"].as_array().unwrap().iter().filter_map(|thread| thread["name"].as_str()).collect();
    assert_eq!(names, ["worker", "other (totals, not in order of time)"]);
    // More than fits into 32 bits.
    assert_eq!(file["threads"][1]["samples"]["weight"], json!([5_000_000_000_u64]));
    assert_eq!(file["threads"][1]["samples"]["weightType"], "bytes");
}

#[test]
fn a_file_is_known_for_what_it_is_and_not_read() {
    let mut bytes = Vec::new();
    firefox::write(&profile(), &WriteOptions::default(), &mut bytes).unwrap();
    assert_eq!(Format::detect(&bytes), Some(Format::Firefox));
    let error = calor_formats::read(&bytes).unwrap_err().to_string();
    assert!(error.contains("firefox cannot be read here"), "{error}");
}
