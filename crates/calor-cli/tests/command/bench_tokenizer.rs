//! `calor bench tokenizer`.

use serde_json::Value;

use super::workbench::Workbench;

/// As little as there is to measure, on text from a file so that it is short.
const LITTLE: [&str; 13] = [
    "bench",
    "tokenizer",
    "--quick",
    "--text",
    "text.txt",
    "--lengths",
    "64",
    "--batch",
    "1",
    "--threads",
    "1",
    "--cache",
    "100",
];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    LITTLE.iter().copied().chain(more.iter().copied()).collect()
}

fn bench() -> Workbench {
    let bench = Workbench::new();
    bench.put("text.txt", "The quick brown fox: 12 jumps, it's fine.\n".repeat(60).as_bytes());
    bench
}

#[test]
fn figures_are_told_as_json_with_whether_ids_are_right() {
    let page: Value =
        serde_json::from_str(&bench().stdout(&with(&["--format", "json"]))).expect("it is JSON");
    assert_eq!(page["schema"], "calor/bench/1");
    assert_eq!(page["name"], "tokenizer");
    let results = page["results"].as_array().expect("results are a list");
    let of = |case: &str, unit: &str| {
        results.iter().find(|one| one["case"] == case && one["unit"] == unit).cloned()
    };
    let ours = of("calor encode", "MB/s").expect("ours was measured");
    assert_eq!(ours["verified"], true);
    assert!(ours["median"].as_f64() > Some(0.0));
    for (case, unit) in [
        ("tokenizers encode_fast", "MB/s"),
        ("tokenizers encode", "tokens/s"),
        ("tokenizers stage", "ns/byte"),
        ("calor counts", "count"),
        ("calor latency", "ns"),
        ("calor cache", "hit rate"),
        ("vocabulary", "bytes/token"),
    ] {
        assert!(of(case, unit).is_some(), "{case} in {unit}: {page:#}");
    }
}

#[test]
fn the_profile_has_a_scope_for_each_case() {
    let bench = bench();
    let page = bench.stdout(&with(&["--profile", "run.calor"]));
    for heading in [
        "Throughput on one thread",
        "Where the time goes",
        "What was done",
        "By length of input",
        "word cache",
    ] {
        assert!(page.contains(heading), "{heading}: {page}");
    }
    let report: Value = serde_json::from_str(&bench.stdout(&["report", "run.calor", "--format", "json"]))
        .expect("it is JSON");
    let names: Vec<&str> = report["hot_paths"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|path| path["name"].as_str())
        .collect();
    for name in ["tokenizers encode_fast", "calor encode", "tokenizers batch", "pre-tokenise"] {
        assert!(names.iter().any(|found| found.contains(name)), "{name}: {names:?}");
    }
}

#[test]
fn what_cannot_be_measured_is_refused_with_what_can() {
    let bench = bench();
    bench.put("bytes", b"\xff\xfe");
    bench.put("no.json", b"{}");
    bench.put("short", b"abc");
    for (arguments, expected) in [
        (&["--lengths", "0"][..], "expected 1 to 1048576"),
        (&["--lengths", "x"][..], "expected a whole number such as 64"),
        (&["--batch", "8,8"][..], "8, twice"),
        (&["--threads", "100000"][..], "core"),
        (&["--cache", "2M"][..], "expected 0 to 1048576"),
        (&["--text", "missing"][..], "missing: no such file: name a file with text"),
        (&["--text", "bytes"][..], "it is not UTF-8 text (byte 0)"),
        (&["--text", "short"][..], "has 3 bytes"),
        (
            &["--model", "no.json"][..],
            "it is JSON and no tokeniser, which has a `model`: expected the tokenizer.json",
        ),
        (&["--model", "missing"][..], "missing: no such file: expected the tokenizer.json"),
    ] {
        let message = bench.failure(&[&["bench", "tokenizer", "--quick"], arguments].concat());
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}
