//! Two Python functions, with no more than Python itself.

use crate::workbench::{calor, causes, text};

const SETUP: &str = "
def arguments(n, dtype):
    return (list(range(n)),)


def built_in(values):
    return sum(values)


def stepwise(values):
    total = 0
    for value in values:
        total = total + value
    return total


def wrong(values):
    return 0
";

fn python(words: &[&str]) -> std::process::Output {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let setup = folder.path().join("setup.py");
    std::fs::write(&setup, SETUP).expect("a file can be written");
    let setup = setup.to_str().expect("text");
    let usual = ["ab", "--why", "--python", "--setup", setup, "--sizes", "1k,4k,16k", "--max-time", "4s"];
    calor(&[&usual, words].concat())
}

#[test]
fn functions_are_timed_within_python_and_explained() {
    let output = python(&["--format", "json", "built_in", "stepwise"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(page["commands"], serde_json::json!(["built_in", "stepwise"]));
    assert_eq!(page["curve"].as_array().map(Vec::len), Some(3), "{page:#}");
    assert_eq!(causes(&page).first().map(String::as_str), Some("interpreter"), "{page:#}");
}

#[test]
fn functions_that_return_different_things_and_names_that_are_none_are_told() {
    for (words, expected) in [
        (&["built_in", "wrong"][..], "return different things for 1024 elements"),
        (&["built_in", "missing"], "is no function"),
        (&["built_in", "no_such_module:f"], "no_such_module cannot be imported"),
        (&["built_in", "math:no_such"], "has no `no_such`"),
        (&["built_in"], "takes two functions"),
        (&["--interpreter", "no-such-python", "built_in", "stepwise"], "--interpreter"),
        (&["--dtype", "a,b,c", "built_in", "stepwise"], "one type or two"),
    ] {
        let output = python(words);
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains(expected), "{words:?}: {said}");
    }
}

#[test]
fn an_interrupt_ends_it_with_the_sizes_that_were_measured_and_without_a_traceback() {
    use std::io::{BufRead, BufReader, Read};
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let setup = folder.path().join("setup.py");
    let spin = "
import time


def arguments(n, dtype):
    return (n,)


def spin(n):
    until = time.process_time() + 0.04
    while time.process_time() < until:
        pass


other = spin
";
    std::fs::write(&setup, spin).expect("a file can be written");
    let sizes = "1,2,3,4,5,6,7,8,9,10,11,12";
    let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
    command
        .args([
            "ab",
            "--why",
            "--python",
            "--format",
            "json",
            "--max-time",
            "10m",
            "--sizes",
            sizes,
            "--setup",
        ])
        .arg(&setup)
        .args(["spin", "other"])
        .env("CALOR_CACHE_DIR", env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // As a terminal does, the signal is sent to the whole group.
        .process_group(0);
    let mut child = command.spawn().expect("it can be started");
    let mut errors = BufReader::new(child.stderr.take().expect("it was piped"));
    let mut said = String::new();
    while !said.contains("measured at size") && errors.read_line(&mut said).expect("it can be read") > 0 {}
    let group = format!("-{}", child.id());
    let sent = Command::new("kill").args(["-INT", "--", &group]).status();
    assert!(sent.expect("kill can be started").success());
    errors.read_to_string(&mut said).expect("it can be read");
    let mut page = String::new();
    child.stdout.take().expect("it was piped").read_to_string(&mut page).expect("it can be read");
    assert_eq!(child.wait().expect("it ends").code(), Some(130), "{said}\n{page}");
    assert!(!said.contains("Traceback") && !said.contains("error:"), "{said}");
    let page: serde_json::Value = serde_json::from_str(&page).expect("JSON");
    assert!(page["curve"].as_array().is_some_and(|curve| (1..12).contains(&curve.len())), "{page:#}");
    assert_eq!(page["why"], serde_json::json!([]), "{page:#}");
    let codes = page["warnings"].as_array().expect("warnings").iter().map(|warning| &warning["code"]);
    assert!(codes.into_iter().any(|code| code == "interrupted"), "{page:#}");
}
