//! `calor compare`: verdicts on runs whose functions are known, its refusals, and that its JSON is as its schema says.

use calor_model::{Canary, FrameKind, Host, LabelTable, Profile, Run, RunId, ScopeKey, ScopeStats};
use serde_json::Value;

use super::schema_check::problems;
use super::workbench::{Workbench, text};

/// What each scope takes in a run before, in microseconds.
const COSTS: [(&str, u64); 12] = [
    ("attention", 3_000),
    ("matmul", 4_000),
    ("layer_norm", 900),
    ("softmax", 800),
    ("embed", 600),
    ("tokenize", 500),
    ("gelu", 450),
    ("sample", 400),
    ("dropout", 350),
    ("residual", 300),
    ("cache", 250),
    ("decode", 200),
];

/// What a run is of.
#[derive(Clone, Copy)]
pub(crate) struct Sketch {
    is_after: bool,
    /// Which of the runs of its side.
    number: u64,
    cpu: &'static str,
}

impl Sketch {
    pub(crate) fn new(is_after: bool, number: u64) -> Self {
        Self { is_after, number, cpu: "Example 9000" }
    }

    /// After, attention takes half as much again in as many calls, embed is called twice as often, and layer_norm is called
    /// layer_norm_fused.
    pub(crate) fn profile(self) -> Profile {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        let labels = LabelTable::none();
        let root = profile.intern_named_path(&["forward"], FrameKind::Scope).expect("a path has a frame");
        let mut total = 1_000;
        for (place, (name, micros)) in COSTS.into_iter().enumerate() {
            let (name, factor, calls) = match (self.is_after, name) {
                (true, "attention") => (name, 1.5, 10),
                (true, "embed") => (name, 2.0, 20),
                (true, "layer_norm") => ("layer_norm_fused", 1.0, 10),
                _ => (name, 1.0, 10),
            };
            // A percent up or down, another one for each scope and run.
            let turn = (place as u64 * 7 + self.number * 5 + u64::from(self.is_after) * 3) % 11;
            let noise = 1.0 + (turn as f64 - 5.0) / 500.0;
            let nanos = (micros as f64 * 1e3 * factor * noise) as u64;
            total += nanos;
            let stack =
                profile.intern_named_path(&["forward", name], FrameKind::Scope).expect("it has frames");
            let mut stats = ScopeStats { calls, total_nanos: nanos, ..ScopeStats::default() };
            (0..calls).for_each(|_| stats.timed.record(nanos / calls));
            profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
        }
        let mut stats = ScopeStats { calls: 1, total_nanos: total, ..ScopeStats::default() };
        stats.timed.record(total);
        profile.scopes.add(ScopeKey { stack: root, thread, labels }, stats);
        profile.runs.push(Run {
            id: RunId(1 + u128::from(self.number) * 2 + u128::from(self.is_after)),
            command: Some("./model --size 'large one'".to_owned()),
            duration_nanos: total,
            host: Host { cpu: self.cpu.to_owned(), ..Host::default() },
            ..Run::default()
        });
        profile
    }
}

pub(crate) fn put(bench: &Workbench, name: &str, profile: &Profile) {
    let mut bytes = Vec::new();
    calor_formats::native::write(profile, &mut bytes).expect("memory takes it");
    bench.put(name, &bytes);
}

/// A folder with three runs a side, and one of each side under the names that the help uses.
fn bench() -> Workbench {
    let bench = Workbench::new();
    for number in 1..=3 {
        put(&bench, &format!("a{number}.calor"), &Sketch::new(false, number).profile());
        put(&bench, &format!("b{number}.calor"), &Sketch::new(true, number).profile());
    }
    put(&bench, "before.calor", &Sketch::new(false, 7).profile());
    put(&bench, "after.calor", &Sketch::new(true, 7).profile());
    bench
}

const SIDES: [&str; 7] = ["a1.calor", "a2.calor", "a3.calor", "--", "b1.calor", "b2.calor", "b3.calor"];

