//! `calor record --save`: the run is in its file and in the store.

use std::process::Command;

use serde_json::Value;

use super::workbench::{Workbench, program, text};

/// What `calor store show latest` tells.
fn latest(bench: &Workbench) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
    bench.settle(command.args(["store", "show", "latest", "--format", "json"]));
    let output = command.output().expect("it can be started");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    page["runs"][0].clone()
}

#[test]
fn a_run_is_saved_with_its_labels_and_how_it_was_recorded() {
    let bench = Workbench::new();
    let options = ["--save", "--label", "build=fast", "--rate", "499", "--heap=sampled"];
    let Some(recorded) = bench.record(&options, &["actor", "spin", "50", "6"]) else { return };
    assert_eq!(recorded.code, Some(6), "the exit code is still the program's: {}", recorded.stderr);
    assert!(recorded.stderr.contains("\nSaved as "), "{}", recorded.stderr);
    assert_eq!(recorded.profile.runs[0].labels["build"], "fast");
    let run = latest(&bench);
    assert_eq!((&run["name"], &run["labels"]["build"]), (&"actor".into(), &"fast".into()));
    assert_eq!(
        (&run["settings"]["rate"], &run["settings"]["heap"]),
        (&"499".into(), &"sampled:524288".into())
    );
    assert_eq!(run["duration_ns"].as_u64(), Some(recorded.profile.duration_nanos()));
    assert!(run["host"]["cores"].as_u64() > Some(0), "{run}");
}

#[test]
fn how_fast_the_machine_was_is_in_the_profile() {
    let bench = Workbench::new();
    // Two parts, which tell of the same beginning.
    let options = ["--part-after", "100ms"];
    let Some(recorded) = bench.record(&options, &["actor", "spin", "600"]) else { return };
    let canary = recorded.profile.runs[0].canary;
    assert!(canary.first_nanos > Some(1_000) && canary.last_nanos > Some(1_000), "{canary:?}");
    // While the program runs, its own load would be taken for the machine's.
    let Some(cut_short) = bench.record(&["--for", "50ms"], &["actor", "spin", "1500"]) else { return };
    let canary = cut_short.profile.runs[0].canary;
    assert!(canary.first_nanos.is_some() && canary.last_nanos.is_none(), "{canary:?}");
}

#[test]
fn the_commit_is_that_of_the_folder_that_the_program_runs_in() {
    let bench = Workbench::new();
    let hash = |digit: &str| digit.repeat(40);
    for (folder, digit) in [("", "1"), ("elsewhere", "2")] {
        let git = bench.path(folder).join(".git");
        std::fs::create_dir_all(&git).expect("a folder can be made");
        std::fs::write(git.join("HEAD"), hash(digit)).expect("a file can be written");
    }
    let Some(_) = bench.record(&["--save"], &["actor", "spin", "50"]) else { return };
    assert_eq!(latest(&bench)["commit"], hash("1"));
    let mut command = Command::new(program("actor"));
    let running = command.args(["spin", "60000"]).current_dir(bench.path("elsewhere")).spawn();
    let mut running = running.expect("it can be started");
    let output = bench.run(&["--save", "--for", "300ms", "-p", &running.id().to_string()]);
    running.kill().expect("it is ours");
    running.wait().expect("it ends");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(latest(&bench)["commit"], hash("2"));
}

#[test]
fn labels_are_in_the_profile_also_without_a_store() {
    let bench = Workbench::new();
    let Some(recorded) = bench.record(&["--label", "a=1", "--label", "b=2"], &["actor", "spin", "50"]) else {
        return;
    };
    let labels: Vec<_> = recorded.profile.runs[0].labels.iter().collect();
    assert_eq!(labels, [(&"a".to_owned(), &"1".to_owned()), (&"b".to_owned(), &"2".to_owned())]);
    assert!(!bench.path(".calor").exists());
}

#[test]
fn nothing_is_started_for_a_store_that_cannot_be_written() {
    let bench = Workbench::new();
    std::fs::write(bench.path(".calor"), "a file").expect("a file can be written");
    let output = bench.run(&["--save", "--", "touch", "started"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("cannot use the folder of the store"), "{message}");
    assert!(!bench.path("started").exists() && !bench.path("profile.calor").exists());
}

#[test]
fn a_run_that_cannot_be_saved_in_the_end_is_still_in_its_file() {
    let bench = Workbench::new();
    let script = format!("{} spin 50; rm -rf .calor; touch .calor", program("actor").display());
    let output = bench.run(&["--save", "--", "sh", "-c", &script]);
    let Some(recorded) = bench.recorded(&output) else { return };
    assert_eq!(recorded.code, Some(2), "{}", recorded.stderr);
    let told = "the profile is in profile.calor, but could not be saved (`calor store add profile.calor` tries again)";
    assert!(recorded.stderr.contains(told), "{}", recorded.stderr);
}

#[test]
fn what_is_saved_of_a_recording_in_parts_are_the_bytes_of_its_file() {
    let bench = Workbench::new();
    let options = ["--save", "--part-after", "50ms"];
    let Some(recorded) = bench.record(&options, &["actor", "spin", "400"]) else { return };
    assert!(recorded.stderr.contains("\nSaved as "), "{}", recorded.stderr);
    let run = latest(&bench);
    let file = std::fs::read(bench.path("profile.calor")).expect("it can be read");
    assert_eq!(run["bytes"].as_u64(), Some(file.len() as u64));
    // So the file is known to the store, whoever brings it.
    let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
    bench.settle(command.args(["store", "add", "profile.calor"]));
    let output = command.output().expect("it can be started");
    assert!(text(&output.stderr).contains("was saved before as"), "{}", text(&output.stderr));
}
