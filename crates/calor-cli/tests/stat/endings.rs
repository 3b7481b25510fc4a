//! How it ends and who gets to see what: exit codes, signals, output, and what is typed wrongly.

use std::io::{BufRead, BufReader, Read};
use std::process::Command;

use super::schema_check::problems;
use super::workbench::{codes, command, json, parsed, program, run, table, text};

#[test]
fn the_exit_code_is_the_programs() {
    for (words, code) in [(["exit", "0"], 0), (["exit", "7"], 7), (["killed", "0"], 137)] {
        let output = run(&[], &words);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        assert!(table(&output).contains("task-clock"), "counters are shown all the same");
    }
    let page = json(&["-r", "3"], &["exit", "7"]);
    assert_eq!((&page["runs"], &page["exit_code"]), (&3.into(), &7.into()));
    assert!(codes(&page).contains(&"runs_failed"), "{page:#}");
}

#[test]
fn what_the_program_says_passes_through_and_the_table_is_not_mixed_into_it() {
    for options in [&["-r", "2", "--warmup", "1"][..], &["-r", "2", "--warmup", "1", "--format", "text"]] {
        let shown = run(options, &["say"]);
        assert_eq!(text(&shown.stdout), "said\nsaid\nsaid\n", "`> FILE` is the program's output");
        assert!(table(&shown).starts_with("told\ntold\ntold\nCounters of"), "{}", table(&shown));
    }
}

#[test]
fn a_result_that_is_asked_for_on_standard_output_has_it_to_itself() {
    let scripted = run(&["--format", "json"], &["say"]);
    assert_eq!(parsed(&scripted)["runs"], 1);
    assert_eq!(text(&scripted.stderr).matches("said\n").count(), 1);
    let named = run(&["-o", "-"], &["say"]);
    assert!(text(&named.stdout).starts_with("Counters of"), "{}", text(&named.stdout));
    // A program whose output is no terminal keeps it back until its end.
    assert_eq!(text(&named.stderr), "told\nsaid\n");
    let quiet = run(&["--quiet"], &["say"]);
    assert!(text(&quiet.stdout).starts_with("Counters of") && quiet.stderr.is_empty());
}

#[test]
fn a_result_in_a_file_leaves_both_streams_to_the_program() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("stat.json");
    let output = run(&["-o", path.to_str().expect("it is text")], &["say"]);
    assert_eq!(text(&output.stdout), "said\n");
    let page = std::fs::read(&path).expect("it was written");
    let page: serde_json::Value = serde_json::from_slice(&page).expect("it is JSON");
    assert_eq!(page["schema"], "calor/stat/1");
}

#[test]
fn a_signal_is_passed_on_and_ends_the_repetition() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let mut child = command(&["-r", "50", "--format", "json"], &["ready"]).spawn().expect("it starts");
        // In JSON, standard output is ours, and the program's goes to standard error.
        let mut errors = BufReader::new(child.stderr.take().expect("it was piped"));
        let mut line = String::new();
        errors.read_line(&mut line).expect("it says a line");
        assert_eq!(line, "ready\n");
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.expect("kill can be started").success());
        let mut out = Vec::new();
        child.stdout.take().expect("it was piped").read_to_end(&mut out).expect("it can be read");
        let status = child.wait().expect("it ends");
        assert_eq!(status.code(), Some(code), "{}", text(&out));
        let page: serde_json::Value = serde_json::from_slice(&out).expect("the output is JSON");
        assert!(page["runs"] == 1 && codes(&page).contains(&"interrupted"), "{page:#}");
    }
}

#[test]
fn what_cannot_be_counted_at_all_is_an_error_with_what_to_do() {
    let failure = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
        let output = command.arg("stat").args(arguments).output().expect("the command can be started");
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.matches("error:").count() == 1 && output.stdout.is_empty(), "{message}");
        message
    };
    assert!(failure(&[]).contains("name a program, as in `calor stat -- ./train`"));
    assert!(failure(&["--", "/no/such/program"]).contains("there is no program `/no/such/program`"));
    assert!(failure(&["--", "/"]).contains("name a program inside it"));
    assert!(failure(&["-r", "0", "--", "true"]).contains("from 1 on"));
    assert!(failure(&["-e", "cycels", "--", "true"]).contains("branch-misses"));
    assert!(failure(&["--simulate", "-e", "cycles", "--", "true"]).contains("--events"));
}

#[test]
fn a_failed_command_and_events_that_cannot_be_counted_are_told_in_words() {
    let page = table(&run(&[], &["exit", "7"]));
    assert!(page.contains("the command failed: it ended with exit code 7\n"), "{page}");
    let page = table(&run(&["-r", "2"], &["killed", "0"]));
    assert!(page.contains("2 of 2 runs failed: the first of them was ended by SIGKILL\n"), "{page}");
    let cannot = json(&["-e", "cycles"], &["touch", "1"]);
    let output = run(&["-e", "cycles"], &["touch", "1"]);
    let is_absent = super::workbench::counter(&cannot, "cycles")["value"].is_null();
    let said = text(&output.stderr);
    assert_eq!(said.contains("none of the events that -e asks for could be counted"), is_absent, "{said}");
    assert_eq!(output.status.code(), Some(0), "the exit code is the program's");
}

#[test]
fn the_page_is_as_its_schema_says() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
    let output = command.args(["schema", "stat/1"]).output().expect("the command can be started");
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the schema is JSON");
    for options in [&["-r", "2"][..], &[], &["-e", "cycles,page-faults"]] {
        let found = problems(&schema, &json(options, &["touch", "1"]));
        assert!(found.is_empty(), "{options:?}: {found:#?}");
    }
}

#[test]
fn a_script_that_is_no_program_says_what_to_do() {
    let script = program("worker").with_file_name("script");
    std::fs::write(&script, "#!/bin/sh\n").expect("a file can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_calor")).arg("stat").arg("--").arg(&script).output();
    let output = output.expect("the command can be started");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("chmod +x"), "{}", text(&output.stderr));
}