pub(crate) fn with_sides<'a>(options: &[&'a str]) -> Vec<&'a str> {
    ["compare"].into_iter().chain(options.iter().copied()).chain(SIDES).collect()
}

pub(crate) fn function<'v>(page: &'v Value, name: &str) -> &'v Value {
    let functions = page["functions"].as_array().expect("it is a list");
    functions
        .iter()
        .find(|function| function["name"] == name)
        .unwrap_or_else(|| panic!("no {name}: {page:#}"))
}

#[test]
fn every_example_of_its_help_works() {
    let bench = bench();
    let page = bench.stdout(&["compare", "--help"]);
    let (_, rest) = page.split_once("Examples:\n").expect("there are examples");
    let examples: Vec<&str> = rest.lines().take_while(|line| !line.is_empty()).collect();
    assert!(examples.len() >= 6, "{page}");
    for example in examples {
        // Without options the heap of these runs would be missing.
        let command =
            example.trim().split(" | ").next().expect("a line has a command").replace("allocated", "scopes");
        let words: Vec<&str> = command.split_whitespace().skip(1).collect();
        // Only runs of `calor bench model` have models, and those are compared in their own tests.
        if words.contains(&"--models") {
            continue;
        }
        bench.stdout(&words);
    }
    assert!(text(&bench.get("compare.html")).starts_with("<!doctype html>"));
    assert!(text(&bench.get("comment.md")).starts_with("### Calor compare"));
}

#[test]
fn the_last_words_of_its_help_are_one_paragraph() {
    let page = Workbench::new().stdout(&["compare", "--help"]);
    let last: Vec<&str> = page.trim_end().rsplit("\n\n").next().expect("it has an end").lines().collect();
    let [whole @ .., _] = &last[..] else { panic!("{page}") };
    assert!(whole.iter().all(|line| line.chars().count() > 60), "a line is broken twice: {last:#?}");
}

#[test]
fn several_runs_a_side_come_to_a_verdict_that_names_what_changed() {
    let bench = bench();
    let page = bench.stdout(&with_sides(&["--interleaved"]));
    assert!(page.starts_with("Regressed: ") && page.contains(" % slower (95 % interval +"), "{page}");
    let (_, regressions) = page.split_once("\nRegressions\n").expect("there are some");
    let (regressions, _) = regressions.split_once("\n\n").expect("it ends");
    assert!(regressions.contains("attention") && regressions.contains("embed"), "{page}");
    assert_eq!(regressions.lines().count(), 3, "{page}");
    assert!(!page.contains("\nImprovements\n"), "{page}");
    assert!(page.contains("`layer_norm` is `layer_norm_fused` now"), "{page}");
    assert!(!page.contains("calor ab"), "a verdict needs no further run:\n{page}");
}

#[test]
fn json_is_as_the_schema_says_and_contributions_add_up_to_the_change() {
    let bench = bench();
    let schema = bench.json(&["schema", "compare/1"]);
    for arguments in [
        with_sides(&["--interleaved", "--format", "json"]),
        with_sides(&["--format", "json", "--top", "2"]),
        vec!["compare", "before.calor", "after.calor", "--format", "json"],
        vec!["compare", "before.calor", "before.calor", "--format", "json"],
    ] {
        let found = problems(&schema, &bench.json(&arguments));
        assert!(found.is_empty(), "{arguments:?}: {found:#?}");
    }
    let page = bench.json(&with_sides(&["--interleaved", "--format", "json"]));
    assert_eq!((&page["verdict"], &page["runs"]), (&"regressed".into(), &serde_json::json!([3, 3])));
    let number = |value: &Value| value.as_f64().expect("it is a number");
    let functions = page["functions"].as_array().expect("it is a list");
    let sum: f64 = functions.iter().map(|function| number(&function["contribution"])).sum();
    let change = number(&page["after"]["total"]) / number(&page["before"]["total"]) - 1.0;
    assert!((sum - change).abs() < 1e-9, "{sum} {change}");
    let attention = function(&page, "attention");
    assert_eq!(attention["verdict"], "regressed");
    assert!(number(&attention["calls_effect"]).abs() < 1e-9);
    let embed = function(&page, "embed");
    assert!((number(&embed["calls_effect"]) - 1.0).abs() < 1e-9, "{embed}");
    assert!(number(&embed["per_call_effect"]).abs() < 0.05, "{embed}");
    assert_eq!(function(&page, "layer_norm_fused")["renamed_from"], "layer_norm");
    assert_eq!(page["after"]["scopes"], 131);
}

