//! `calor record --counters`: events are found in the functions that cause them, and add up to what the kernel counted.

use std::process::Command;

use calor_testing::{Need, cannot};
use serde_json::Value;
use tempfile::TempDir;

use super::schema_check::problems;
use super::workbench::{parsed, program, text};

/// Whether perf events may be opened here; counted where they may not.
fn may_sample() -> bool {
    calor_record::probe().inspect_err(|refusal| cannot(Need::Perf, refusal)).is_ok()
}

fn calor(folder: &TempDir, arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
    command.args(arguments).current_dir(folder.path()).env("XDG_CACHE_HOME", folder.path());
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CALOR_")) {
        command.env_remove(name);
    }
    command.output().expect("the command can be started")
}

/// Records the program under its counters and reports it as JSON.
fn recorded(options: &[&str], words: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let worker = program("worker");
    let worker = worker.to_str().expect("a temporary path is text");
    let arguments = [&["record"], options, &["--", worker], words].concat();
    let output = calor(&folder, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    parsed(&calor(&folder, &["report", "profile.calor", "--format", "json"]))
}

fn counter<'p>(page: &'p Value, name: &str) -> &'p Value {
    let counters = page["counters"].as_array().unwrap_or_else(|| panic!("no counters: {page:#}"));
    counters.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no {name}: {page:#}"))
}

/// The share of a counter's events on paths through a function.
fn share_of(counter: &Value, function: &str) -> f64 {
    let is_through =
        |path: &&Value| path["path"].as_array().is_some_and(|names| names.contains(&function.into()));
    let paths = counter["paths"].as_array().expect("paths are a list");
    paths.iter().filter(is_through).filter_map(|path| path["share"].as_f64()).sum()
}

#[test]
fn page_faults_are_in_the_function_that_touches_and_add_up_to_what_the_kernel_counted() {
    if !may_sample() {
        return;
    }
    let page = recorded(&["--counters"], &["touch", "60000"]);
    let faults = counter(&page, "page-faults");
    let all = faults["value"].as_u64().expect("it is a number");
    assert!((60_000..61_000).contains(&all), "{faults:#}");
    assert!(share_of(faults, "touch") > 0.9, "{faults:#}");
    let sum: u64 =
        faults["paths"].as_array().expect("a list").iter().filter_map(|path| path["value"].as_u64()).sum();
    assert_eq!(sum, all, "{faults:#}");
    let recorders = page["run"]["recorders"].as_array().expect("a list");
    assert!(recorders.contains(&"counters".into()), "{}", page["run"]);
    // Where there are samples of the function, its counters stand beside its time.
    let hot = page["hot_paths"].as_array().expect("a list").iter().find(|path| path["name"] == "touch");
    if let Some(hot) = hot {
        assert!(hot["counters"]["page-faults"].as_u64() > Some(all / 2), "{hot:#}");
        assert!(hot["counters_total"]["page-faults"].as_u64() >= hot["counters"]["page-faults"].as_u64());
    }
    let schema = Command::new(env!("CARGO_BIN_EXE_calor")).args(["schema", "report/1"]).output();
    let found = problems(&parsed(&schema.expect("it can be started")), &page);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn functions_have_their_shares_of_the_events() {
    if !may_sample() {
        return;
    }
    let page = recorded(&["--counters=page-faults"], &["split", "40"]);
    let faults = counter(&page, "page-faults");
    let all = faults["value"].as_u64().expect("it is a number");
    assert!((160_000..161_000).contains(&all), "{faults:#}");
    let (much, little) = (share_of(faults, "much"), share_of(faults, "little"));
    assert!((0.6..0.9).contains(&much) && (0.1..0.4).contains(&little), "{much} {little}: {faults:#}");
}

#[test]
fn switches_are_told_by_who_made_the_kernel_switch_children_included() {
    if !may_sample() || !calor_record::probe().is_ok_and(|ability| ability.sees_kernel) {
        cannot(
            Need::Kernel,
            format_args!("switches are counted inside the kernel, which this user may not see"),
        );
        return;
    }
    let page = recorded(&["--counters=context-switches,page-faults"], &["nap", "300"]);
    let switches = counter(&page, "context-switches");
    assert!(switches["value"].as_u64() >= Some(150), "{switches:#}");
    assert!(share_of(switches, "main") > 0.7, "{switches:#}");
    let leaf = switches["paths"][0]["name"].as_str().unwrap_or_default();
    assert!(leaf != "[kernel]", "whose doing it was stands there, not who counted: {switches:#}");
    let child = recorded(&["--counters=page-faults"], &["child", "20000"]);
    let faults = counter(&child, "page-faults");
    assert!(faults["value"].as_u64() >= Some(20_000) && share_of(faults, "touch") > 0.7, "{faults:#}");
}

#[test]
fn what_the_processor_does_not_show_is_said_and_the_rest_is_recorded() {
    if !may_sample() {
        return;
    }
    let page = recorded(&["--counters=page-faults,cycles"], &["touch", "20000"]);
    let codes: Vec<&str> = page["warnings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|warning| warning["code"].as_str())
        .collect();
    match calor_record::counters::pmu() {
        Ok(pmu) if pmu.offered.contains(&"cycles") => {}
        Ok(_) => assert!(codes.contains(&"counter_not_offered"), "{codes:?}"),
        Err(absence) => assert!(codes.contains(&absence.code()), "{codes:?}"),
    }
    assert!(counter(&page, "page-faults")["value"].as_u64() >= Some(20_000), "{page:#}");
}

#[test]
fn without_counters_nothing_is_counted_and_a_wrong_name_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for (list, expected) in
        [("cycels", "there is no counter `cycels`"), ("elapsed", "is not counted by function")]
    {
        let output = calor(&folder, &["record", &format!("--counters={list}"), "--", "true"]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(expected) && message.contains("page-faults"), "{message}");
    }
    if may_sample() {
        let page = recorded(&[], &["touch", "20000"]);
        assert!(page.get("counters").is_none() && !page["run"]["recorders"].to_string().contains("counters"));
    }
}

#[test]
fn the_table_of_counters_is_in_every_page() {
    if !may_sample() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let worker = program("worker");
    let worker = worker.to_str().expect("a temporary path is text");
    let output = calor(&folder, &["record", "--counters", "--", worker, "touch", "30000"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for format in ["text", "md", "html"] {
        let page = text(&calor(&folder, &["report", "profile.calor", "--format", format]).stdout);
        assert!(page.contains("Counters") && page.contains("page-faults"), "{format}: {page}");
    }
    // A page carries its events, and what is read from it has them again.
    calor(&folder, &["report", "profile.calor", "-o", "page.md"]);
    let again = parsed(&calor(&folder, &["report", "page.md", "--format", "json"]));
    assert!(counter(&again, "page-faults")["value"].as_u64() >= Some(30_000), "{again:#}");
    let note = calor(&folder, &["convert", "profile.calor", "profile.pb.gz"]);
    assert!(text(&note.stderr).contains("events of call paths"), "{}", text(&note.stderr));
}
