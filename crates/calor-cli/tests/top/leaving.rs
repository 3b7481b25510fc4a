//! However the view ends, the terminal is as it was, and the program is told or left alone.

use std::process::Command;

use crate::workbench::{Beside, Workbench, may_sample, spin};

fn send(signal: &str, pid: u32) {
    let outcome =
        Command::new("kill").args([signal, &pid.to_string()]).status().expect("kill can be started");
    assert!(outcome.success());
}

#[test]
fn a_program_that_was_started_is_ended_and_its_output_is_handed_on() {
    if !may_sample() {
        return;
    }
    let bench = Workbench::new();
    let mut top = bench.top(&["--", spin()]);
    top.wait_for("heavy");
    assert!(top.is_taken_over());
    top.press("q");
    assert_eq!(top.ended().code(), Some(0));
    let text = top.wait_for("ended (signal 15)");
    assert!(text.contains("ready: spinning"), "{text}");
    top.wait_until_given_back();
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}

#[test]
fn an_attached_program_goes_on() {
    if !may_sample() {
        return;
    }
    let (bench, mut beside) = (Workbench::new(), Beside::start());
    for keys in ["q", "\x03", "\x1b"] {
        let mut top = bench.top(&["-p", &beside.pid()]);
        top.wait_for("heavy");
        top.press(keys);
        assert_eq!(top.ended().code(), Some(0), "{keys:?}");
        top.wait_for("goes on");
        top.wait_until_given_back();
        assert!(beside.is_running(), "{keys:?}");
    }
}

#[test]
fn a_program_that_ends_stays_in_view_until_it_is_left() {
    if !may_sample() {
        return;
    }
    let bench = Workbench::new();
    let mut top = bench.top(&["--", spin(), "0.5", "3"]);
    top.wait_for("ended (exit code 3)");
    top.press("2");
    top.wait_for("spinner");
    top.press("q");
    assert_eq!(top.ended().code(), Some(0));
    top.wait_for("ended (exit code 3)");
}

#[test]
fn signals_end_the_view_and_give_the_terminal_back() {
    if !may_sample() {
        return;
    }
    let (bench, beside) = (Workbench::new(), Beside::start());
    for (signal, program) in [
        ("-TERM", vec!["-p", &beside.pid()]),
        ("-HUP", vec!["--", spin()]),
        ("-TERM", vec!["--", spin(), "0.2"]),
    ] {
        let mut top = bench.top(&program);
        top.wait_for(if program.len() > 2 { "ended (exit code 0)" } else { "heavy" });
        send(signal, top.child.id());
        assert_eq!(top.ended().code(), Some(0), "{signal} {program:?}");
        top.wait_until_given_back();
    }
}

#[test]
fn it_leaves_by_itself_when_the_time_is_up() {
    if !may_sample() {
        return;
    }
    let (bench, mut beside) = (Workbench::new(), Beside::start());
    let mut top = bench.top(&["--for", "1s", "-p", &beside.pid()]);
    assert_eq!(top.ended().code(), Some(0));
    top.wait_for("goes on");
    top.wait_until_given_back();
    assert!(beside.is_running());
}