#[test]
fn functions_are_listed_with_what_they_call_where_that_is_asked_for() {
    let bench = bench();
    let own = bench.json(&with_sides(&["--interleaved", "--format", "json"]));
    let total = bench.json(&with_sides(&["--interleaved", "--format", "json", "--by", "total"]));
    assert_eq!((&own["by"], &total["by"]), (&"self".into(), &"total".into()));
    let found = problems(&bench.json(&["schema", "compare/1"]), &total);
    assert!(found.is_empty(), "{found:#?}");
    // The verdict is on the whole, whatever functions are listed by.
    for field in ["verdict", "sentence", "effect", "interval", "before", "after"] {
        assert_eq!(own[field], total[field], "{field}");
    }
    let number =
        |page: &Value, field: &str| function(page, "forward")[field].as_f64().expect("it is a number");
    assert!(number(&own, "before") < 10_000.0, "by itself it does next to nothing");
    let whole = total["before"]["total"].as_f64().expect("it is a number");
    assert!((number(&total, "before") - whole).abs() < 1.0, "everything is called by it");
    assert_eq!(function(&total, "attention")["before"], function(&own, "attention")["before"]);
    let page = bench.stdout(&with_sides(&["--interleaved", "--by", "total"]));
    assert!(page.contains("Figures are with what functions call"), "{page}");
}

#[test]
fn one_run_a_side_is_at_most_suspected_and_the_command_that_would_settle_it_is_told() {
    let bench = bench();
    let page = bench.json(&["compare", "before.calor", "after.calor", "--format", "json"]);
    assert_eq!((&page["verdict"], &page["suspected"]), (&"undecided".into(), &"regressed".into()));
    assert_eq!(page["interval"], Value::Null);
    assert_eq!(page["warnings"][0]["code"], "one_run_a_side");
    assert_eq!(
        (&function(&page, "attention")["verdict"], &page["needs_runs"]),
        (&"undecided".into(), &10.into())
    );
    let command = r"calor ab -- 'CMD BEFORE' -- './model --size '\''large one'\'''";
    assert_eq!(page["settle"], command);
    let page = bench.stdout(&["compare", "before.calor", "after.calor"]);
    assert!(page.starts_with("Undecided: suspected to be "), "{page}");
    assert!(
        page.contains("calor ab -- 'CMD BEFORE'") && page.contains("One run a side of so few functions"),
        "{page}"
    );
}

#[test]
fn equal_runs_are_the_same() {
    let bench = bench();
    for number in 4..=6 {
        put(&bench, &format!("a{number}.calor"), &Sketch::new(false, number).profile());
    }
    let sides = ["compare", "a1.calor", "a2.calor", "a3.calor", "--", "a4.calor", "a5.calor", "a6.calor"];
    let page = bench.stdout(&sides);
    assert!(page.starts_with("Same: the same within 2 % (95 % interval "), "{page}");
    assert!(page.contains("None changed by more than chance and the margin."), "{page}");
}

