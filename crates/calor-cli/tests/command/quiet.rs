//! `--quiet`, and the news that it silences.

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use super::workbench::{Workbench, text};

#[test]
fn quiet_leaves_standard_error_to_errors() {
    let bench = Workbench::new();
    for arguments in [
        &["flame", "profile.calor", "-o", "a.svg", "--quiet"][..],
        &["-q", "convert", "profile.calor", "a.csv", "--metric", "scopes"][..],
        &["demo", "-q", "--size", "small", "--tokens", "1", "--inferences", "1"][..],
        &["man", "-o", "pages", "-q"][..],
    ] {
        let output = bench.run(arguments);
        assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    }
    assert!(bench.failure(&["-q", "flame", "missing"]).contains("no such file"));
}

/// Standard error of a conversion whose input comes late.
fn said_while_waiting(bench: &Workbench, arguments: &[&str]) -> String {
    let mut command = bench.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command can be started");
    let mut stdin = child.stdin.take().expect("it was piped");
    // Longer than the second of silence that everything has.
    std::thread::sleep(Duration::from_millis(1_600));
    stdin.write_all(&bench.get("profile.calor")).expect("the command reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the command ends");
    assert!(output.status.success());
    text(&output.stderr)
}

#[test]
fn somebody_who_waits_for_input_is_told_so() {
    let bench = Workbench::new();
    let said = said_while_waiting(&bench, &["convert", "-", "--to", "folded"]);
    assert_eq!(said, "reading standard input ...\n");
    assert_eq!(said_while_waiting(&bench, &["convert", "-", "--to", "folded", "--quiet"]), "");
}
