//! `calor demo` as a user meets it: the real command in a folder of its own, and what it leaves there.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use calor_model::{FrameKind, Profile};
use calor_testing::{Need, cannot};

/// Pages of each model.
const ENDINGS: [&str; 4] = [".html", "-flame.html", "-flame.svg", "-roofline.html"];

/// The command, run in a folder, so that its default output lands there.
fn demo(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
    command.current_dir(folder).env_remove("COLUMNS").stdin(Stdio::null());
    command.arg("demo").args(arguments).output().expect("the command can be started")
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("what is written is UTF-8")
}

/// Standard error of a demo that failed as it should: exit code 2, one `error:`, nothing on standard output.
fn failure(output: &Output) -> String {
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert_eq!(message.matches("error:").count(), 1, "{message}");
    assert!(output.stdout.is_empty(), "{message}");
    message
}

fn profile(folder: &Path, model: &str) -> Profile {
    let bytes = std::fs::read(folder.join(format!("{model}.calor"))).expect("the profile was written");
    calor_formats::read(&bytes).expect("the profile can be read")
}

/// Calls of all paths whose names match `path` from its end, on all threads.
fn calls(profile: &Profile, path: &[&str]) -> u64 {
    let is_meant = |stack| profile.path_names(stack).ends_with(path);
    profile.scopes.iter().filter(|(key, _)| is_meant(key.stack)).map(|(_, stats)| stats.calls).sum()
}

#[test]
fn a_demo_of_both_models_leaves_profiles_and_pages_and_says_what_to_do_next() {
    let folder = folder();
    let output = demo(folder.path(), &["--tokens", "3", "--inferences", "2"]);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    for expected in ["470,528", "3,454,464", "Saved demo-small as ", "demo-medium as ", "Next: "] {
        assert!(said.contains(expected), "{said}");
    }

    let report = text(&output.stdout);
    for expected in ["Hot paths", "GFLOP/s", "qkv", "model › "] {
        assert!(report.contains(expected), "{expected}: {report}");
    }
    assert!(!report.contains('\x1b'), "{report}");
    let made = folder.path().join("calor-demo");
    let page = |name: &str| std::fs::read_to_string(made.join(name)).expect("the page was written");
    let of_each = ["small", "medium"].map(|model| ENDINGS.map(|ending| format!("{model}{ending}")));
    let of_all = ["compare.html", "models.html"].map(str::to_owned);
    for name in of_each.concat().iter().chain(&of_all) {
        let page = page(name);
        let begins = if name.ends_with("svg") { "<svg" } else { "<!doctype html>" };
        assert!(page.starts_with(begins) && page.len() > 5_000, "{name}: {}", &page[..200.min(page.len())]);
        assert!(said.contains(name.as_str()), "{name} is not told: {said}");
        assert!(name.ends_with("svg") || page.contains("qkv"), "{name}");
    }

    for (model, layers) in [("small", 2), ("medium", 4)] {
        let profile = profile(&made, model);
        let scope = "model";
        assert_eq!(calls(&profile, &[scope]), 2);
        assert_eq!(calls(&profile, &[scope, "prefill"]), 2);
        // Reading the prompt gives the first token.
        assert_eq!(calls(&profile, &[scope, "decode"]), 2 * 2);
        assert_eq!(calls(&profile, &[scope, "decode", "layer"]), 2 * 2 * layers);
        assert_eq!(profile.runs[0].labels["model"], model);
    }
    let [small, medium] = ["small", "medium"].map(|model| profile(&made, model).runs[0].id);
    assert_ne!(small, medium, "they would be taken for one run");
    let compared = page("compare.html");
    assert!(!compared.contains("compared with itself"));
    assert!(compared.contains("Different models, so no verdict: medium has "), "{compared}");
    let models = page("models.html");
    // Of so few tokens it may be that it cannot be told.
    for expected in ["Scaling by operation, small to medium", "ime grows"] {
        assert!(models.contains(expected), "{expected}");
    }
    // The scopes of both join: none is on one side alone.
    let files = ["small", "medium"].map(|model| made.join(format!("{model}.calor")));
    let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
    let output = command.args(["compare", "--metric", "scopes", "--format", "json"]).args(files).output();
    let compared: serde_json::Value =
        serde_json::from_slice(&output.expect("the command can be started").stdout).expect("it is JSON");
    let functions = compared["functions"].as_array().expect("there are functions");
    assert!(functions.iter().any(|function| function["name"] == "mlp_up"), "{compared}");
    assert!(functions.iter().all(|function| function["change"].is_null()), "{compared}");
}

