//! `calor history`: trends of saved runs, their changes, and the commits that came with them.

use std::process::Command;

use serde_json::{Value, json};

use super::help::run_lines;
use super::schema_check::problems;
use super::workbench::{Workbench, text};

/// A report of a run: number, what `parse` takes, and what else there is to say.
struct Run {
    number: u64,
    parse_ns: u64,
    commit: String,
    command: &'static str,
    cpu: &'static str,
    canary_ns: u64,
}

impl Run {
    /// Runs differ by a little, in an order that has no trend.
    fn new(number: u64, parse_ns: u64) -> Self {
        let wobble = [0, 7, 3, 9, 1, 8, 2, 6, 4, 5][(number % 10) as usize];
        Self {
            number,
            parse_ns: parse_ns / 1_000 * (995 + wobble),
            commit: format!("{:07x}{:033x}", 0x00ab_c000 + number / 2, 7),
            command: "./infer --tiny",
            cpu: "EPYC",
            canary_ns: 200_000 + 100 * wobble,
        }
    }

    fn report(&self) -> Value {
        let row = |name: &str, path: &[&str], own: u64, total: u64| json!({"name": name, "path": path, "kind": "scope", "calls": 10, "total_ns": total, "self_ns": own, "share": 0.5});
        let (parse, main) = (self.parse_ns, 500_000_000);
        json!({
            "schema": "calor/report/1", "calor": "0.1.0", "warnings": [], "summary": {}, "allocators": [], "insights": [],
            "threads": [{"tid": 1, "name": "main"}],
            "run": {
                "command": self.command,
                "started_at": format!("2026-03-{:02}T{:02}:00:00Z", 1 + self.number / 24, self.number % 24),
                "duration_ns": main + parse, "cpu_ns": main + parse, "labels": {}, "recorders": ["scopes"],
                "host": {"os": "linux", "kernel": "6", "arch": "x86_64", "cpu": self.cpu, "cores": 2, "memory_bytes": 1_u64 << 33},
                "commit": self.commit, "canary": {"first_ns": self.canary_ns, "last_ns": self.canary_ns}, "runs": 1
            },
            "hot_paths": [
                row("main", &["main"], main, main + parse),
                row("json::parse", &["main", "json::parse"], parse, parse)
            ]
        })
    }
}

/// A folder whose store has these runs, saved in this order.
fn saved(runs: &[Run]) -> Workbench {
    let bench = Workbench::new();
    let names: Vec<String> = runs
        .iter()
        .enumerate()
        .map(|(at, run)| {
            let name = format!("run-{at}.json");
            bench.put(&name, run.report().to_string().as_bytes());
            name
        })
        .collect();
    let mut arguments = vec!["store", "add"];
    arguments.extend(names.iter().map(String::as_str));
    bench.stdout(&arguments);
    bench
}

/// Thirty runs, of which the last twelve take a fifth more in `parse`.
fn slower() -> Vec<Run> {
    (0..30).map(|number| Run::new(number, if number < 18 { 400_000_000 } else { 480_000_000 })).collect()
}

