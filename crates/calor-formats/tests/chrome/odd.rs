//! What traces have that they should not, one oddity each.

use calor_formats::chrome;

use crate::told::{counters, marks, read, scopes, spans, warnings};

const NOTHING: [&str; 0] = [];

#[test]
fn statistics_are_those_of_the_spans() {
    let profile = read(
        r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":100,"name":"f"},
            {"ph":"X","pid":1,"tid":1,"ts":10,"dur":20,"name":"g"},
            {"ph":"X","pid":1,"tid":1,"ts":40,"dur":30.5,"name":"g"}]"#,
    );
    assert_eq!(scopes(&profile), ["thread 1: f 1 100000 100000 100000", "thread 1: f;g 2 50500 20000 30500"]);
    let stats = profile.scopes.iter().find(|(_, stats)| stats.calls == 2).unwrap().1;
    assert_eq!((stats.timed.count, stats.timed.histogram().count()), (2, 2));
    assert_eq!(profile.duration_nanos(), 100_000);
}

#[test]
fn times_count_from_the_first_event_whatever_the_clock() {
    let profile = read(
        r#"[{"ph":"X","pid":1,"tid":1,"ts":1700000000123456.789,"dur":0.25,"name":"a"},
            {"ph":"i","pid":1,"tid":1,"ts":"1700000000123457.000","name":"m"},
            {"ph":"B","pid":1,"tid":1,"ts":1700000000123458,"name":"b"},
            {"ph":"E","pid":1,"tid":1,"ts":1.700000000123459e15}]"#,
    );
    assert_eq!(spans(&profile), ["thread 1: a 0+250", "thread 1: b 1211+1000"]);
    assert_eq!(marks(&profile), ["thread 1: m 211"]);
    let negative = read(r#"[{"ph":"X","ts":-5,"dur":10,"name":"a"},{"ph":"X","ts":0,"dur":1,"name":"b"}]"#);
    assert_eq!(spans(&negative), ["thread: a 0+10000", "thread: a;b 5000+1000"]);
}

#[test]
fn events_in_any_order_make_the_same_profile() {
    let events = [
        r#"{"ph":"M","pid":1,"tid":7,"name":"thread_name","args":{"name":"worker"}}"#,
        r#"{"ph":"B","pid":1,"tid":7,"ts":0,"name":"a"}"#,
        r#"{"ph":"X","pid":1,"tid":7,"ts":2,"dur":5,"name":"b"}"#,
        r#"{"ph":"X","pid":1,"tid":7,"ts":3,"dur":1,"name":"c"}"#,
        r#"{"ph":"E","pid":1,"tid":7,"ts":9}"#,
    ];
    let expected = ["worker: a 0+9000", "worker: a;b 2000+5000", "worker: a;b;c 3000+1000"];
    for turn in 0..events.len() {
        let mut turned = events;
        turned.rotate_left(turn);
        assert_eq!(spans(&read(format!("[{}]", turned.join(",")))), expected, "turned by {turn}");
    }
    let mut backwards = events;
    backwards.reverse();
    assert_eq!(spans(&read(format!("[{}]", backwards.join(",")))), expected);
}

