//! Reports that are read back.

use calor_formats::{Format, Metric, read};
use calor_model::FrameKind;

use crate::fixtures::fixture;
use crate::told::{values, warnings};

#[test]
fn paths_have_the_totals_and_self_times_that_the_report_says() {
    let bytes = fixture(Format::Json, "sketch");
    let report: serde_json::Value = serde_json::from_slice(bytes).unwrap();
    let profile = read(bytes).unwrap();
    let self_nanos = values(&profile, Metric::Scopes);
    let mut n_scopes = 0;
    for entry in report["hot_paths"].as_array().unwrap() {
        if entry["calls"].is_null() {
            continue;
        }
        n_scopes += 1;
        let names: Vec<&str> =
            entry["path"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let path = names.join(";");
        let stats: Vec<_> = profile
            .scopes
            .iter()
            .filter(|(key, _)| profile.path_names(key.stack) == names)
            .map(|(_, stats)| (stats.calls, stats.total_nanos))
            .collect();
        let expected = (entry["calls"].as_u64().unwrap(), entry["total_ns"].as_u64().unwrap());
        assert_eq!(stats, [expected], "{path}");
        let expected = entry["self_ns"].as_u64().unwrap();
        let found = self_nanos.get(&path).copied().unwrap_or(0);
        let total = entry["total_ns"].as_u64().unwrap();
        assert!(found.abs_diff(expected) <= total / 100, "{path}: {found} instead of {expected}");
    }
    assert!(n_scopes > 5);
}

#[test]
fn the_run_comes_back_and_what_a_report_cannot_carry_is_said() {
    let profile = read(fixture(Format::Json, "sketch")).unwrap();
    let run = &profile.runs[0];
    assert_eq!((run.duration_nanos, run.cpu_nanos), (2_400_000_000, Some(4_100_000_000)));
    assert_eq!((run.commit.as_deref(), run.labels["batch"].as_str()), (Some("1f9c2ab"), "8"));
    assert_eq!((run.host.cpu.as_str(), run.host.cores), ("AMD EPYC 9B45", Some(8)));
    assert_eq!(run.started_at_unix_nanos, 1_763_217_765_000_000_000);
    assert_eq!((run.cost.own_cpu_nanos, run.cost.per_scope_picos), (Some(9_400_000), Some(22_400)));
    assert!(warnings(&profile).iter().any(|(code, _)| *code == "report_only"));
    assert!(profile.timeline.is_empty());
}

#[test]
fn percentiles_are_those_of_the_report() {
    for calls in [1_u64, 2, 3, 20, 21, 100, 12_345] {
        // As the report rounds the middle of their buckets.
        let text = format!(
            r#"{{"schema": "calor/report/1", "warnings": [], "run": null, "threads": [],
            "hot_paths": [{{"name": "run", "path": ["run"], "kind": "scope", "calls": {calls}, "total_ns": 90000,
            "self_ns": 90000, "share": 1.0, "min_ns": 500, "max_ns": 40000, "stddev_ns": 3, "p50_ns": 1000,
            "p95_ns": {}, "p99_ns": {}}}]}}"#,
            if calls == 1 { 1000 } else { 20_000 },
            if calls == 1 { 1000 } else { 30_000 },
        );
        let profile = read(text.as_bytes()).unwrap();
        let timed = &profile.scopes.iter().next().unwrap().1.timed;
        assert_eq!(timed.histogram().count(), calls);
        let is_near =
            |share, expected: f64| (timed.quantile_nanos(share).unwrap() / expected - 1.0).abs() < 0.005;
        assert!(is_near(0.5, 1000.0), "{calls}");
        // With few calls all percentiles are of the slowest one, which the report says as well.
        if calls >= 20 {
            assert!(is_near(0.95, 20_000.0), "{calls}: {timed:?}");
        }
        if calls >= 100 {
            assert!(is_near(0.99, 30_000.0), "{calls}: {timed:?}");
        }
    }
}

#[test]
fn a_report_that_was_cut_keeps_self_times_by_a_child_for_the_rest() {
    let text = r#"{"schema": "calor/report/1", "warnings": [], "run": null, "threads": [{"tid": 7, "name": "main"}],
        "hot_paths": [{"name": "run", "path": ["run"], "kind": "scope", "calls": 1, "total_ns": 1000, "self_ns": 100,
        "share": 1.0, "min_ns": 1000, "max_ns": 1000, "stddev_ns": 0}], "off_cpu": [{"name": "wait", "path": ["run"],
        "blocked_ns": 50, "count": 2}], "allocators": [{"name": "alloc", "path": ["run", "alloc"], "allocated_bytes": 64,
        "allocated_count": 4, "live_bytes": 16, "peak_bytes": null}],
        "gpu": {"kernels": [{"name": "gemm", "count": 2, "total_ns": 30, "device": 0}]}}"#;
    let profile = read(text.as_bytes()).unwrap();
    let expected = [("run".to_owned(), 100), ("run;(not in the report)".to_owned(), 900)];
    assert_eq!(values(&profile, Metric::Scopes), expected.into());
    assert_eq!(values(&profile, Metric::OffCpu), [("run".to_owned(), 50)].into());
    assert_eq!(values(&profile, Metric::Live), [("run;alloc".to_owned(), 16)].into());
    assert_eq!(values(&profile, Metric::Gpu), [("gemm".to_owned(), 30)].into());
    let (_, thread) = profile.threads.iter().next().unwrap();
    assert_eq!((thread.tid, profile.strings.get(thread.name)), (7, "main"));
    let kinds: Vec<FrameKind> = profile.frames.iter().map(|(_, frame)| frame.kind).collect();
    assert!(kinds.contains(&FrameKind::Synthetic));
}
