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