#[test]
fn what_sides_differ_in_besides_the_program_is_told_below_the_verdict() {
    let bench = bench();
    put(&bench, "other.calor", &Sketch { cpu: "Other 7", ..Sketch::new(true, 9) }.profile());
    let page = bench.stdout(&["compare", "before.calor", "other.calor"]);
    let third: String = page.lines().take(5).collect();
    assert!(third.contains("The sides differ in processor: the difference may be theirs"), "{page}");
    assert!(page.contains("Example 9000 before, Other 7 after"), "{page}");
}

#[test]
fn a_run_against_itself_and_a_run_that_is_given_twice_are_told() {
    let bench = bench();
    let page = bench.stdout(&["compare", "before.calor", "before.calor"]);
    assert!(page.contains("before.calor is on both sides: it is compared with itself"), "{page}");
    assert!(
        !page.contains("To settle it") && !page.contains("would tell"),
        "more of it tells no more: {page}"
    );
    bench.put("copy.calor", &bench.get("before.calor"));
    let page = bench.stdout(&["compare", "before.calor", "copy.calor"]);
    assert!(page.contains("before.calor and copy.calor are the same run"), "{page}");
    let page =
        bench.json(&["compare", "--format", "json", "a1.calor", "a1.calor", "a2.calor", "--", "b1.calor"]);
    assert_eq!(page["runs"], serde_json::json!([2, 1]));
    assert_eq!(page["warnings"][0]["code"], "run_given_twice");
}

#[test]
fn markdown_fits_a_comment_and_a_page_needs_nothing_else() {
    let bench = bench();
    let page = bench.stdout(&with_sides(&["--interleaved", "--format", "md"]));
    let (open, folded) = page.split_once("<details>").expect("the long part is folded");
    assert!(open.contains("**Regressed: ") && open.lines().count() < 30, "{open}");
    assert!(folded.contains("#### All scopes") && folded.contains("</details>"), "{folded}");
    assert!(page.len() < 20_000);
    let page = bench.stdout(&with_sides(&["--interleaved", "--format", "html"]));
    assert!(page.contains("class=\"wide verdict regressed\"") && page.contains("class=\"waterfall\""));
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("src="));
}

#[test]
fn files_of_other_formats_and_saved_runs_are_compared_alike() {
    let bench = bench();
    for (from, to) in [("a1", "a1.pb.gz"), ("b1", "b1.pb.gz"), ("a2", "a2.json"), ("b2", "b2.json")] {
        bench.stdout(&["convert", &format!("{from}.calor"), to]);
    }
    for (before, after) in [("a1.pb.gz", "b1.pb.gz"), ("a2.json", "b2.json"), ("a1.calor", "b1.pb.gz")] {
        let page = bench.json(&["compare", before, after, "--format", "json"]);
        assert_eq!(page["suspected"], "regressed", "{before} {after}");
    }
    // Calor's own reports carry what they were made of.
    for format in ["json", "md", "html"] {
        for side in ["a1", "b1"] {
            let (profile, page) = (format!("{side}.calor"), format!("{side}-report.{format}"));
            bench.stdout(&["report", &profile, "--format", format, "-o", &page]);
        }
        let (before, after) = (format!("a1-report.{format}"), format!("b1-report.{format}"));
        let page = bench.json(&["compare", &before, &after, "--format", "json"]);
        assert_eq!(
            (&page["suspected"], &page["metric"]),
            (&"regressed".into(), &"scopes".into()),
            "{format}"
        );
    }
    for name in ["a1", "a2", "a3"] {
        bench.stdout(&["store", "add", &format!("{name}.calor")]);
    }
    bench.stdout(&["baseline", "set", "main", "--last", "3"]);
    let sides = ["compare", "--format", "json", "baseline:main", "--", "b1.calor", "b2.calor", "b3.calor"];
    let page = bench.json(&sides);
    assert_eq!(page["runs"], serde_json::json!([3, 3]));
    assert_eq!(page["verdict"], "regressed");
}

