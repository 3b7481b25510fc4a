//! `calor check` and `calor baseline set` of commands that are recorded for it. They do a fixed amount of work, and no verdict
//! is expected but that on four times as much, and on the same within a margin as wide as that.

use std::process::Output;

use calor_testing::{Need, cannot};
use serde_json::Value;

use super::workbench::{Workbench, text};

/// A loop of the shell that does so many thousand additions, and says so.
fn work(thousands: u32) -> String {
    format!("i=0; while [ $i -lt {thousands}000 ]; do i=$((i+1)); done; echo done")
}

/// Whether nothing can be sampled here: then there is nothing to test.
fn is_refused(bench: &Workbench) -> bool {
    let output = bench.run(&["record", "-o", "probe.calor", "--", "true"]);
    let message = text(&output.stderr);
    assert!(output.status.success() || message.contains("cannot sample"), "{message}");
    if !output.status.success() {
        cannot(Need::Perf, message);
    }
    !output.status.success()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
}

/// How often the command has run, by what it said.
fn n_runs(output: &Output) -> usize {
    text(&output.stderr).lines().filter(|line| *line == "done").count()
}

#[test]
fn a_command_is_recorded_as_the_baseline_was_and_held_against_it() {
    let bench = Workbench::new();
    if is_refused(&bench) {
        return;
    }
    let (once, often) = (work(60), work(240));
    let set = ["baseline", "set", "main", "--runs", "4", "--label", "build=fast", "--", "sh", "-c", &once];
    let output = bench.command(&set).env("CALOR_RATE", "499").output().expect("it can be started");
    let said = text(&output.stderr);
    assert!(output.status.success() && output.stdout.is_empty(), "{said}");
    assert_eq!(n_runs(&output), 5, "one more to warm up: {said}");
    assert!(said.contains("set baseline main: 4 runs"), "{said}");
    let shown = bench.json(&["baseline", "show", "main", "--format", "json"]);
    let runs = shown["baselines"][0]["runs"].as_array().expect("runs are a list");
    assert_eq!(runs.len(), 4);
    for run in runs {
        let (rate, build) = (&run["settings"]["rate"], &run["labels"]["build"]);
        assert_eq!((rate, build), (&"499".into(), &"fast".into()), "{run:#}");
    }

    let check = ["check", "--format", "json", "--baseline", "main", "--runs", "4"];
    let output = bench.run(&[&check[..], &["--", "sh", "-c", &often]].concat());
    let page = json(&output);
    assert_eq!((output.status.code(), &page["verdict"]), (Some(1), &"regressed".into()), "{page:#}");
    // Before it is called slower, it is recorded as often again.
    assert_eq!((&page["compare"]["runs"], n_runs(&output)), (&serde_json::json!([4, 8]), 9));
    assert_eq!(page["runs"], 8);
    let not_alike = page["compare"]["not_alike"].to_string();
    assert!(!not_alike.contains("rate"), "it is recorded as the baseline was: {not_alike}");

    let output = bench.run(&[&check[..], &["--margin", "90%", "--", "sh", "-c", &once]].concat());
    assert_eq!(output.status.code(), Some(0), "{:#}", json(&output));
}

#[test]
fn what_is_slow_for_a_while_only_is_not_called_slower() {
    let bench = Workbench::new();
    if is_refused(&bench) {
        return;
    }
    let once = work(60);
    bench.stdout(&["baseline", "set", "main", "--runs", "4", "--", "sh", "-c", &once]);
    // The run to warm up and the four after it are slow, those that have to confirm it are not: within a margin that a machine
    // with other work to do keeps, too.
    let at_first = format!("echo >> ran; if [ $(wc -l < ran) -le 5 ]; then {}; else {once}; fi", work(480));
    let check = ["check", "--format", "json", "--baseline", "main", "--runs", "4", "--margin", "90%"];
    let output = bench.run(&[&check[..], &["--", "sh", "-c", &at_first]].concat());
    let page = json(&output);
    assert_eq!((output.status.code(), &page["verdict"]), (Some(3), &"undecided".into()), "{page:#}");
    assert_eq!((&page["runs"], n_runs(&output)), (&8.into(), 9));
    // What would decide, as it can be typed.
    let advice = page["advice"][0].as_str().unwrap_or_default();
    let command =
        "`calor check --format json --runs 4 --margin 90% --against 'CMD BEFORE' -- sh -c 'echo >> ran; ";
    assert!(advice.contains(command), "{page:#}");
}

