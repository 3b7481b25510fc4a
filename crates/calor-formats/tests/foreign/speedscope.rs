//! Documents of speedscope.

use calor_formats::{Format, Metric, WriteOptions, read, read_as, write};
use calor_model::*;
use proptest::prelude::*;

use crate::fixtures::fixture;
use crate::generated::profiles;
use crate::told::{values, warnings};

fn document(profiles: &str) -> Profile {
    let text = format!(
        "{{\"profiles\":[{profiles}],\"shared\":{{\"frames\":[{{\"name\":\"a\"}},{{\"name\":\"b\"}},{{\"name\":\"c\"}}]}}}}"
    );
    read_as(text.as_bytes(), Format::Speedscope).unwrap()
}

fn written(profile: &Profile, metric: Metric) -> Vec<u8> {
    let mut out = Vec::new();
    write(profile, Format::Speedscope, &WriteOptions::with_metric(metric), &mut out).unwrap();
    out
}

#[test]
fn samples_of_py_spy_are_cpu_time_by_thread() {
    let profile = read(fixture(Format::Speedscope, "py-spy")).unwrap();
    let total: u64 = values(&profile, Metric::Cpu).values().sum();
    let n_samples: u64 = profile.samples.iter().map(|(_, weight)| weight.count).sum();
    assert_eq!(total, n_samples * 20_000_000);
    assert_eq!(profile.threads.len(), 2);
    assert!(profile.frames.iter().all(|(_, frame)| frame.kind == FrameKind::Python));
    assert!(profile.warnings.is_empty());
}

#[test]
fn events_of_pyinstrument_are_scopes_with_a_timeline() {
    let profile = read(fixture(Format::Speedscope, "pyinstrument")).unwrap();
    assert_eq!(Metric::available(&profile), [Metric::Scopes]);
    let calls: u64 = profile.scopes.iter().map(|(_, stats)| stats.calls).sum();
    assert_eq!(calls, profile.timeline.n_spans() as u64);
    let total: u64 = values(&profile, Metric::Scopes).values().sum();
    let roots = profile.scopes.iter().filter(|(key, _)| profile.stacks.get(key.stack).parent.is_none());
    assert_eq!(total, roots.map(|(_, stats)| stats.total_nanos).sum::<u64>());
    assert!(profile.warnings.is_empty(), "{:?}", profile.warnings);
}

#[test]
fn all_units_are_understood() {
    for (unit, metric, value) in [
        ("nanoseconds", Metric::Cpu, 2),
        ("microseconds", Metric::Cpu, 2_000),
        ("milliseconds", Metric::Cpu, 2_000_000),
        ("seconds", Metric::Cpu, 2_000_000_000),
        ("none", Metric::Cpu, 2),
        ("bytes", Metric::Allocated, 2),
    ] {
        let profile = document(&format!(
            "{{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"{unit}\",\"samples\":[[0,1]],\"weights\":[2]}}"
        ));
        assert_eq!(values(&profile, metric), [("a;b".to_owned(), value)].into(), "{unit}");
    }
}

#[test]
fn events_that_do_not_match_are_put_right_and_counted() {
    let event =
        |kind: &str, at: i32, frame: u32| format!("{{\"type\":\"{kind}\",\"at\":{at},\"frame\":{frame}}}");
    let events = [
        event("C", 0, 2), // ends what had not begun
        event("O", 0, 0),
        event("O", 10, 1),
        event("O", 20, 2),
        event("C", 30, 1), // ends b, and c with it
        event("O", 25, 2), // earlier than the one before
        event("C", 40, 2),
    ];
    let profile = document(&format!(
        "{{\"type\":\"evented\",\"name\":\"t\",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":50,\"events\":[{}]}}",
        events.join(",")
    ));
    let expected = [("a", 20), ("a;b", 10), ("a;b;c", 10), ("a;c", 10)];
    assert_eq!(
        values(&profile, Metric::Scopes),
        expected.map(|(path, value)| (path.to_owned(), value)).into()
    );
    let expected = [
        ("events_crossed", Some(1)),
        ("events_unclosed", Some(1)),
        ("events_unopened", Some(1)),
        ("events_unordered", Some(1)),
    ];
    assert_eq!(warnings(&profile), expected);
}

