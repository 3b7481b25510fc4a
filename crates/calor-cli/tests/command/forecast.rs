//! `calor forecast`: runs whose growth is known, its pages, its refusals, and that its JSON is as its schema says.

use calor_model::{
    FrameKind, HeapMode, HeapSummary, LabelTable, Profile, Recorder, Run, RunId, ScopeKey, ScopeStats,
};

use super::schema_check::problems;
use super::workbench::Workbench;

/// A run at a size: `pairs` takes 40 n² ns, `read` 900 n ns, and the heap peaks at 1,000 n bytes.
fn profile(size: u64) -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    let mut total = 0;
    for (name, nanos) in [("pairs", 40 * size * size), ("read", 900 * size)] {
        let stack =
            profile.intern_named_path(&["program", name], FrameKind::Scope).expect("a path has a frame");
        let mut stats = ScopeStats { calls: 1, total_nanos: nanos, ..ScopeStats::default() };
        stats.timed.record(nanos);
        profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
        total += nanos;
    }
    profile.heap.summary = Some(HeapSummary::new(HeapMode::Exact, 1_000 * size, Some(1)));
    let mut run =
        Run { id: RunId(u128::from(size)), duration_nanos: total, cpu_nanos: Some(total), ..Run::default() };
    run.labels.insert("n".to_owned(), size.to_string());
    run.recorders = [Recorder::Scopes, Recorder::Heap].into();
    profile.runs.push(run);
    profile
}

const SIZES: [u64; 5] = [100, 200, 300, 400, 600];

fn bench() -> Workbench {
    let bench = Workbench::new();
    for size in SIZES {
        let mut bytes = Vec::new();
        calor_formats::native::write(&profile(size), &mut bytes).expect("a profile can be written");
        bench.put(&format!("run-{size}.calor"), &bytes);
    }
    bench
}

fn arguments(more: &[&'static str]) -> Vec<String> {
    let files = SIZES.map(|size| format!("run-{size}.calor"));
    [&["forecast".to_owned()][..], &files, &more.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()]
        .concat()
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

#[test]
fn time_and_memory_at_four_times_the_size_are_near_what_they_will_be() {
    let bench = bench();
    let asked = arguments(&["--at", "n=4x", "--format", "json"]);
    let told = bench.json(&words(&asked));
    let value = |figure: &serde_json::Value| figure["value"].as_f64().expect("it is a number");
    let truth = (40 * 2400 * 2400 + 900 * 2400) as f64;
    assert!((value(&told["time_ns"]) / truth - 1.0).abs() < 0.05, "{}", told["time_ns"]);
    assert!((value(&told["peak_bytes"]) / 2.4e6 - 1.0).abs() < 0.05, "{}", told["peak_bytes"]);
    assert_eq!((&told["at"], &told["scopes"][1]["name"]), (&2400.0.into(), &"pairs".into()));
    let found = problems(&bench.json(&["schema", "forecast/1"]), &told);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_tier_that_is_left_is_told() {
    let bench = bench();
    let tiers = ["--tier", "L2=1MB:80GB/s", "--tier", "L3=32MB:40GB/s"];
    let page = bench.stdout(&words(&arguments(&[&["--at", "n=4x"][..], &tiers].concat())));
    for expected in
        ["At n = 2400", "leaves L2 for L3", "tier_crossed", "5 runs at 5 sizes, n = 100 to 600", "pairs"]
    {
        assert!(page.contains(expected), "{expected}:\n{page}");
    }
    let small = bench.stdout(&words(&arguments(&["--at", "n=10"])));
    assert!(small.contains("below_measured"), "{small}");
    let near = bench.stdout(&words(&arguments(&[&["--at", "n=700"][..], &tiers].concat())));
    assert!(!near.contains("tier_crossed"), "{near}");
}

#[test]
fn runs_of_different_commands_are_told_beside_the_forecast() {
    let page = |command: fn(u64) -> String| {
        let bench = Workbench::new();
        for size in SIZES {
            let (mut profile, mut bytes) = (profile(size), Vec::new());
            profile.runs[0].command = Some(command(size));
            calor_formats::native::write(&profile, &mut bytes).expect("a profile can be written");
            bench.put(&format!("run-{size}.calor"), &bytes);
        }
        bench.stdout(&words(&arguments(&["--at", "n=4x"])))
    };
    let mixed = page(|size| if size == 100 { "./copies".to_owned() } else { format!("./grow {size}") });
    let (head, rest) = mixed.split_once("Its scopes then").expect("there are scopes");
    assert!(head.contains("the runs are of different commands"), "{mixed}");
    assert!(rest.contains("./copies") && rest.contains("./grow"), "{mixed}");
    let one = page(|size| format!("./grow {size}"));
    assert!(!one.contains("different commands"), "{one}");
}

#[test]
fn sizes_may_stand_before_the_files() {
    let bench = bench();
    let files = SIZES.map(|size| format!("m={}:run-{size}.calor", size * 10));
    let asked = [&["forecast".to_owned()][..], &files, &["--at".to_owned(), "m=24000".to_owned()]].concat();
    let page = bench.stdout(&words(&asked));
    assert!(page.contains("At m = 24000") && page.contains("m = 1000 to 6000"), "{page}");
    bench.stdout(&words(&[&asked[..], &["-o".to_owned(), "page.md".to_owned()]].concat()));
    assert!(!bench.get("page.md").is_empty());
}

#[test]
fn what_cannot_be_forecast_is_told_with_what_to_do() {
    let bench = bench();
    for (arguments, expected) in [
        (
            &["forecast", "run-100.calor", "run-200.calor", "run-300.calor", "--at", "n=4x"][..],
            "4 different sizes at least, found 3",
        ),
        (&["forecast", "run-100.calor", "--at", "tokens=4x"], "write tokens=SIZE:run-100.calor"),
        (&["forecast", "run-100.calor", "--at", "4x"], "such as n=4x, n=8192 or n=8k"),
        (&["forecast", "n=abc:run-100.calor", "--at", "n=4x"], "expected a size above 0 before the file"),
        (&["forecast", "run-100.calor", "--at", "n=4x", "--tier", "L2"], "such as L2=1MiB:78GB/s"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{message}");
    }
}