#[test]
fn two_commands_take_turns_without_a_baseline() {
    let bench = Workbench::new();
    if is_refused(&bench) {
        return;
    }
    let (once, often) = (work(60), work(240));
    let check = ["check", "--format", "json", "--runs", "4", "--against"];
    let output = bench.run(&[&check[..], &[&once, "--", "sh", "-c", &often]].concat());
    let page = json(&output);
    assert_eq!((output.status.code(), &page["verdict"]), (Some(1), &"regressed".into()), "{page:#}");
    assert_eq!((&page["compare"]["runs"], n_runs(&output)), (&serde_json::json!([4, 4]), 10));
    let output = bench.run(&[&check[..], &[&often, "--", "sh", "-c", &once]].concat());
    assert_eq!(output.status.code(), Some(0), "{:#}", json(&output));
}

#[test]
fn commands_whose_turns_leave_it_open_take_as_many_again() {
    let bench = Workbench::new();
    if is_refused(&bench) {
        return;
    }
    let once = work(20);
    // Hardly ever do runs of the same tell a change, or none, of so little.
    let check = ["check", "--format", "json", "--runs", "3", "--margin", "0.1%", "--against"];
    let output = bench.run(&[&check[..], &[&once, "--", "sh", "-c", &once]].concat());
    let page = json(&output);
    let n_told = match page["verdict"] == "undecided" {
        true => 6,
        false => page["runs"].as_u64().expect("runs are counted"),
    };
    assert!(n_told == 3 || n_told == 6, "{page:#}");
    assert_eq!(page["compare"]["runs"], serde_json::json!([n_told, n_told]), "{page:#}");
    assert_eq!(n_runs(&output) as u64, 2 + 2 * n_told);
}

#[test]
fn budgets_of_a_command_need_no_baseline_and_its_heap_has_a_run_of_its_own() {
    let bench = Workbench::new();
    if is_refused(&bench) {
        return;
    }
    let line = work(60);
    let budgets =
        ["cpu=1h", "wall=1h", "allocated=100GB", "peak=1B"].map(|budget| ["--budget", budget]).concat();
    let check = ["check", "--format", "json", "--runs", "2"];
    let output = bench.run(&[&check[..], &budgets, &["--", "bash", "-c", &line]].concat());
    let page = json(&output);
    assert_eq!(output.status.code(), Some(1), "{page:#}");
    let entries = page["budgets"].as_array().expect("it is a list");
    let kept: Vec<_> = entries.iter().filter_map(|entry| entry["ok"].as_bool()).collect();
    assert_eq!(kept, [true, true, true, false], "{page:#}");
    assert!(entries[3]["actual"].as_f64() > Some(1.0) && entries[3]["actual_ns"].is_null(), "{page:#}");
    assert_eq!(n_runs(&output), 4, "one to warm up, two, and one for the heap");
}

#[test]
fn a_command_that_fails_ends_the_check_and_junit_says_so() {
    let bench = Workbench::new();
    if is_refused(&bench) {
        return;
    }
    let check = ["check", "-q", "--budget", "wall=1h", "--junit", "check.xml", "--"];
    let output = bench.run(&[&check[..], &["sh", "-c", "echo oh >&2; exit 7"]].concat());
    let message = text(&output.stderr);
    assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{message}");
    assert!(message.starts_with("oh\nerror: run 1 to warm up failed"), "{message}");
    assert!(
        message.contains("exit code 7") && text(&bench.get("check.xml")).contains("exit code 7"),
        "{message}"
    );
    let message = bench.failure(&[&check[..], &["no-such-program-anywhere"]].concat());
    assert!(message.contains("there is no program"), "{message}");
    let message = bench.failure(&["baseline", "set", "main", "--runs", "2", "--", "false"]);
    assert!(message.contains("`false` ended with exit code 1"), "{message}");
    assert!(bench.stdout(&["baseline", "list"]).is_empty(), "nothing was set");
}