#[test]
fn sides_whose_weights_have_no_unit_on_one_side_are_told() {
    let bench = bench();
    bench.stdout(&["convert", "a1.calor", "a1.folded"]);
    bench.stdout(&["convert", "a1.folded", "timed.pb.gz"]);
    let said = "a1.folded does not tell the unit of its weights";
    assert!(bench.stdout(&["compare", "timed.pb.gz", "a1.folded"]).contains(said));
    assert!(!bench.stdout(&["compare", "a1.folded", "a1.folded"]).contains(said));
}

#[test]
fn a_function_that_only_called_others_before_has_no_effect_and_json_says_why() {
    let bench = Workbench::new();
    bench.put("before.folded", b"main;solve;inner 900\n");
    bench.put("after.folded", b"main;solve 100\nmain;solve;inner 900\n");
    let page = bench.json(&["compare", "before.folded", "after.folded", "--format", "json"]);
    assert_eq!(function(&page, "solve")["effect"], Value::Null);
    let warnings = page["warnings"].as_array().expect("it is a list");
    let said = warnings.iter().find(|warning| warning["code"] == "effect_unknown");
    assert_eq!(said.expect("it is told")["count"], 1, "{page:#}");
    let same = bench.json(&["compare", "before.folded", "before.folded", "--format", "json"]);
    assert!(!same["warnings"].to_string().contains("effect_unknown"), "{same:#}");
}

#[test]
fn a_page_has_a_flame_graph_in_which_nothing_is_missing() {
    let bench = bench();
    bench.put("old.folded", b"main;parse;read 500\nmain;gone 90\n");
    bench.put("new.folded", b"main;parse;read 300\nmain;fresh 400\n");
    let page = bench.stdout(&["compare", "old.folded", "new.folded", "--format", "html"]);
    let (_, picture) = page.split_once("class=\"union\"").expect("there is a picture");
    for name in ["parse", "read", "gone", "fresh"] {
        assert!(picture.contains(&format!(">{name}</div>")), "{name}: {picture}");
    }
    assert!(
        picture.contains("class=\"maybe worse\"") && picture.contains("90 ns before, 0 ns after"),
        "{picture}"
    );
}

#[test]
fn a_table_in_a_narrow_terminal_keeps_what_was_before_and_after() {
    let bench = bench();
    for (columns, kept, dropped) in [
        ("100", &["before", "after", "change", "interval", "calls", "per call", "verdict"][..], "of total"),
        ("80", &["before", "after", "change", "interval", "verdict"], "difference"),
    ] {
        let output = bench.command(&with_sides(&["--interleaved"])).env("COLUMNS", columns).output();
        let page = text(&output.expect("it runs").stdout);
        let (_, table) = page.split_once("\nAll scopes\n").expect("there is a table");
        let head = table.lines().find(|line| line.trim_end().ends_with(" scope")).expect("it has a head");
        assert!(kept.iter().all(|title| head.contains(title)) && !head.contains(dropped), "{page}");
        assert!(page.lines().all(|line| line.chars().count() <= columns.parse().unwrap()), "{page}");
    }
}

#[test]
fn steps_are_told_by_their_size_and_those_that_are_not_known_to_be_changes_are_marked() {
    let bench = bench();
    let page = bench.stdout(&["compare", "before.calor", "after.calor"]);
    let (_, steps) = page.split_once("From before to after\n").expect("there are steps");
    let (steps, _) = steps.split_once("\n\n").expect("they end");
    let names: Vec<&str> = steps
        .lines()
        .filter(|line| line.contains('░') || line.contains('█'))
        .filter_map(|line| line.split_once("  ")?.1.rsplit("  ").next())
        .collect();
    assert_eq!(names[..3], ["before", "attention (undecided)", "embed (undecided)"], "{page}");
    assert!(names.len() < 8 && steps.contains(" others\n"), "{page}");
    bench.put("old.folded", b"main;work 50\n");
    bench.put("new.folded", b"main;work 60\n");
    let page = bench.stdout(&["compare", "old.folded", "new.folded"]);
    assert!(page.contains("  work (undecided)\n") && !page.contains("all 1"), "{page}");
}