#[test]
fn what_is_told_fits_a_narrow_terminal_and_orders_nothing_that_rules_found_fine() {
    let folder = folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
    command.current_dir(folder.path()).env("COLUMNS", "60").stdin(Stdio::null());
    let output = command.args(["demo", "--tokens", "3", "--inferences", "2"]).output();
    let output = output.expect("the command can be started");
    let (said, report) = (text(&output.stderr), text(&output.stdout));
    // What is to be typed is in one line, however long.
    for line in said.lines().take_while(|line| !line.starts_with("Next: ")).chain(report.lines()) {
        assert!(line.chars().count() <= 60, "{line:?}: {said}{report}");
    }
    assert!(said.contains("operations beside what this machine can do"), "{said}");
    for order in ["reuse its buffers", "allocate once outside", "is called very often"] {
        assert!(!report.contains(order), "{report}");
    }
    let is_brief = !report.contains("Not judged") && report.contains("had not enough data: `calor findings");
    assert!(is_brief || !report.contains("Nothing found"), "{report}");
}

#[test]
fn the_next_commands_that_are_suggested_work() {
    let folder = folder();
    let arguments = ["--size", "small", "--tokens", "2", "--inferences", "1", "--output", "a demo's"];
    let output = demo(folder.path(), &arguments);
    let said = text(&output.stderr);
    let next = said.lines().skip_while(|line| !line.starts_with("Next: "));
    let next = next.take_while(|line| !line.starts_with("Then your own"));
    let commands: Vec<&str> = next.filter_map(|line| Some(line.split_once("calor ")?.1)).collect();
    assert!(commands.len() >= 6, "{said}");
    for command in commands {
        // As typed into a shell, in which `calor` is the command under test.
        let line = format!("\"$CALOR\" {command}");
        let mut shell = Command::new("sh");
        shell.current_dir(folder.path()).env("CALOR", env!("CARGO_BIN_EXE_calor"));
        let output = shell.args(["-c", &line]).output().expect("a shell can be started");
        assert!(output.status.success(), "{command}: {}", text(&output.stderr));
        // What was asked for is printed, or written to a file that is named.
        let is_file = text(&output.stderr).contains("wrote ");
        assert!(!output.stdout.is_empty() || is_file, "{command}");
    }
}

#[test]
fn samples_are_in_the_profile_where_the_system_grants_them() {
    let folder = folder();
    let output = demo(folder.path(), &["--size", "medium", "--inferences", "20", "--save=no"]);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    if said.contains("there are no samples") {
        cannot(Need::Perf, said);
        return;
    }
    let profile = profile(&folder.path().join("calor-demo"), "medium");
    let recorders: Vec<&str> = profile.runs[0].recorders.iter().map(|recorder| recorder.word()).collect();
    assert_eq!(recorders, ["scopes", "cpu"]);
    let samples: u64 = profile.samples.iter().map(|(_, weight)| weight.count).sum();
    let in_model = profile.samples.iter().filter(|(key, _)| {
        profile.path_names(key.stack).iter().any(|name| name.contains("calor_workloads::model"))
    });
    let in_model: u64 = in_model.map(|(_, weight)| weight.count).sum();
    assert!(samples > 5 && 2 * in_model > samples, "{in_model} of {samples}");
    assert!(!folder.path().join(".calor").exists(), "nothing was to be saved");
}

#[test]
fn the_recorded_work_is_what_the_sizes_of_the_model_say() {
    let folder = folder();
    let arguments = ["--size", "small", "--tokens", "5", "--inferences", "3", "--output", "there"];
    assert!(demo(folder.path(), &arguments).status.success());
    assert!(!folder.path().join("there/medium.calor").exists());
    let profile = profile(&folder.path().join("there"), "small");
    assert_eq!(calls(&profile, &["sample"]), 3 * 5);
    assert_eq!(calls(&profile, &["softmax"]), 3 * 5 * 2);

    let work = |path: &[&str]| {
        let rows = profile.scopes.iter().filter(|(key, _)| profile.path_names(key.stack).ends_with(path));
        let works = rows.map(|(_, stats)| (stats.work.flops, stats.work.bytes));
        works.fold((0, 0), |sum, work| (sum.0 + work.0, sum.1 + work.1))
    };
    // A token through a matrix of 128 x 384 with a bias, in each of two layers: of 15 tokens 3 came from prompts.
    let flops = 2 * 128 * 384 + 384;
    let bytes = 4 * (128 * 384 + 384 + 128 + 384);
    assert_eq!(work(&["decode", "layer", "qkv"]), (12 * 2 * flops, 12 * 2 * bytes));
    // Prompts of 16 are read at once: sixteen times the arithmetic for hardly more bytes.
    let bytes = 4 * (128 * 384 + 384 + 16 * (128 + 384));
    assert_eq!(work(&["prefill", "layer", "qkv"]), (3 * 2 * 16 * flops, 3 * 2 * bytes));
}

