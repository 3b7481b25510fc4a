//! What `calor record` is told by flags, variables and files, as far as that shows without a recording: the process that
//! is asked for does not exist.

use super::workbench::{Workbench, text};

/// No process has this number: they are below four million.
const NOBODY: [&str; 3] = ["record", "-p", "2000000000"];

#[test]
fn a_process_that_is_not_there_leaves_no_file() {
    let bench = Workbench::new();
    let output = bench.run(&[&NOBODY[..], &["-o", "new.calor"]].concat());
    assert!(text(&output.stderr).contains("there is no process 2000000000"), "{}", text(&output.stderr));
    assert_eq!((output.status.code(), bench.names()), (Some(2), vec!["profile.calor".to_owned()]));
}

#[test]
fn variables_say_yes_and_no_in_every_usual_way_and_flags_may_say_the_opposite() {
    let bench = Workbench::new();
    for (name, value) in [
        ("CALOR_OFF_CPU", "1"),
        ("CALOR_OFF_CPU", "false"),
        ("CALOR_KERNEL", "yes"),
        ("CALOR_NO_INLINES", "off"),
        ("CALOR_NO_THREADS", "1"),
    ] {
        let arguments = [&NOBODY[..], &["--threads", "--off-cpu", "--kernel=false"]].concat();
        let output = bench.command(&arguments).env(name, value).output().expect("it can be started");
        assert!(text(&output.stderr).contains("there is no process"), "{name}: {}", text(&output.stderr));
    }
    let output = bench.command(&NOBODY).env("CALOR_KERNEL", "perhaps").output().expect("it can be started");
    assert!(text(&output.stderr).contains("perhaps"), "{}", text(&output.stderr));
}

#[test]
fn a_list_without_counters_and_a_pid_that_is_none_are_refused_with_what_to_do() {
    let bench = Workbench::new();
    let message = bench.failure(&["record", "--counters=", "--", "true"]);
    assert!(message.contains("page-faults") && message.contains("--counters alone"), "{message}");
    for command in ["record", "top"] {
        let message = bench.failure(&[command, "-p", "abc"]);
        assert!(message.contains("such as 1234") && message.contains("ps -e"), "{message}");
    }
}