#[test]
fn calls_without_end_are_followed_to_a_depth_and_counted() {
    let opens = vec!["{\"type\":\"O\",\"at\":1,\"frame\":0}"; 5000].join(",");
    let profile = document(&format!(
        "{{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"endValue\":9,\"events\":[{opens}]}}"
    ));
    assert_eq!(profile.stacks.len(), 4096);
    assert_eq!(warnings(&profile), [("events_too_deep", Some(904)), ("events_unclosed", Some(4096))]);
}

/// Events of `a` from 0 to 5, and sums under the name that is given.
fn events_and_sums(name: &str, samples: &str, weights: &str) -> Profile {
    document(&format!(
        "{{\"type\":\"evented\",\"name\":\"t\",\"unit\":\"nanoseconds\",\"endValue\":5,\"events\":[{{\"type\":\"O\",\
         \"at\":0,\"frame\":0}},{{\"type\":\"C\",\"at\":5,\"frame\":0}}]}},{{\"type\":\"sampled\",\"name\":\"{name}\",\
         \"unit\":\"nanoseconds\",\"samples\":{samples},\"weights\":{weights}}}"
    ))
}

#[test]
fn samples_that_are_the_sum_of_events_add_nothing() {
    let profile = events_and_sums("t", "[[0]]", "[5]");
    assert!(profile.samples.is_empty() && profile.warnings.is_empty(), "{:?}", profile.warnings);
    assert_eq!(values(&profile, Metric::Scopes), [("a".to_owned(), 5)].into());
}

#[test]
fn time_that_events_leave_out_is_taken_from_the_sums_beside_them() {
    let profile = events_and_sums("t", "[[0],[0,1],[2]]", "[6,3,1]");
    let expected = [("a", 6), ("a;b", 3), ("c", 1)].map(|(path, value)| (path.to_owned(), value));
    assert_eq!(values(&profile, Metric::Scopes), expected.into());
    assert!(profile.samples.is_empty());
    assert_eq!(profile.timeline.n_spans(), 1);
    let calls: u64 = profile.scopes.iter().map(|(_, stats)| stats.calls).sum();
    assert_eq!(calls, 1, "sums have no calls");
    assert_eq!(warnings(&profile), [("calls_unknown", Some(2)), ("timeline_incomplete", None)]);
    assert!(profile.warnings[1].message.contains("leave out 50.0 %"), "{:?}", profile.warnings);
}

#[test]
fn time_of_a_callee_without_a_span_is_not_counted_for_its_caller_as_well() {
    let profile = events_and_sums("t", "[[0],[0,1]]", "[2,3]");
    let expected = [("a", 2), ("a;b", 3)].map(|(path, value)| (path.to_owned(), value));
    assert_eq!(values(&profile, Metric::Scopes), expected.into());
}

#[test]
fn samples_of_another_name_are_samples() {
    let profile = events_and_sums("another thread", "[[1]]", "[7]");
    assert_eq!(values(&profile, Metric::Scopes), [("a".to_owned(), 5)].into());
    assert_eq!(values(&profile, Metric::Cpu), [("b".to_owned(), 7)].into());
}

#[test]
fn a_timeline_is_written_as_events_and_comes_back() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 2, "main");
    let outer = profile.intern_named_path(&["run"], FrameKind::Scope).unwrap();
    let inner = profile.intern_named_path(&["run", "step"], FrameKind::Scope).unwrap();
    let lone = profile.intern_named_path(&["gone", "step"], FrameKind::Scope).unwrap();
    let spans = [(0, 100, outer), (0, 40, inner), (40, 60, inner), (100, 0, inner), (150, 10, lone)];
    for (start_nanos, duration_nanos, stack) in spans {
        profile.timeline.track_mut(thread).spans.push(Span { start_nanos, duration_nanos, stack });
        let stats = profile.scopes.row_mut(ScopeKey { stack, thread, labels: LabelTable::none() });
        stats.calls += 1;
        stats.total_nanos += duration_nanos;
    }
    let again = read(&written(&profile, Metric::Scopes)).unwrap();
    let mut found: Vec<_> = again
        .timeline
        .iter()
        .flat_map(|(_, track)| &track.spans)
        .map(|span| (span.start_nanos, span.duration_nanos, again.path_names(span.stack).join(";")))
        .collect();
    found.sort();
    let mut expected: Vec<_> = spans
        .iter()
        .map(|&(start, nanos, stack)| (start, nanos, profile.path_names(stack).join(";")))
        .collect();
    // A caller without a span of its own begins and ends with what it called.
    expected.push((150, 10, "gone".to_owned()));
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(warnings(&again), []);
}