#[test]
fn the_profile_has_two_workers_and_two_contexts_and_says_what_was_run() {
    let folder = folder();
    let arguments = ["--size", "small", "--tokens", "2", "--inferences", "2"];
    assert!(demo(folder.path(), &arguments).status.success());
    let profile = profile(&folder.path().join("calor-demo"), "small");
    let mut workers: Vec<&str> =
        profile.threads.iter().map(|(_, thread)| profile.strings.get(thread.name)).collect();
    workers.retain(|name| name.starts_with("worker"));
    workers.sort_unstable();
    assert_eq!(workers, ["worker 1", "worker 2"]);
    let contexts = profile.frames.iter().filter(|(_, frame)| frame.kind == FrameKind::Context);
    let mut contexts: Vec<&str> = contexts.map(|(_, frame)| profile.strings.get(frame.name)).collect();
    contexts.sort_unstable();
    assert_eq!(contexts, ["decode", "prefill"]);
    assert_eq!(profile.runs[0].labels["workload"], "model");
    // Pages of the two models have different headings.
    let page = std::fs::read_to_string(folder.path().join("calor-demo/small.html")).expect("it was written");
    assert!(page.contains("(small model) - Calor report</title>"), "{}", &page[..400]);
}

#[test]
fn what_a_log_keeps_of_a_demo_has_no_progress() {
    let folder = folder();
    // Long enough for progress to be shown where somebody watches.
    let output = demo(folder.path(), &["--inferences", "12"]);
    let said = text(&output.stderr);
    assert!(output.status.success() && !said.contains("running the"), "{said}");
    // How long a path this build has is not its doing.
    let said = said.replace(env!("CARGO_BIN_EXE_calor"), "calor");
    assert!(said.lines().all(|line| line.chars().count() <= 100), "{said}");
}

#[test]
fn a_second_demo_takes_the_place_of_the_first() {
    let folder = folder();
    for inferences in ["2", "1"] {
        let arguments = ["--size", "small", "--tokens", "1", "--inferences", inferences];
        assert!(demo(folder.path(), &arguments).status.success());
    }
    assert_eq!(calls(&profile(&folder.path().join("calor-demo"), "small"), &["model"]), 1);
}

#[test]
fn bad_arguments_are_exit_code_2_and_name_what_is_allowed() {
    let folder = folder();
    for (arguments, expected) in [
        (&["--size", "huge"][..], "possible values: small, medium, both"),
        (&["--tokens", "0"][..], "expected a whole number from 1 to 64, with --size medium to 128"),
        (&["--tokens", "-1"][..], "expected a whole number from 1 to 64"),
        (&["--tokens", "many"][..], "expected a whole number from 1 to 64"),
        (&["--tokens", "65"][..], "1 to 64 with a context of 64; larger sizes have a longer one"),
        (&["--size", "medium", "--tokens", "129"][..], "1 to 128 with a context of 128"),
        (&["--inferences", "0"][..], "expected a whole number from 1 to 10,000"),
        (&["--inferences", "10001"][..], "expected a whole number from 1 to 10,000"),
        (&["--token", "3"][..], "'--tokens'"),
    ] {
        let message = failure(&demo(folder.path(), arguments));
        assert!(message.contains(expected), "{message}");
    }
    // Nothing was begun.
    assert!(!folder.path().join("calor-demo").exists());
}

#[test]
fn an_output_folder_that_cannot_be_made_or_written_is_a_clear_error() {
    let folder = folder();
    std::fs::write(folder.path().join("file"), "").expect("a file can be written");
    let message = failure(&demo(folder.path(), &["--output", "file/demo"]));
    assert!(message.contains("choose a writable place with --output: file/demo"), "{message}");

    // A folder that has the place of the profile.
    std::fs::create_dir_all(folder.path().join("taken/small.calor")).expect("a folder can be made");
    let message = failure(&demo(folder.path(), &["--output", "taken"]));
    assert!(
        message.contains("cannot write the recording") && message.contains("taken/small.calor"),
        "{message}"
    );
}