#[test]
fn the_machine_is_told_in_words_that_say_more_or_less() {
    let bench = Workbench::new();
    let run = |is_after: bool, nanos: u64| {
        let mut profile = Sketch::new(is_after, 1).profile();
        profile.runs[0].canary = Canary { first_nanos: Some(nanos), last_nanos: Some(nanos) };
        profile
    };
    put(&bench, "a.calor", &run(false, 1_000_000));
    for (nanos, said) in [
        (890_000, "took 11.0 % less time after."),
        (1_250_000, "took 25.0 % more time after."),
        (1_000_000, "took as long after as before."),
    ] {
        put(&bench, "b.calor", &run(true, nanos));
        let page = bench.stdout(&["compare", "a.calor", "b.calor"]);
        assert!(page.split_whitespace().collect::<Vec<_>>().join(" ").contains(said), "{page}");
    }
}

#[test]
fn what_cannot_be_compared_is_refused_with_what_to_do() {
    let bench = bench();
    bench.put("few.folded", b"main;work 5\n");
    bench.put("stranger.folded", b"begin;other 5\n");
    put(&bench, "nothing.calor", &Profile::default());
    let mut idle = Profile::default();
    let stack = idle.intern_named_path(&["forward"], FrameKind::Scope).expect("it has a frame");
    let (thread, labels) = (idle.intern_thread(1, 1, "main"), LabelTable::none());
    idle.scopes.add(ScopeKey { stack, thread, labels }, ScopeStats { calls: 1, ..ScopeStats::default() });
    put(&bench, "idle.calor", &idle);
    for (arguments, expected) in [
        (&["compare", "before.calor"][..], "expected a run before and a run after, found only before.calor"),
        (&["compare", "a1.calor", "a2.calor", "b1.calor"], "expected two runs, found 3: put -- between"),
        (&["compare", "a1.calor", "--", "b1.calor", "--top", "3"], "--top stands behind --"),
        (&["compare", "before.calor", "missing.calor"], "missing.calor: no such file"),
        (&["compare", "before.calor", "few.folded"], "before.calor holds scopes, few.folded holds cpu"),
        (&["compare", "few.folded", "stranger.folded"], "these seem to be profiles of two programs"),
        (&["compare", "before.calor", "nothing.calor"], "nothing.calor: expected a profile with samples"),
        (&["compare", "before.calor", "idle.calor"], "idle.calor: its time in scopes adds up to nothing"),
        (
            &["compare", "before.calor", "after.calor", "--metric", "heap"],
            "before.calor: has no allocated to compare; it holds scopes",
        ),
        (&["compare", "before.calor", "after.calor", "--metric", "cycles"], "has no cycles to compare"),
        (&["compare", "before.calor", "after.calor", "--metric", "peak"], "calor heap --diff A B"),
        (&["compare", "before.calor", "after.calor", "--margin", "0"], "expected a percentage"),
        (&["compare", "before.calor", "after.calor", "--top", "0"], "expected a whole number from 1 on"),
        (&["compare", "before.calor", "after.calor", "-o", "after.calor"], "name another one"),
        (
            &["compare", "before.calor", "after.calor", "-o", "picture.svg"],
            "a comparison is a txt, md, json or html",
        ),
        (&["compare", "-", "-"], "standard input can be read once"),
        (&["compare", "baseline:none", "after.calor"], "none"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn undecided_rows_step_back_in_colour() {
    let bench = bench();
    let page = bench.stdout(&with_sides(&["--color", "always", "--margin", "0.1%"]));
    let line = page.lines().find(|line| line.contains("undecided") && line.contains("tokenize"));
    let line = line.unwrap_or_else(|| panic!("some are undecided within so narrow a margin:\n{page}"));
    assert!(line.starts_with("\u{1b}[2m"), "{line:?}");
    assert!(page.starts_with("\u{1b}["), "{page}");
}