#[test]
fn events_that_make_no_sense_are_left_out_and_counted() {
    for event in [
        "1",
        "null",
        "\"X\"",
        "true",
        "-1.5",
        "[[{}], 2]",
        "{}",
        r#"{"ph":"X","ts":"soon","dur":1,"name":"a"}"#,
        r#"{"ph":"X","dur":1,"name":"a"}"#,
        r#"{"ph":"X","ts":1,"dur":-1,"name":"a"}"#,
        r#"{"ph":"X","ts":1e300,"dur":1,"name":"a"}"#,
        r#"{"ph":"X","ts":1,"dur":1e300,"name":"a"}"#,
        r#"{"ph":"X","ts":[1],"dur":1,"name":"a"}"#,
        r#"{"ph":"?","ts":1,"name":"a"}"#,
        r#"{"ph":7,"ts":1,"name":"a"}"#,
        r#"{"ph":"M","pid":1,"name":"thread_name"}"#,
        r#"{"ph":"X","ts":"NaN","dur":1,"name":"a"}"#,
    ] {
        let profile = read(format!(r#"[{{"ph":"X","ts":5,"dur":1,"name":"kept"}},{event}]"#));
        assert_eq!(spans(&profile), ["thread: kept 0+1000"], "{event}");
        assert_eq!(warnings(&profile), ["events_malformed 1"], "{event}");
    }
}

#[test]
fn numbers_that_json_does_not_have_cost_no_more_than_their_event() {
    let profile = read(
        r#"{"traceEvents":[{"ph":"X","ts":NaN,"dur":1,"name":"a"},{"ph":"X","ts":5,"dur":1,"name":"NaN, \"Infinity"},
           {"ph":"C","ts":5,"name":"loss","args":{"value":Infinity}},
           {"ph":"C","ts":6,"name":"loss","args":{"value":-Infinity}},
           {"ph":"C","ts":7,"name":"loss","args":{"value":0.5}}]}"#,
    );
    assert_eq!(spans(&profile), ["thread: NaN, \"Infinity 0+1000"]);
    assert_eq!(counters(&profile), ["loss [] 2000=0.5"]);
    assert_eq!(warnings(&profile), ["counter_values_malformed 2", "events_malformed 1"]);
}

#[test]
fn events_that_have_no_place_in_a_profile_are_counted_by_kind() {
    let events: Vec<String> =
        "bensTtfPNODvcS".chars().map(|ph| format!(r#"{{"ph":"{ph}","ts":1,"id":1}}"#)).collect();
    // Alone they are refused: see `foreign::extremes`.
    let profile = read(format!(r#"[{{"ph":"X","name":"a","ts":1,"dur":1}},{}]"#, events.join(",")));
    assert_eq!(
        warnings(&profile),
        ["async_events_skipped 5", "events_skipped 5", "flow_events_skipped 3", "sample_events_skipped 1"]
    );
    assert_eq!(profile.timeline.n_spans(), 1);
}

#[test]
fn threads_go_by_numbers_words_or_nothing_and_are_kept_apart() {
    let profile = read(
        r#"[{"ph":"X","pid":"Spans","tid":"PyTorch Profiler (0)","ts":0,"dur":1,"name":"a"},
            {"ph":"X","pid":"12","tid":"34","ts":0,"dur":1,"name":"b"},
            {"ph":"X","ts":0,"dur":1,"name":"c"},
            {"ph":"X","pid":5000000000,"tid":-1,"ts":0,"dur":1,"name":"d"},
            {"ph":"X","pid":1,"tid":2,"ts":0,"dur":1,"name":"e"},
            {"ph":"X","pid":1,"tid":3,"ts":0,"dur":1,"name":"f"},
            {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"worker"}},
            {"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"worker"}},
            {"ph":"M","pid":1,"tid":3,"name":"thread_sort_index","args":{"sort_index":-1}}]"#,
    );
    let threads: Vec<_> = profile
        .threads
        .iter()
        .map(|(_, thread)| (thread.pid, thread.tid, profile.strings.get(thread.name)))
        .collect();
    assert_eq!(
        threads,
        [
            (1, 3, "worker"),
            (0, 0, "Spans / PyTorch Profiler (0)"),
            (12, 34, "thread 34"),
            (0, 0, "thread"),
            (0, 0, "5000000000 / -1"),
            (1, 2, "worker"),
        ]
    );
    assert_eq!(profile.timeline.n_spans(), 6);
    assert_eq!(warnings(&profile), NOTHING);
}

#[test]
fn counters_are_named_by_how_many_values_and_processes_they_have() {
    let profile = read(
        r#"[{"ph":"C","pid":1,"ts":0,"name":"queue","args":{"value":1}},
            {"ph":"C","pid":1,"ts":1,"name":"queue","args":{"value":"2.5"}},
            {"ph":"C","pid":1,"ts":0,"name":"memory","args":{"bytes":4096}},
            {"ph":"C","pid":1,"ts":0,"name":"pets","args":{"cats":1}},
            {"ph":"C","pid":1,"ts":1,"name":"pets","args":{"cats":2,"dogs":3,"fish":"many"}},
            {"ph":"C","pid":1,"ts":0,"name":"load","id":"0x1","args":{"value":5}},
            {"ph":"C","pid":1,"ts":0,"name":"both","args":{"value":6}},
            {"ph":"C","pid":2,"ts":0,"name":"both","args":{"value":7}}]"#,
    );
    assert_eq!(
        counters(&profile),
        [
            "queue [] 0=1 1000=2.5",
            "memory [bytes] 0=4096",
            "pets cats [] 0=1 1000=2",
            "pets dogs [] 1000=3",
            "load 0x1 [] 0=5",
            "both (process 1) [] 0=6",
            "both (process 2) [] 0=7",
        ]
    );
    assert_eq!(warnings(&profile), ["counter_values_malformed 1"]);
}

#[test]
fn the_object_form_may_say_other_things_before_and_after_its_events() {
    let profile = read(
        r#"{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"x"}],"stackFrames":{"1":{"name":"f"}},
            "traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":3,"dur":1,"name":"a"}],
            "baseTimeNanoseconds":1700000000000000000,"displayTimeUnit":"ms"}"#,
    );
    assert_eq!(spans(&profile), ["thread 1: a 0+1000"]);
    assert_eq!(profile.runs[0].started_at_unix_nanos, 1_700_000_000_000_003_000);
}

