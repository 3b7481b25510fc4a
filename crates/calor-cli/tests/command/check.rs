//! `calor check` on profiles whose scopes are known: what it makes of baselines and budgets, and that its pages say so.

use serde_json::Value;

use super::compare::{Sketch, put};
use super::schema_check::problems;
use super::workbench::{Workbench, text};

const BEFORE: [&str; 3] = ["a1.calor", "a2.calor", "a3.calor"];
const WORSE: [&str; 3] = ["b1.calor", "b2.calor", "b3.calor"];
const EQUAL: [&str; 3] = ["c4.calor", "c5.calor", "c6.calor"];

/// Three runs before and a baseline of them, three after in which `attention` takes half as much again, and three as before.
fn bench() -> Workbench {
    let bench = Workbench::new();
    for number in 1..=3 {
        put(&bench, &format!("a{number}.calor"), &Sketch::new(false, number).profile());
        put(&bench, &format!("b{number}.calor"), &Sketch::new(true, number).profile());
        put(&bench, &format!("c{}.calor", number + 3), &Sketch::new(false, number + 3).profile());
    }
    bench.stdout(&[&["baseline", "set", "main"], &BEFORE[..]].concat());
    bench
}

/// The exit code, and all that was said.
fn checked(bench: &Workbench, arguments: &[&str]) -> (Option<i32>, String) {
    let output = bench.run(&[&["check"], arguments].concat());
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

fn json(bench: &Workbench, arguments: &[&str]) -> Value {
    let output = bench.run(&[&["check", "--format", "json"], arguments].concat());
    let page: Value = serde_json::from_slice(&output.stdout).expect("standard output is one object");
    let found = problems(&bench.json(&["schema", "check/1"]), &page);
    assert!(found.is_empty(), "{found:#?}");
    if !page["compare"].is_null() {
        let found = problems(&bench.json(&["schema", "compare/1"]), &page["compare"]);
        assert!(found.is_empty(), "{found:#?}");
    }
    assert_eq!(page["exit_code"].as_i64(), output.status.code().map(i64::from), "{page:#}");
    page
}

#[test]
fn worse_than_the_baseline_is_one_and_the_same_or_better_is_none() {
    let bench = bench();
    bench.stdout(&[&["baseline", "set", "slow"], &WORSE[..]].concat());
    for (baseline, runs, expected, verdict) in
        [("main", WORSE, 1, "regressed"), ("main", EQUAL, 0, "same"), ("slow", EQUAL, 0, "improved")]
    {
        let page = json(&bench, &[&["--baseline", baseline], &runs[..]].concat());
        assert_eq!((&page["exit_code"], &page["verdict"]), (&expected.into(), &verdict.into()), "{page:#}");
        assert_eq!(page["compare"]["runs"], serde_json::json!([3, 3]));
        assert_eq!((&page["baseline"]["name"], &page["baseline"]["runs"]), (&baseline.into(), &3.into()));
    }
    let (_, page) = checked(&bench, &[&["--baseline", "main"], &WORSE[..]].concat());
    assert!(page.starts_with("Regressed: ") && page.contains("time in scopes"), "{page}");
    assert!(page.contains("Held against baseline main:") && page.contains("attention"), "{page}");
    assert!(!page.contains("All scopes"), "a gate tells what changed, and not all:\n{page}");
}

#[test]
fn one_run_on_a_side_is_undecided_with_what_would_settle_it() {
    let bench = bench();
    bench.stdout(&["baseline", "set", "one", "a1.calor"]);
    for (baseline, runs) in [("one", &WORSE[..]), ("main", &WORSE[..1]), ("one", &EQUAL[..1])] {
        let arguments = [&["--baseline", baseline], runs].concat();
        let page = json(&bench, &arguments);
        assert_eq!((&page["verdict"], &page["exit_code"]), (&"undecided".into(), &3.into()), "{page:#}");
        let advice = page["advice"].to_string();
        let command = format!("calor baseline set {baseline} --runs 10 -- ./model");
        assert!(advice.contains(&command), "{advice}");
        assert!(advice.contains("calor check --against 'CMD BEFORE' -- CMD"), "{advice}");
        assert!(advice.contains("`--undecided pass`"), "{advice}");
        for (policy, expected) in [("pass", 0), ("fail", 1), ("tell", 3)] {
            let (code, page) = checked(&bench, &[&arguments[..], &["--undecided", policy]].concat());
            assert_eq!(code, Some(expected), "{page}");
            assert!(!page.contains("--undecided"), "it was said already: {page}");
        }
    }
    let (_, page) = checked(&bench, &[&["--baseline", "one"], &WORSE[..]].concat());
    assert!(page.starts_with("Undecided: suspected to be "), "{page}");
}

#[test]
fn budgets_are_held_against_calls_runs_and_the_whole_program() {
    let bench = bench();
    // Ten calls of attention take 3 ms in each of the runs before, give or take a percent.
    for (budget, expected, each) in [
        ("attention=310us", 0, "a call"),
        ("attention=200us", 1, "a call"),
        ("attention:mean=0.2ms", 1, "a call"),
        ("attention:total=3.1ms", 0, "a run"),
        ("attention:total=2ms", 1, "a run"),
        ("attention:p95=1ms", 0, "a call"),
        ("attention:max=1us", 1, "a call"),
        ("forward:total=1s", 0, "a run"),
        ("wall=1s", 0, "a run"),
        ("total=1ms", 1, "a run"),
    ] {
        let page = json(&bench, &[&["--budget", budget], &BEFORE[..]].concat());
        let entry = &page["budgets"][0];
        assert_eq!(
            (&page["exit_code"], &entry["each"]),
            (&expected.into(), &each.into()),
            "{budget}: {page:#}"
        );
        assert_eq!(entry["ok"], expected == 0);
        assert_eq!(page["verdict"], if expected == 0 { "same" } else { "regressed" });
        assert!(
            entry["limit_ns"].is_u64() && entry["actual_ns"].is_u64() && page["compare"].is_null(),
            "{page:#}"
        );
    }
    let page = json(&bench, &["--budget", "attention=1s", "--budget", "embed=1s", "a1.calor"]);
    let entry = &page["budgets"][0];
    let micros = entry["actual_ns"].as_u64().expect("it was measured") / 1_000;
    assert!((290..=310).contains(&micros) && entry["calls"] == 10, "{page:#}");
    assert_eq!(page["sentence"], "Both budgets are kept.");
}

#[test]
fn a_budget_fails_what_the_baseline_lets_pass() {
    let bench = bench();
    let arguments = [&["--baseline", "main", "--budget", "attention=100us"], &EQUAL[..]].concat();
    let page = json(&bench, &arguments);
    assert_eq!((&page["verdict"], &page["compare"]["verdict"]), (&"regressed".into(), &"same".into()));
    let (code, page) = checked(&bench, &arguments);
    assert_eq!(code, Some(1));
    assert!(page.starts_with("Over budget: attention takes ") && page.contains("\nSame: "), "{page}");
    assert!(page.contains("exceeded"), "{page}");
    // One run is open; with a budget exceeded that is no longer what the exit code says.
    for (budget, code, is_told) in [("attention=1h", 3, true), ("attention=100us", 1, false)] {
        let (found, page) = checked(&bench, &["--baseline", "main", "--budget", budget, "b1.calor"]);
        assert_eq!(found, Some(code), "{page}");
        assert_eq!(page.contains("which is exit code 3 now"), is_told, "{page}");
    }
}

#[test]
fn a_page_in_a_file_leaves_the_verdict_on_the_terminal() {
    let bench = bench();
    for (beginning, file) in [("### Calor check", "c.md"), ("{\n", "c.json"), ("Regressed: ", "c.txt")] {
        let options = ["check", "--baseline", "main", "-o", file];
        let output = bench.run(&[&options[..], &WORSE[..]].concat());
        let said = text(&output.stderr);
        assert!(output.stdout.is_empty() && said.contains("Regressed: "), "{said}");
        assert!(text(&bench.get(file)).starts_with(beginning), "{file}");
    }
    let message = bench.failure(&["check", "--baseline", "main", "-o", "c.html", "a1.calor"]);
    assert!(message.contains("a txt, md or json file, not .html"), "{message}");
}

#[test]
fn what_the_program_no_longer_calls_takes_nothing() {
    let bench = bench();
    // Renamed after.
    let page = json(&bench, &[&["--baseline", "main", "--budget", "layer_norm=1us"], &WORSE[..]].concat());
    assert_eq!((&page["budgets"][0]["ok"], &page["budgets"][0]["actual_ns"]), (&true.into(), &0.into()));
}

#[test]
fn the_settings_have_baseline_budgets_and_what_becomes_of_doubt() {
    let bench = bench();
    let file = "[check]\nbaseline = 'main'\nundecided = 'fail'\n[check.budgets]\nattention = '1us'\n";
    bench.put("calor.toml", file.as_bytes());
    let (code, page) = checked(&bench, &EQUAL);
    assert!(code == Some(1) && page.starts_with("Over budget: attention"), "{page}");
    // A flag wins over the file, also where it is about the same scope.
    let (code, page) = checked(&bench, &[&["--budget", "attention=1s"], &EQUAL[..]].concat());
    assert_eq!(code, Some(0), "{page}");
    bench.put("calor.toml", b"[check]\nbaseline = 'main'\nundecided = 'fail'\n");
    assert_eq!(checked(&bench, &["b1.calor"]).0, Some(1));
    assert_eq!(checked(&bench, &["--undecided", "tell", "b1.calor"]).0, Some(3));
    bench.put("calor.toml", b"[check]\nbudgets = ['attention']\n");
    let message = bench.failure(&["check", "a1.calor"]);
    assert!(message.contains("attention=50ms") && message.contains("calor.toml"), "{message}");
}

#[test]
fn markdown_fits_a_comment_and_junit_has_a_test_for_each_demand() {
    let bench = bench();
    let demands = ["--baseline", "main", "--budget", "attention=1us", "--budget", "embed=1s"];
    let pages = ["--format", "md", "--junit", "check.xml"];
    let output = bench.run(&[&["check"], &demands[..], &pages, &WORSE].concat());
    let page = text(&output.stdout);
    assert!(page.starts_with("### Calor check: failed\n\n**Over budget: attention takes "), "{page}");
    assert!(page.contains("| attention | ") && page.contains("| exceeded |\n"), "{page}");
    assert!(page.contains("<details>") && !page.contains("### Calor compare"), "{page}");
    let suite = text(&bench.get("check.xml"));
    assert!(suite.contains("tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\""), "{suite}");
    assert!(
        suite.contains("name=\"baseline main\"") && suite.contains("<failure type=\"regressed\" "),
        "{suite}"
    );
    assert!(suite.contains("name=\"embed=1.00 s\"/>") && suite.contains("type=\"over_budget\""), "{suite}");
    let skipped = ["check", "--baseline", "main", "--junit", "check.xml", "b1.calor"];
    assert_eq!(bench.run(&skipped).status.code(), Some(3));
    assert!(text(&bench.get("check.xml")).contains("<skipped message=\"Undecided: "));
    bench.failure(&["check", "-q", "--baseline", "main", "--junit", "check.xml", "missing.calor"]);
    assert!(text(&bench.get("check.xml")).contains("errors=\"1\""));
}

#[test]
fn what_cannot_be_checked_is_refused_with_what_to_do() {
    let bench = bench();
    bench.put("stranger.folded", b"begin;other 5\n");
    for (arguments, expected) in [
        (&["check"][..], "nothing to hold against"),
        (&["check", "a1.calor"], "nothing to hold against"),
        (&["check", "--baseline", "main"], "nothing to check"),
        (&["check", "--baseline", "other", "a1.calor"], "there is no baseline `other`, only main"),
        (&["check", "--budget", "attentoin=1s", "a1.calor"], "the nearest are `attention`"),
        (&["check", "--budget", "norm=1s", "a1.calor"], "the nearest are `layer_norm`"),
        (&["check", "--budget", "zzz=1s", "a1.calor"], "`forward`"),
        (&["check", "--budget", "attention", "a1.calor"], "attention=50ms"),
        (&["check", "--budget", "attention=5", "a1.calor"], "has no unit"),
        (&["check", "--budget", "attention=5MB", "a1.calor"], "a size is a limit of peak"),
        (&["check", "--budget", "peak=5MB", "a1.calor"], "calor record --heap"),
        (&["check", "--budget", "cpu=5s", "a1.calor"], "the budget `cpu` cannot be told"),
        (&["check", "--budget", "other:p95=5s", "stranger.folded"], "say `other:total=...`"),
        (&["check", "--baseline", "main", "stranger.folded"], "profiles of different kinds"),
        (&["check", "--baseline", "main", "missing.calor"], "missing.calor: no such file"),
        (&["check", "--against", "./old", "a1.calor"], "--against takes turns with a command"),
        (&["check", "--baseline", "main", "a1.calor", "-o", "no/x.md"], "there is no folder no"),
        (&["check", "--baseline", "main", "--junit", "no/x.xml", "a1.calor"], "there is no folder no"),
        (&["check", "--undecided", "maybe", "a1.calor"], "[possible values: pass, fail, tell]"),
        (&["check", "--baseline", "main", "a1.calor", "--", "true"], "cannot be used with"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}
