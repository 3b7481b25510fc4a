//! What is written, as the viewers see it.

use calor_formats::{WriteOptions, chrome};
use calor_model::*;

fn written(profile: &Profile) -> String {
    let mut bytes = Vec::new();
    chrome::write(profile, &WriteOptions::default(), &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_small_profile_is_written_line_by_line() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(4, 5, "main");
    let outer = profile.intern_named_path(&["forward"], FrameKind::Scope).unwrap();
    let inner = profile.intern_named_path(&["forward", "attention"], FrameKind::Scope).unwrap();
    let name = profile.strings.intern("queue");
    let empty = profile.strings.intern("");
    let track = profile.timeline.track_mut(thread);
    track.spans.push(Span { start_nanos: 1_500, duration_nanos: 250, stack: inner });
    track.spans.push(Span { start_nanos: 1_000, duration_nanos: 2_001, stack: outer });
    track.marks.push(Mark { at_nanos: 7, name, details: vec![(name, name)] });
    let points = profile.counters.series_mut(CounterKey { name, unit: empty, thread: None });
    points.push(CounterPoint { at_nanos: 0, value: 2.5 });
    points.push(CounterPoint { at_nanos: 1, value: f64::NAN });
    profile.runs.push(Run { command: Some("infer".to_owned()), duration_nanos: 5_000, ..Run::default() });
    let expected = r#"{"displayTimeUnit":"ns","calor":{"started_at_unix_nanos":0,"duration_nanos":5000,"command":"infer"},"traceEvents":[
{"ph":"M","pid":4,"tid":0,"name":"process_name","args":{"name":"infer"}},
{"ph":"M","pid":4,"tid":5,"name":"thread_name","args":{"name":"main"}},
{"ph":"M","pid":4,"tid":5,"name":"thread_sort_index","args":{"sort_index":0}},
{"ph":"X","pid":4,"tid":5,"ts":1,"dur":2.001,"name":"forward","cat":"calor.scope","args":{}},
{"ph":"X","pid":4,"tid":5,"ts":1.500,"dur":0.250,"name":"attention","cat":"calor.scope","args":{}},
{"ph":"I","s":"t","pid":4,"tid":5,"ts":0.007,"name":"queue","args":{"queue":"queue"}},
{"ph":"C","pid":4,"ts":0,"name":"queue","args":{"value":2.5}}
]}
"#;
    assert_eq!(written(&profile), expected);
}

#[test]
fn an_empty_profile_is_a_trace_without_events() {
    let text = written(&Profile::default());
    assert!(text.ends_with("\"traceEvents\":[\n]}\n"), "{text}");
    assert!(chrome::read(text.as_bytes()).unwrap().is_empty());
}

#[test]
fn threads_of_the_same_numbers_are_written_under_different_ones() {
    let mut profile = Profile::default();
    for (tid, name) in [(0, "a"), (0, "b"), (1, "c"), (1, "d"), (u64::MAX, "e")] {
        let thread = profile.intern_thread(7, tid, name);
        let stack = profile.intern_named_path(&[name], FrameKind::Scope).unwrap();
        profile.timeline.track_mut(thread).spans.push(Span { start_nanos: 0, duration_nanos: 9, stack });
    }
    let again = chrome::read(written(&profile).as_bytes()).unwrap();
    let mut numbers: Vec<u64> = again.threads.iter().map(|(_, thread)| thread.tid).collect();
    let names: Vec<&str> = again.threads.iter().map(|(_, thread)| again.strings.get(thread.name)).collect();
    assert_eq!(names, ["a", "b", "c", "d", "e"]);
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 5);
    // All that overlap were kept apart.
    assert_eq!(again.stacks.iter().filter(|(_, stack)| stack.parent.is_some()).count(), 0);
}

#[test]
fn a_caller_whose_callees_took_longer_is_drawn_as_long_as_they_are() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    let labels = LabelTable::none();
    for (path, nanos) in [(&["a"][..], 10), (&["a", "b"], 30), (&["a", "c"], 5), (&["x", "y"], 7)] {
        let stack = profile.intern_named_path(path, FrameKind::Scope).unwrap();
        let stats = ScopeStats { calls: 1, total_nanos: nanos, ..ScopeStats::default() };
        profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
    }
    let text = written(&profile);
    for line in [
        r#""ts":0,"dur":0.035,"name":"a","#,
        r#""ts":0,"dur":0.030,"name":"b","#,
        r#""ts":0.030,"dur":0.005,"name":"c","#,
        r#""ts":0.035,"dur":0.007,"name":"x","#,
        r#""ts":0.035,"dur":0.007,"name":"y","#,
    ] {
        assert!(text.contains(line), "{text} does not say {line}");
    }
    assert!(text.contains("main (totals, not in order of time)"));
}