#[test]
fn a_program_that_writes_its_own_profile_is_run_and_read() {
    let bench = Workbench::new();
    let own = ["--profile", "own.calor", "--runs", "2", "--", "cp", "profile.calor", "own.calor"];
    let budget = ["--budget", "wall=1h"];
    let output = bench.run(&[&["check", "--format", "json"], &budget[..], &own].concat());
    assert_eq!((output.status.code(), &json(&output)["runs"]), (Some(0), &2.into()));
    let message =
        bench.failure(&[&["check", "-q"], &budget[..], &["--profile", "own.calor", "--", "true"]].concat());
    assert!(message.contains("`true` did not write own.calor"), "{message}");
    bench.stdout(&[&["baseline", "set", "main"], &own[..]].concat());
    assert_eq!(bench.json(&["baseline", "show", "main", "--format", "json"])["baselines"][0]["name"], "main");
}

#[test]
fn every_line_of_the_page_about_it_works() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Workbench::new();
    if is_refused(&bench) {
        return;
    }
    bench.put("bench", format!("#!/bin/sh\n{}\n", work(20)).as_bytes());
    std::fs::set_permissions(bench.path("bench"), PermissionsExt::from_mode(0o755)).expect("it is ours");
    // As often as it is told in a page for people takes a while.
    bench.put("calor.toml", b"[check]\nruns = 2\n");
    let page = include_str!("../../../../docs/check.md");
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines: Vec<&str> = blocks.flat_map(str::lines).collect();
    assert!(lines.len() >= 10, "{lines:#?}");
    let calor = env!("CARGO_BIN_EXE_calor");
    for line in lines {
        let typed = line.replacen("calor", calor, 1);
        let mut shell = std::process::Command::new("sh");
        let output =
            shell.args(["-c", &typed]).current_dir(bench.path("")).output().expect("sh can be started");
        // What a verdict is depends on the machine, that there is one does not.
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 1 | 3)), "{line}: {code:?} {}", text(&output.stderr));
        let has_to_pass = !line.contains("--baseline main") && !line.contains("--against");
        assert!(code == Some(0) || !has_to_pass, "{line}: {}", text(&output.stdout));
    }
}

#[test]
fn files_for_builders_use_options_that_there_are() {
    let bench = Workbench::new();
    let help = bench.stdout(&["check", "--help"]);
    for file in [
        include_str!("../../../../docs/ci/github-actions.yml"),
        include_str!("../../../../docs/ci/gitlab-ci.yml"),
    ] {
        // Calor comes from a place and in a version that whoever copies the file names.
        let install = file.split("cargo install").nth(1).expect("it installs what it calls");
        for part in ["calor-cli", "--git \"${CALOR_URL:?", "--rev \"${CALOR_REV:?"] {
            assert!(install.contains(part), "{part}: {file}");
        }
        let (_, command) = file.split_once("calor check ").expect("it checks");
        let (command, _) = command.split_once(" -- ").expect("a program follows");
        let options: Vec<&str> = command.split_whitespace().filter(|word| word.starts_with('-')).collect();
        assert!(options.len() >= 5, "{command}");
        for option in options {
            let is_told = [" ", ","].iter().any(|end| help.contains(&format!("{option}{end}")));
            assert!(is_told, "{option}: {help}");
        }
    }
}

#[test]
fn benches_that_repeat_by_time_are_not_recorded_from_outside_to_be_compared() {
    let bench = Workbench::new();
    let simd = ["calor", "bench", "simd", "--quick", "-q"];
    let check = ["check", "--against", "before/calor bench simd --quick -q", "--"];
    let message = bench.failure(&[&check[..], &simd[..]].concat());
    let instead = "calor check --profile run.calor --against 'CMD BEFORE --profile run.calor' -- calor bench simd --quick -q \
                   --profile run.calor";
    assert!(message.contains(instead) && !message.contains("running `"), "{message}");
}
