//! What is written where: standard output is the program's alone.

use std::process::Stdio;

use calor_testing::{Need, cannot};

use super::workbench::{Workbench, may_sample, program, text};

#[test]
fn standard_output_is_the_programs_alone() {
    let bench = Workbench::new();
    let Some(recorded) = bench.outcome(bench.command(&["--", "printf", "one\\ntwo"])) else { return };
    assert_eq!(recorded.stdout, "one\ntwo");
}

#[test]
fn standard_input_is_the_programs_too() {
    let bench = Workbench::new();
    std::fs::write(bench.path("input"), "given").expect("a file can be written");
    let mut command = bench.command(&["--", "cat"]);
    command.stdin(std::fs::File::open(bench.path("input")).expect("it was written"));
    let Some(recorded) = bench.outcome(command) else { return };
    assert_eq!(recorded.stdout, "given");
}

#[test]
fn quiet_says_nothing_when_all_went_well() {
    let bench = Workbench::new();
    let Some(recorded) = bench.record(&["--quiet"], &["actor", "spin", "50"]) else { return };
    assert_eq!((recorded.code, recorded.stderr.as_str()), (Some(0), ""));
}

#[test]
fn nobody_listening_is_no_reason_to_fail() {
    let bench = Workbench::new();
    let actor = program("actor");
    let mut command =
        bench.command(&["--", actor.to_str().expect("a temporary path is text"), "spin", "50", "6"]);
    let mut child = command.stdout(Stdio::null()).spawn().expect("it can be started");
    drop(child.stderr.take());
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(if may_sample() { 6 } else { 2 }));
}

#[test]
fn what_was_recorded_is_told_with_what_to_do_next_and_that_works() {
    let bench = Workbench::new();
    let Some(recorded) = bench.record(&[], &["known", "work", "200"]) else { return };
    let (_, next) = recorded.stderr.split_once("Next: ").expect("there is a next step");
    assert!(
        recorded.stderr.contains("Hottest:") && recorded.stderr.contains("samples of "),
        "{}",
        recorded.stderr
    );
    for line in next.lines() {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_calor"));
        bench.settle(command.args(&words));
        let output = command.output().expect("it can be started");
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    }
}

#[test]
fn threads_are_added_up_when_asked_for_and_keep_the_name_of_the_process() {
    let bench = Workbench::new();
    let Some(recorded) = bench.record(&["--no-threads"], &["known", "work", "200"]) else { return };
    let profile = &recorded.profile;
    let names: Vec<&str> = profile.threads.iter().map(|(_, row)| profile.strings.get(row.name)).collect();
    assert_eq!(names, ["known"], "{}", recorded.stderr);
}

#[test]
fn an_unfinished_line_on_a_terminal_is_left_alone() {
    let bench = Workbench::new();
    let record =
        format!("{} record sh -c 'printf partial; sleep 1.5; echo \" end\"'", env!("CARGO_BIN_EXE_calor"));
    let mut command = std::process::Command::new("script");
    bench.settle(command.args(["-qec", &record, "/dev/null"]));
    let Ok(output) = command.output() else {
        cannot(Need::Tool, format_args!("there is no `script` here that makes a terminal"));
        return;
    };
    let shown = text(&output.stdout);
    assert!(shown.starts_with("partial end\r\n") || !may_sample(), "{shown:?}");
}
