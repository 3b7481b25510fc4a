//! A walk along every index and column of a file, as the viewer would take it.

use calor_formats::{Metric, WriteOptions, firefox, weights};
use calor_model::Profile;
use proptest::prelude::*;
use serde_json::Value;

use crate::generated::profiles;

/// What the viewer wants to be there.
const TABLES: [(&str, &[&str]); 7] = [
    ("samples", &["stack", "timeDeltas", "weight"]),
    ("markers", &["category", "data", "endTime", "name", "phase", "startTime"]),
    ("stackTable", &["prefix", "frame"]),
    (
        "frameTable",
        &[
            "address",
            "inlineDepth",
            "category",
            "subcategory",
            "func",
            "nativeSymbol",
            "innerWindowID",
            "line",
            "column",
        ],
    ),
    ("funcTable", &["name", "isJS", "relevantForJS", "resource", "fileName", "lineNumber", "columnNumber"]),
    ("resourceTable", &["lib", "name", "host", "type"]),
    ("nativeSymbols", &["address", "functionSize", "libIndex", "name"]),
];

/// The file of a profile.
pub(crate) fn written(profile: &Profile, metric: Option<Metric>) -> Value {
    let mut bytes = Vec::new();
    let mut options = WriteOptions::default();
    options.metric = metric;
    firefox::write(profile, &options, &mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

fn rows<'v>(thread: &'v Value, table: &str, column: &str) -> &'v [Value] {
    thread[table][column].as_array().unwrap()
}

/// Asserts that a column points into a table of `limit` rows or holds what stands for nothing.
fn points_into(thread: &Value, (table, column): (&str, &str), limit: usize, nothing: &Value) {
    for value in rows(thread, table, column) {
        let is_inside = value.as_u64().is_some_and(|index| index < limit as u64);
        assert!(is_inside || value == nothing, "{table}.{column}: {value} is not below {limit}");
    }
}

fn length(thread: &Value, table: &str) -> usize {
    thread[table]["length"].as_u64().unwrap() as usize
}

/// Walks a whole file; the sum of its weights in the unit of the metric.
pub(crate) fn walk(file: &Value) -> f64 {
    let meta = &file["meta"];
    for key in ["interval", "startTime", "version", "preprocessedProfileVersion", "processType"] {
        assert!(meta[key].is_number(), "meta.{key} is {}", meta[key]);
    }
    assert!(meta["product"].is_string() && meta["markerSchema"].is_array() && file["libs"].is_array());
    let n_categories = meta["categories"].as_array().unwrap().len();
    let threads = file["threads"].as_array().unwrap();
    assert!(!threads.is_empty());
    for counter in file["counters"].as_array().unwrap() {
        assert!(counter["mainThreadIndex"].as_u64().unwrap() < threads.len() as u64);
        for column in ["timeDeltas", "count"] {
            let rows = counter["samples"][column].as_array().unwrap();
            assert_eq!(rows.len() as u64, counter["samples"]["length"].as_u64().unwrap());
            assert!(rows.iter().all(Value::is_number), "{counter}");
        }
    }
    threads.iter().map(|thread| walk_thread(thread, n_categories)).sum()
}

fn walk_thread(thread: &Value, n_categories: usize) -> f64 {
    for (table, columns) in TABLES {
        for column in columns {
            assert_eq!(rows(thread, table, column).len(), length(thread, table), "{table}.{column}");
        }
    }
    for key in ["name", "pid", "tid", "processType", "processName"] {
        assert!(thread[key].is_string(), "{key} is {}", thread[key]);
    }
    let n_strings = thread["stringArray"].as_array().unwrap().len();
    let (none, nowhere) = (Value::Null, Value::from(-1));
    points_into(thread, ("samples", "stack"), length(thread, "stackTable"), &none);
    points_into(thread, ("stackTable", "frame"), length(thread, "frameTable"), &Value::from("never"));
    points_into(thread, ("frameTable", "func"), length(thread, "funcTable"), &Value::from("never"));
    points_into(thread, ("frameTable", "category"), n_categories, &Value::from("never"));
    points_into(thread, ("funcTable", "name"), n_strings, &Value::from("never"));
    points_into(thread, ("funcTable", "fileName"), n_strings, &none);
    points_into(thread, ("funcTable", "resource"), length(thread, "resourceTable"), &nowhere);
    points_into(thread, ("resourceTable", "name"), n_strings, &Value::from("never"));
    points_into(thread, ("markers", "name"), n_strings, &Value::from("never"));
    points_into(thread, ("markers", "category"), n_categories, &Value::from("never"));
    for (row, prefix) in rows(thread, "stackTable", "prefix").iter().enumerate() {
        assert!(
            prefix.is_null() || prefix.as_u64().unwrap() < row as u64,
            "a caller stands before its callees"
        );
    }
    assert!(rows(thread, "samples", "timeDeltas").iter().all(|delta| delta.as_f64().unwrap() >= 0.0));
    rows(thread, "samples", "weight").iter().map(|weight| weight.as_f64().unwrap()).sum()
}

proptest! {
    #[test]
    fn every_index_points_somewhere_and_weights_add_up_to_the_total(profile in profiles()) {
        for metric in Metric::available(&profile) {
            let total = weights(&profile, metric).total();
            let expected = if metric.unit() == "bytes" { total as f64 } else { total as f64 / 1e6 };
            let found = walk(&written(&profile, Some(metric)));
            prop_assert!((found - expected).abs() <= expected * 1e-9 + 1e-9, "{}: {} not {}", metric, found, expected);
        }
        walk(&written(&profile, None));
    }
}

#[test]
fn a_metric_that_was_not_recorded_is_refused() {
    let refused = firefox::write(&Profile::default(), &WriteOptions::with_metric(Metric::Cpu), Vec::new());
    assert!(refused.unwrap_err().to_string().contains("no cpu"));
}

#[test]
fn an_empty_profile_is_a_file_that_can_be_opened() {
    let file = written(&Profile::default(), None);
    assert_eq!(walk(&file), 0.0);
    assert_eq!(file["threads"][0]["name"], "nothing recorded (totals, not in order of time)");
}