#[test]
fn calls_and_numbers_of_samples_come_back_and_totals_are_exact() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    let labels = LabelTable::none();
    // Each span is rounded up, so that together they say more than the statistics; the outer scope has no time of its own.
    for (path, calls, total_nanos) in [(&["run"][..], 1, 1000), (&["run", "step"], 3, 1000)] {
        let stack = profile.intern_named_path(path, FrameKind::Scope).unwrap();
        let mut stats = ScopeStats { calls, total_nanos, ..ScopeStats::default() };
        (stats.timed.count, stats.timed.total_nanos) = (calls, total_nanos);
        profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
        for call in 0..calls {
            let span =
                Span { start_nanos: call * 350, duration_nanos: if calls == 1 { 1034 } else { 334 }, stack };
            profile.timeline.track_mut(thread).spans.push(span);
        }
        let key = SampleKey { kind: SampleKind::OffCpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count: 7 * calls, nanos: 70 });
    }
    let without_times = Profile { timeline: Timeline::default(), ..profile.clone() };
    for (profile, is_timed) in [(&profile, true), (&without_times, false)] {
        let again = read(&written(profile, Metric::Scopes)).unwrap();
        let mut found: Vec<(u64, u64)> =
            again.scopes.iter().map(|(_, row)| (row.calls, row.total_nanos)).collect();
        found.sort_unstable();
        assert_eq!(found, [(1, 1000), (3, 1000)]);
        assert_eq!(again.timeline.n_spans() > 0, is_timed);
        assert_eq!(warnings(&again), []);
    }
    let again = read(&written(&profile, Metric::OffCpu)).unwrap();
    let found: Vec<(SampleKind, u64, u64)> =
        again.samples.iter().map(|(key, row)| (key.kind, row.count, row.nanos)).collect();
    assert_eq!(found, [(SampleKind::OffCpu, 7, 70), (SampleKind::OffCpu, 21, 70)]);
}

proptest! {
    #[test]
    fn values_of_any_profile_come_back_to_within_the_precision_of_a_float(profile in profiles()) {
        for metric in Metric::available(&profile) {
            let again = read(&written(&profile, metric)).unwrap();
            let read_as = match metric {
                Metric::Scopes | Metric::OffCpu | Metric::Wall => metric,
                Metric::Cpu | Metric::Gpu => Metric::Cpu,
                _ => Metric::Allocated,
            };
            let (expected, found) = (values(&profile, metric), values(&again, read_as));
            // Spans that say more than the statistics are believed too, and of scopes the whole has to be a number.
            let fits = expected.values().try_fold(0_u64, |sum, value| sum.checked_add(*value)).is_some();
            // What adds up to more than can be counted is cut: see `extremes`.
            let is_cut = warnings(&again).iter().any(|(code, _)| *code == "values_too_large");
            if is_cut || metric == Metric::Scopes && (profile.timeline.n_spans() > 0 || !fits) {
                continue;
            }
            prop_assert_eq!(expected.keys().collect::<Vec<_>>(), found.keys().collect::<Vec<_>>());
            for (path, value) in expected {
                let error = found[&path].abs_diff(value) as f64;
                prop_assert!(error <= value as f64 * 1e-12, "{path}: {value} became {}", found[&path]);
            }
        }
    }

    #[test]
    fn events_of_any_timeline_begin_and_end_in_turn(profile in profiles()) {
        prop_assume!(!profile.scopes.is_empty());
        let again = read(&written(&profile, Metric::Scopes)).unwrap();
        let codes: Vec<&str> = warnings(&again).into_iter().map(|(code, _)| code).collect();
        prop_assert!(!codes.iter().any(|code| code.starts_with("events_")), "{codes:?}");
    }
}
