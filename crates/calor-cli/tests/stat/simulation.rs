//! `calor stat --simulate`: counts of a loop of known length, by valgrind.

use std::process::{Command, Stdio};

use calor_testing::{Need, cannot};
use serde_json::Value;

use super::schema_check::problems;
use super::workbench::{codes, command, counter, json, parsed, run, table, text, value};

/// Whether there is a valgrind; said aloud where there is none.
fn has_valgrind() -> bool {
    let is_there = Command::new("valgrind").arg("--version").output().is_ok_and(|it| it.status.success());
    if !is_there {
        cannot(Need::Valgrind, format_args!("valgrind is not installed, so that nothing can be simulated"));
    }
    is_there
}

/// The function that turns, among those of a page.
fn turn(page: &Value) -> &Value {
    let functions = page["simulation"]["functions"].as_array().expect("functions are a list");
    functions.iter().find(|it| it["name"] == "turn").unwrap_or_else(|| panic!("{page:#}"))
}

#[test]
fn instructions_of_a_loop_are_counted_exactly_and_by_function() {
    if !has_valgrind() {
        return;
    }
    let short = json(&["--simulate", "--top", "100"], &["turn", "1000"]);
    let long = json(&["--simulate"], &["turn", "101000"]);
    // Whatever the compiler made of the loop, a round is a few instructions, and each the same.
    let of_turn = |page: &Value| turn(page)["counters"]["instructions"].as_u64().expect("it is a number");
    let more = of_turn(&long) - of_turn(&short);
    assert!(more.is_multiple_of(100_000) && (100_000..2_000_000).contains(&more), "{more} instructions");
    let all = value(&long, "instructions") - value(&short, "instructions");
    assert!((all - more as f64).abs() < 10_000.0, "the rest of the program is the same: {all}");
    assert!(value(&long, "branches") - value(&short, "branches") >= 99_000.0);
    assert_eq!(counter(&long, "instructions")["source"], "simulated");
    let turn = turn(&long);
    let schema = Command::new(env!("CARGO_BIN_EXE_calor")).args(["schema", "stat/1"]).output();
    let found = problems(&parsed(&schema.expect("it can be started")), &long);
    assert!(found.is_empty(), "{found:#?}");
    assert!(turn["file"].as_str().is_some_and(|file| file.ends_with("worker.c")), "{turn}");
}

#[test]
fn the_cost_is_measured_and_the_limits_are_told() {
    if !has_valgrind() {
        return;
    }
    let output = run(&["--simulate", "--top", "3"], &["turn", "2000000"]);
    let page = table(&output);
    assert_eq!(output.status.code(), Some(0), "{page}");
    assert!(page.contains("times as long") && page.contains("simulated by valgrind"), "{page}");
    for limit in ["threads ran one at a time", "AVX-512", "simulated, not measured"] {
        let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(limit), "{page}");
    }
    assert!(page.contains("Functions by instructions") && page.contains("turn"), "{page}");
}

#[test]
fn exit_code_output_and_input_are_the_programs_also_under_the_simulation() {
    if !has_valgrind() {
        return;
    }
    assert_eq!(run(&["--simulate"], &["exit", "7"]).status.code(), Some(7));
    let said = run(&["--simulate"], &["say"]);
    assert_eq!(text(&said.stdout), "said\n", "once");
    assert!(table(&said).contains("Simulated counters") && table(&said).matches("told").count() == 1);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("input");
    std::fs::write(&path, "a\nb\nc\n").expect("a file can be written");
    let mut reading = command(&["--simulate", "-q", "--format", "json"], &["lines"]);
    let file = std::fs::File::open(&path).expect("it is there");
    let page = parsed(&reading.stdin(file).output().expect("it starts"));
    assert!(page["simulation"]["slowdown"].as_f64() > Some(0.0), "{page:#}");
    let mut reading = command(&["--simulate"], &["lines"]);
    let file = std::fs::File::open(&path).expect("it is there");
    let output = reading.stdin(file).output().expect("it starts");
    assert_eq!(text(&output.stdout), "3 lines\n");
    let mut piped = command(&["--simulate", "--format", "json"], &["lines"]);
    let mut child = piped.stdin(Stdio::piped()).spawn().expect("it starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("it was piped"), b"a\nb\n")
        .expect("it takes it");
    let output = child.wait_with_output().expect("it ends");
    assert!(text(&output.stderr).contains("2 lines"), "{}", text(&output.stderr));
    assert!(codes(&parsed(&output)).contains(&"cost_without_input"));
}

#[test]
fn copies_of_a_process_are_counted_and_said_to_be() {
    if !has_valgrind() {
        return;
    }
    let page = json(&["--simulate"], &["child", "50"]);
    assert!(codes(&page).contains(&"copies_counted_again"), "{page:#}");
    assert!(
        page["simulation"]["functions"].to_string().contains("touch") || value(&page, "instructions") > 0.0
    );
}

#[test]
fn without_valgrind_the_error_names_what_to_install_and_nothing_is_run() {
    let mut without = command(&["--simulate"], &["say"]);
    let output = without.env("PATH", "").output().expect("the command can be started");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(
        message.contains("valgrind is not installed") && message.contains("install valgrind"),
        "{message}"
    );
    assert!(output.stdout.is_empty() && !message.contains("told"), "{message}");
}

#[test]
fn a_program_that_kills_itself_is_counted_up_to_then() {
    if !has_valgrind() {
        return;
    }
    let output = run(&["--simulate"], &["killed"]);
    assert_eq!(output.status.code(), Some(137), "{}", text(&output.stderr));
    assert!(table(&output).contains("instructions"), "{}", table(&output));
}
