//! `calor verify`: a prediction that a change is held against, and the score that is kept.

use super::findings::copies;
use super::schema_check::problems;
use super::workbench::Workbench;

/// Counts in a shell: work on a processor, and nothing else.
fn counting(to: u32) -> String {
    format!("i=0; while [ $i -lt {to} ]; do i=$((i+1)); done")
}

#[test]
fn a_change_that_gives_far_more_than_predicted_is_told_so_and_kept() {
    let bench = Workbench::new();
    bench.put("copies.calor", &copies());
    // Nearly all of the work goes, where less than half was predicted to.
    let (before, after) = (counting(60_000), counting(600));
    let outcome = bench.json(&[
        "verify",
        "copies.calor#CPU-MEMORY-COPIES",
        "--metric",
        "cpu",
        "--format",
        "json",
        "--max-time",
        "60s",
        &before,
        &after,
    ]);
    let found = problems(&bench.json(&["schema", "verify/1"]), &outcome);
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!(
        (&outcome["outcome"], &outcome["rule"]),
        (&"more".into(), &"CPU-MEMORY-COPIES".into()),
        "{outcome}"
    );
    let score = bench.json(&["verify", "--score", "--format", "json"]);
    let found = problems(&bench.json(&["schema", "verify_score/1"]), &score);
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!((&score["all"]["more"], &score["all"]["share"]), (&1.into(), &0.0.into()));
    let page = bench.stdout(&["verify", "--score"]);
    assert!(page.contains("0 of 1 gains lay in the predicted interval"), "{page}");
}

/// What is left may be less than a process has before it becomes the program, which is all that can be measured then.
#[test]
fn a_change_that_leaves_next_to_no_memory_gives_at_least_what_can_be_measured() {
    let bench = Workbench::new();
    bench.put("copies.calor", &copies());
    let before = r"text=$(head -c 100000000 /dev/zero | tr '\0' a); echo ${#text} > /dev/null";
    let asked = ["verify", "copies.calor#CPU-MEMORY-COPIES", "--metric", "rss", "--format", "json"];
    let outcome = bench.json(&[&asked[..], &["--max-time", "60s", before, "true"]].concat());
    assert_eq!(outcome["outcome"], "more", "{outcome}");
    assert_eq!(outcome["warnings"][0]["code"], "gain_is_a_bound", "{outcome}");
    let sentence = outcome["sentence"].as_str().expect("a sentence");
    assert!(sentence.contains("at least") && sentence.contains("less memory"), "{sentence}");
}

#[test]
fn what_cannot_be_verified_is_told_before_anything_runs() {
    let bench = Workbench::new();
    bench.put("copies.calor", &copies());
    for (arguments, expected) in [
        (&["verify", "copies.calor#9", "true", "true"][..], "expected the number of a finding, 1 to"),
        (&["verify", "copies.calor#NO-SUCH", "true", "true"], "there is no finding of NO-SUCH"),
        (&["verify", "copies.calor", "true"], "expected two commands"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{message}");
    }
    assert!(bench.stdout(&["verify", "--score"]).starts_with("nothing was verified yet"));
}

#[test]
fn an_interrupt_tells_what_is_known_and_keeps_nothing() {
    use std::process::{Command, Stdio};
    let bench = Workbench::new();
    bench.put("copies.calor", &copies());
    let asked = ["verify", "copies.calor#CPU-MEMORY-COPIES", "--metric", "cpu", "--max-time", "10m"];
    let mut command = bench.command(&[&asked[..], &["sleep 0.3", "sleep 0.4"]].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be started");
    std::thread::sleep(std::time::Duration::from_secs(3));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill can be started").success());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted"), "{said}");
    let score = bench.json(&["verify", "--score", "--format", "json"]);
    assert_eq!(score["all"]["verified"].as_u64().unwrap_or(0), 0, "{score}");
}