#[test]
fn a_change_is_found_with_its_commit_as_the_schema_says() {
    let bench = saved(&slower());
    let schema = bench.json(&["schema", "history/1"]);
    let page = bench.json(&["history", "--format", "json"]);
    assert_eq!(problems(&schema, &page), Vec::<String>::new());
    let series = page["series"].as_array().unwrap();
    assert_eq!(series.len(), 2, "{series:#?}");
    assert_eq!((&series[0]["scope"], &series[0]["of"]), (&Value::Null, &"total".into()));
    assert_eq!((&series[1]["scope"], &series[1]["of"]), (&"json::parse".into(), &"self".into()));
    assert_eq!((&page["metric"], &page["command"]), (&"scopes".into(), &"./infer --tiny".into()));
    let point = &series[1]["change_points"][0];
    assert_eq!(point["at"], "2026-03-01T18:00:00Z");
    assert_eq!(point["commit"].as_str().unwrap()[..7], *"0abc009");
    assert_eq!(point["before"]["commit"].as_str().unwrap()[..7], *"0abc008");
    assert_eq!(point["cause"], "program");
    let effect = point["effect"].as_f64().unwrap();
    assert!((effect - 0.2).abs() < 0.01, "{point}");
    let points = series[1]["points"].as_array().unwrap();
    assert_eq!((points.len(), &points[0]["value_ns"]), (30, &398_000_000.into()));
    let text = bench.stdout(&["history"]);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("commit 0abc009,") && words.contains("0abc008..0abc009"), "{text}");
    assert!(text.contains('┊') && text.contains("whole program: 980 ms now, change 1 was +"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn every_format_has_the_change() {
    let bench = saved(&slower());
    for (file, expected) in [
        ("history.html", &["<svg class=\"trend\"", "1 0abc009", "<circle"][..]),
        ("history.md", &["| json::parse, by itself | `▁", "commit 0abc009"]),
        (
            "history.csv",
            &["scope,place,of,at,run,commit,value_ns,change", "json::parse,,self,2026-03-01T18:00:00Z,"],
        ),
        ("history.txt", &["whole program"]),
        ("history.json", &["\"change_points\""]),
    ] {
        bench.stdout(&["history", "-o", file]);
        let page = text(&bench.get(file));
        assert!(expected.iter().all(|part| page.contains(part)), "{page}");
    }
    assert!(bench.failure(&["history", "-o", "x.pdf"]).contains("not .pdf"));
}

#[test]
fn a_scope_is_found_by_the_end_of_its_name_and_others_are_suggested() {
    let bench = saved(&slower());
    let page = bench.json(&["history", "parse", "--format", "json", "--value", "call", "--last", "10"]);
    let series = &page["series"][0];
    assert_eq!((&series["scope"], &series["of"]), (&"json::parse".into(), &"call".into()));
    assert_eq!(series["points"].as_array().unwrap().len(), 10);
    assert_eq!(series["points"][0]["value_ns"], 47_760_000);
    assert!(page["series"][1].is_null(), "what was asked for is all");
    let message = bench.failure(&["history", "json::prase"]);
    assert!(message.contains("no scope `json::prase` in 30 runs: did you mean `json::parse`?"), "{message}");
    let message = bench.failure(&["history", "nowhere"]);
    assert!(message.contains("calor report store:latest"), "{message}");
    let message = bench.failure(&["history", "--metric", "allocated"]);
    assert!(message.contains("none of 30 runs has allocated bytes"), "{message}");
}

#[test]
fn every_line_of_the_page_about_it_works() {
    let page = include_str!("../../../../docs/history.md");
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines: Vec<String> = blocks.flat_map(str::lines).map(str::to_owned).collect();
    assert!(lines.len() >= 5, "{lines:#?}");
    run_lines(&saved(&slower()), &lines);
}

#[test]
fn commands_and_machines_are_not_mixed_unless_asked_for() {
    let mut runs = slower();
    for run in &mut runs[..4] {
        run.command = "./infer --large";
    }
    for run in &mut runs[4..6] {
        run.cpu = "Xeon";
    }
    let bench = saved(&runs);
    let page = bench.json(&["history", "--format", "json"]);
    let codes = |page: &Value| -> Vec<(String, u64)> {
        let warnings = page["warnings"].as_array().unwrap().iter();
        warnings
            .map(|warning| {
                (warning["code"].as_str().unwrap().to_owned(), warning["count"].as_u64().unwrap_or(0))
            })
            .collect()
    };
    let n_points = |page: &Value| page["series"][0]["points"].as_array().unwrap().len();
    assert_eq!(codes(&page), [("other_commands".to_owned(), 4), ("other_machines".to_owned(), 2)]);
    assert_eq!(n_points(&page), 24);
    let all = bench.json(&["history", "--format", "json", "--any-command", "--any-machine"]);
    assert_eq!(codes(&all), [("mixed_commands".to_owned(), 2), ("mixed_machines".to_owned(), 2)]);
    assert_eq!((n_points(&all), &all["command"]), (30, &"2 commands".into()));
    let large = bench.json(&["history", "--format", "json", "--command", "./infer --large"]);
    assert_eq!((n_points(&large), codes(&large)), (4, vec![("few_runs".to_owned(), 0)]));
    let message = bench.failure(&["history", "--command", "./other"]);
    assert!(message.contains("there are runs of `./infer --large`, `./infer --tiny`"), "{message}");
}

#[test]
fn a_machine_that_became_slower_is_told_from_the_program() {
    let mut runs = slower();
    for run in &mut runs[18..] {
        run.canary_ns = run.canary_ns * 6 / 5;
    }
    let bench = saved(&runs);
    let page = bench.json(&["history", "parse", "--format", "json"]);
    assert_eq!(page["series"][0]["change_points"][0]["cause"], "machine");
    assert!(bench.stdout(&["history", "parse"]).contains("the machine changed with it"));
}

#[test]
fn a_slow_machine_is_no_reason_for_what_is_allocated() {
    use calor_model::{FrameKind, HeapKey, HeapSite, LabelTable, Profile, RunId};
    let bench = Workbench::new();
    let names: Vec<String> = (0..30).map(|number| format!("run-{number}.calor")).collect();
    for (number, name) in (0_u64..).zip(&names) {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        let stack = profile.intern_named_path(&["main", "parse"], FrameKind::Native).expect("it has frames");
        let more = if number < 18 { 5 } else { 6 };
        let allocated_bytes = 200_000 * more + 10 * (number * 7 % 11);
        let site = HeapSite { allocated_bytes, allocated_count: 10, ..HeapSite::default() };
        profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
        let mut run = calor_model::Run { id: RunId(u128::from(number) + 1), ..calor_model::Run::default() };
        run.command = Some("./infer".to_owned());
        run.started_at_unix_nanos = 1_700_000_000_000_000_000 + number * 1_000_000_000;
        run.canary.first_nanos = Some(40_000 * more + number * 7 % 11);
        profile.runs.push(run);
        super::compare::put(&bench, name, &profile);
    }
    bench.stdout(&[&["store", "add"], &names.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat());
    let page = bench.json(&["history", "--metric", "allocated", "--format", "json"]);
    let change = &page["series"][0]["change_points"][0];
    assert_eq!(change["cause"], "unknown", "{page:#}");
}

#[test]
fn few_runs_and_none_are_told() {
    let bench = Workbench::new();
    assert!(bench.failure(&["history"]).contains("there is no store yet"));
    bench.stdout(&["store", "add", "profile.calor"]);
    let one = bench.stdout(&["history"]);
    assert!(
        one.contains("1 run of") && one.contains("warning: 1 run: a change is seen from 10 runs on"),
        "{one}"
    );
    assert!(bench.failure(&["history", "--label", "a=b"]).contains("no saved run is like that"));
    bench.stdout(&["store", "rm", "latest"]);
    assert!(bench.failure(&["history"]).contains("no saved run is like that"));
}

#[test]
fn without_a_change_the_page_says_which_could_have_hidden() {
    let page = |n: u64, wobble: u64| {
        let run = |number: u64| Run::new(number, 400_000_000 + wobble * (number * 7 % 10));
        let bench = saved(&(0..n).map(run).collect::<Vec<_>>());
        let page = bench.json(&["history", "parse", "--format", "json"]);
        assert_eq!(problems(&bench.json(&["schema", "history/1"]), &page), Vec::<String>::new());
        (bench.stdout(&["history", "parse"]), page["series"][0]["smallest_detectable"].clone())
    };
    let (many, smallest) = page(40, 1_000_000);
    assert!((0.001..0.1).contains(&smallest.as_f64().unwrap()), "{smallest}");
    assert!(many.contains(" ms, no change; one of ") && many.contains(" % would show"), "{many}");
    let (few, smallest) = page(12, 10_000_000);
    assert!((0.1..3.0).contains(&smallest.as_f64().unwrap()), "{smallest}");
    assert!(few.contains(" ms, too few runs to tell a change of less than "), "{few}");
    let (fewer, smallest) = page(9, 1_000_000);
    assert!(smallest.is_null(), "{smallest}");
    assert!(fewer.contains(" ms, too few runs to tell a change\n"), "{fewer}");
    assert!(fewer.contains("warning: 9 runs: a change is seen from 10 runs on"), "{fewer}");
}

#[test]
fn a_step_far_beyond_the_scatter_is_seen_in_ten_runs() {
    let run = |number: u64| Run::new(number, if number < 5 { 400_000_000 } else { 480_000_000 });
    let page = saved(&(0..10).map(run).collect::<Vec<_>>()).json(&["history", "parse", "--format", "json"]);
    let points = page["series"][0]["change_points"].as_array().unwrap();
    assert_eq!(points.len(), 1, "{points:?}");
    assert_eq!(points[0]["at"], "2026-03-01T05:00:00Z");
}

/// A repository of a script that takes longer from its second commit on; the hashes of both.
#[cfg(target_os = "linux")]
fn repository(bench: &Workbench) -> [String; 2] {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(bench.path(""))
            .output()
            .expect("git can be started");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).trim().to_owned()
    };
    git(&["init", "-q"]);
    [2_000, 40_000].map(|steps| {
        bench.put("steps", steps.to_string().as_bytes());
        git(&["add", "steps"]);
        git(&["commit", "-qm", "steps"]);
        git(&["rev-parse", "HEAD"])
    })
}

#[cfg(target_os = "linux")]
#[test]
fn a_change_is_confirmed_by_running_both_commits_in_turns() {
    let bench = Workbench::new();
    let commits = repository(&bench);
    let mut arguments = vec!["store".to_owned(), "add".to_owned()];
    for mut run in slower() {
        run.commit.clone_from(&commits[usize::from(run.number >= 18)]);
        run.command = "sh ./work.sh";
        let name = format!("run-{}.json", run.number);
        bench.put(&name, run.report().to_string().as_bytes());
        arguments.push(name);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    bench.stdout(&arguments);
    let found = bench.stdout(&["history"]);
    assert!(!found.contains("or another"), "nothing came between the commits: {found}");
    let words: Vec<&str> = found.split_whitespace().collect();
    assert!(words.windows(2).any(|pair| pair == ["commit", &commits[1][..7]]), "{found}");
    // The script is built from what the commit has.
    let build = "echo \"i=0; while [ \\$i -lt $(cat steps) ]; do i=\\$((i+1)); done\" > work.sh";
    let page = bench.json(&["-q", "history", "--confirm", "--build", build, "--format", "json"]);
    let schema = bench.json(&["schema", "history/1"]);
    assert_eq!(problems(&schema, &page), Vec::<String>::new());
    assert_eq!(page["series"][0]["change_points"][0]["commits"], 1);
    let found = &page["confirmation"];
    assert_eq!(found["verdict"], "regressed", "{found}");
    assert!(found["conclusion"].as_str().unwrap().starts_with("Confirmed: "), "{found}");
    let trees = Command::new("git").args(["worktree", "list"]).current_dir(bench.path("")).output().unwrap();
    assert_eq!(text(&trees.stdout).lines().count(), 1, "work trees are removed");
    let message = bench.failure(&["-q", "history", "--confirm", "--build", "echo no >&2; false"]);
    assert!(message.contains("failed: `echo no >&2; false` ended with exit code 1\n"), "{message}");
    assert!(message.contains("\n  no"), "{message}");
    let message = bench.failure(&["-q", "history", "--confirm", "--build", "true", "--run", "sleep 1"]);
    assert!(message.contains("nothing of `sleep 1` lies in the repository"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_confirmed_is_refused() {
    let bench = saved(&slower());
    for (arguments, expected) in [
        (&["-q", "history", "--confirm"][..], "expected what to run"),
        (&["-q", "history", "--confirm", "./one"], "found only `./one`"),
        (&["-q", "history", "--confirm", "./a", "./b", "--build", "make"], "leave it out"),
        (&["-q", "history", "--confirm", "--build", "make"], "git repository"),
        (&["-q", "history", "--confirm", "true", "false"], "command B failed"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{message}");
    }
    let quiet = saved(&(0..30).map(|number| Run::new(number, 400_000_000)).collect::<Vec<_>>());
    let page = quiet.json(&["history", "--confirm", "true", "false", "--format", "json"]);
    assert_eq!(page["warnings"][0]["code"], "nothing_to_confirm");
    assert_eq!(page["confirmation"], Value::Null);
}
