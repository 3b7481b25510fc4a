//! Processes that run already.

use std::process::Command;

use super::workbench::{Beside, Workbench, may_sample, program, samples, samples_in, send};

/// An actor that runs beside.
fn actor(words: &[&str]) -> Beside {
    Beside::start(Command::new(program("actor")).args(words))
}

#[test]
fn a_process_that_ends_while_attached_ends_the_recording() {
    let bench = Workbench::new();
    let beside = actor(&["ready", "700"]);
    let Some(recorded) = bench.outcome(bench.command(&["-p", &beside.pid()])) else { return };
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    assert!(
        recorded.stderr.contains(&format!("process {} ended after", beside.pid())),
        "{}",
        recorded.stderr
    );
    assert!(samples_in(&recorded.profile, &["main", "spin"]) > 50, "{}", recorded.stderr);
}

#[test]
fn a_process_that_goes_on_is_left_alone_after_the_time() {
    let bench = Workbench::new();
    let mut beside = actor(&["ready", "60000"]);
    let Some(recorded) = bench.outcome(bench.command(&["-p", &beside.pid(), "--for", "400ms"])) else {
        return;
    };
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    assert!(recorded.stderr.contains("goes on"), "{}", recorded.stderr);
    assert!(samples_in(&recorded.profile, &["main", "spin"]) > 5, "{}", recorded.stderr);
    assert!(beside.child.try_wait().expect("it is ours").is_none());
}

#[test]
fn an_interrupt_ends_the_recording_and_not_the_process() {
    if !may_sample() {
        return;
    }
    let bench = Workbench::new();
    let mut beside = actor(&["ready", "60000"]);
    let child = bench.command(&["-p", &beside.pid()]).spawn().expect("it can be started");
    std::thread::sleep(std::time::Duration::from_millis(500));
    send("-INT", &child.id().to_string());
    let output = child.wait_with_output().expect("it ends");
    let recorded = bench.recorded(&output).expect("sampling is allowed");
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    assert!(beside.child.try_wait().expect("it is ours").is_none());
}

#[test]
fn all_threads_and_children_of_a_process_are_attached_to() {
    let bench = Workbench::new();
    let actor = program("actor");
    let line = format!("{0} threads 3 60000 & {0} spin 60000 & echo ready; wait", actor.display());
    let beside = Beside::start(Command::new("sh").args(["-c", &line]));
    // The shell's children need not have begun with it.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let outcome = bench.outcome(bench.command(&["-p", &beside.pid(), "--for", "1s"]));
    let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", beside.pid()));
    for child in children.unwrap_or_default().split_whitespace() {
        send("-KILL", child);
    }
    let Some(recorded) = outcome else { return };
    let threads = samples_in(&recorded.profile, &["spinning", "spin"]);
    let alone = samples_in(&recorded.profile, &["main", "spin"]);
    assert!(threads > 50 && alone > 20, "{threads} and {alone}: {}", recorded.stderr);
    assert_eq!(recorded.profile.threads.len(), 4, "{}", recorded.stderr);
}

#[test]
fn a_process_whose_first_thread_has_ended_is_seen() {
    let bench = Workbench::new();
    let mut command = Command::new(program("actor"));
    let mut child = command.args(["leaderless", "1500"]).spawn().expect("it can be started");
    std::thread::sleep(std::time::Duration::from_millis(200));
    let recorded = bench.outcome(bench.command(&["-p", &child.id().to_string(), "--for", "500ms"]));
    child.kill().expect("it is ours");
    child.wait().expect("it ends");
    let Some(recorded) = recorded else { return };
    let known = samples_in(&recorded.profile, &["spinning", "spin"]);
    assert!(known > 50 && known * 100 > samples(&recorded.profile) * 95, "{known}: {}", recorded.stderr);
}