#[test]
fn an_empty_trace_is_an_empty_profile() {
    for trace in ["[]", "{\"traceEvents\": []}", " [ ] \n", "[]\0\0\0"] {
        let profile = read(trace);
        assert!(profile.is_empty() && profile.warnings.is_empty(), "{trace:?}");
    }
}

#[test]
fn a_comma_before_the_last_bracket_is_forgiven() {
    let event = r#"{"ph":"X","pid":1,"tid":1,"ts":3,"dur":1,"name":"a"}"#;
    for trace in
        [format!("[{event},]"), format!("[\n{event},\n]\n"), format!("{{\"traceEvents\":[{event} , ] }}")]
    {
        let profile = read(&trace);
        assert_eq!(spans(&profile), ["thread 1: a 0+1000"], "{trace}");
        assert_eq!(warnings(&profile), NOTHING, "{trace}");
    }
}

#[test]
fn what_is_no_trace_is_refused_with_what_was_expected_found_and_where() {
    for (trace, words) in [
        ("5", &["a list of events or an object", "integer `5`", "line 1"][..]),
        ("{\"a\": 1}", &["\"traceEvents\"", "line 1, column 8"]),
        ("{\"traceEvents\": 7}", &["a list of events", "integer `7`", "column 17"]),
        ("[{\"ph\":\"X\",\n\"ts\" 1}]", &["`:`", "line 2, column 6"]),
        ("[{\"ph\": \"X\"} {\"ph\": \"X\"}]", &["`,` or `]`", "line 1, column 14"]),
        ("[] []", &["trailing characters", "column 4"]),
        ("[{\"name\": \"a\nb\"}]", &["control character", "line 1, column 12"]),
        ("[{\"ph\": X}]", &["line 1, column 9"]),
    ] {
        let error = chrome::read(trace.as_bytes()).unwrap_err().to_string();
        for word in words.iter().chain(&["not readable as chrome"]) {
            assert!(error.contains(word), "{trace}: {error:?} does not say {word:?}");
        }
    }
}

#[test]
fn deep_nesting_of_values_and_of_calls_does_no_harm() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let profile = read(format!(
        r#"{{"x":{deep},"traceEvents":[{{"ph":"i","ts":1,"name":{deep},"args":{{"a":{deep}}},"other":{deep}}},{deep}]}}"#
    ));
    assert_eq!(profile.timeline.n_marks(), 1);
    let begins = r#"{"ph":"B","ts":1,"name":"f"},"#.repeat(100_000);
    let profile = read(format!("[{begins}"));
    assert_eq!(profile.timeline.n_spans(), 100_000);
    assert_eq!(warnings(&profile), ["nesting_too_deep 98976", "scopes_unclosed 100000", "trace_cut_off"]);
    let deepest = profile.stacks.iter().map(|(stack, _)| profile.stacks.path(stack).len()).max();
    assert_eq!(deepest, Some(1024));
}
