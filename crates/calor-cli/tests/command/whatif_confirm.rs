//! `calor whatif --confirm`: a program is tried, and what comes of it stands beside the prediction. How close it comes is
//! measured by `cargo xtask bench causal`; here it is that all of it is told, whatever the machine does meanwhile.

use std::time::Duration;

use calor_model::{FrameKind, Profile, Span};
use serde_json::Value;

use super::schema_check::problems;
use super::workbench::{Workbench, text};

/// Which program this binary is to be.
const ROLE: &str = "CALOR_TEST_TRIED";
/// The name of the test that plays it.
const PLAYED: &str = "whatif_confirm::the_program_that_is_tried";

/// The program: this binary, started again by the command. Otherwise there is nothing to play.
#[test]
fn the_program_that_is_tried() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let work = |name: &str, millis| {
        let _scope = calor::Scope::enter(calor::Site::named(name));
        std::thread::sleep(Duration::from_millis(millis));
    };
    if role != "reads back" {
        calor::enable();
    }
    match role.as_str() {
        "reads back" => {
            calor::start_recording("own.calor");
            work("encode", 20);
            assert!(calor::stop_recording().is_some_and(|recorded| recorded.problem.is_none()));
            let own = std::fs::read("own.calor").expect("what was recorded can be read");
            assert!(calor_formats::native::read(&own).is_ok());
        }
        "whole" => calor::sync::scope(|s| {
            s.spawn(|| work("encode", 20));
            s.spawn(|| work("hash", 5));
        }),
        "progress" => {
            for _ in 0..150 {
                work("encode", 3);
                calor::progress!("step");
            }
        }
        "endless" => loop {
            work("encode", 1);
            calor::progress!("step");
        },
        "few steps" => {
            work("encode", 20);
            calor::progress!("step");
        }
        other => panic!("no role {other}"),
    }
    std::process::exit(0);
}

/// A recording of `encode` and `hash` one after the other, 3 ms and 1 ms.
fn bench() -> Workbench {
    let bench = Workbench::new();
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    for (path, start_nanos, duration_nanos) in [
        (&["program", "encode"][..], 0, 3_000_000),
        (&["program", "hash"], 3_000_000, 1_000_000),
        (&["program"], 0, 4_000_000),
    ] {
        let stack = profile.intern_named_path(path, FrameKind::Scope).expect("a path has a frame");
        profile.timeline.track_mut(thread).spans.push(Span { start_nanos, duration_nanos, stack });
    }
    let mut bytes = Vec::new();
    calor_formats::native::write(&profile, &mut bytes).expect("a profile can be written");
    bench.put("two.calor", &bytes);
    bench
}

/// What the command prints when it tries this binary in a role.
fn tried(bench: &Workbench, role: &str, arguments: &[&str]) -> String {
    let own = std::env::current_exe().expect("this program has a file");
    let mut command = bench.command(arguments);
    command.args(["--confirm", "--rounds", "2", "--"]).arg(own).args([PLAYED, "--exact"]).env(ROLE, role);
    let output = command.output().expect("it can be started");
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn scopes(page: &Value) -> Vec<(&str, Option<f64>, u64, bool)> {
    let scope = |scope: &'_ Value| {
        let predicted = scope["predicted"].as_f64().map(|predicted| (predicted * 100.0).round() / 100.0);
        (predicted, scope["pairs"].as_u64().unwrap_or(0), scope["tried"].is_number())
    };
    let all = page["scopes"].as_array().expect("scopes are a list");
    all.iter()
        .map(|found| {
            let (predicted, pairs, is_tried) = scope(found);
            (found["name"].as_str().expect("it has a name"), predicted, pairs, is_tried)
        })
        .collect()
}

#[test]
fn what_a_recording_promises_is_tried_in_whole_runs() {
    let bench = bench();
    let page = tried(&bench, "whole", &["whatif", "two.calor", "--format", "json"]);
    let page: Value = serde_json::from_str(&page).expect("it is JSON");
    let found = problems(&bench.json(&["schema", "confirm/1"]), &page);
    assert!(found.is_empty(), "{found:#?}");
    // The scope around all is left out; 3 of 4 ms twice as fast is 1.6 x, 1 of 4 ms 1.14 x.
    assert_eq!(scopes(&page), [("encode", Some(1.6), 2, true), ("hash", Some(1.14), 2, true)]);
    assert_eq!((&page["unit"], &page["runs"]), (&"run".into(), &6.into()));
}

#[test]
fn a_program_that_tells_its_progress_is_tried_in_few_runs() {
    let bench = bench();
    let page = tried(&bench, "progress", &["whatif", "--speedup", "encode=inf", "--format", "json"]);
    let page: Value = serde_json::from_str(&page).expect("it is JSON");
    assert_eq!(problems(&bench.json(&["schema", "confirm/1"]), &page), [""; 0]);
    let [("encode", None, pairs, true)] = scopes(&page)[..] else { panic!("{page:#}") };
    assert!(pairs >= 2, "{page:#}");
    assert_eq!((&page["unit"], &page["scopes"][0]["agreement"]), (&"visit".into(), &"unpredicted".into()));
}

#[cfg(unix)]
#[test]
fn a_program_that_never_ends_is_stopped_by_somebody() {
    let bench = bench();
    let own = std::env::current_exe().expect("this program has a file");
    let mut command = bench.command(&["whatif", "--speedup", "encode=2x", "--confirm", "--rounds", "1"]);
    // Stopped once it has told enough results, however long that takes here.
    let script = r#""$0" "$@" & for i in $(seq 600); do
        [ "$(grep -c ^experiment "$(sed -n 's/^results //p' "$CALOR_CAUSAL")" 2>/dev/null)" -ge 4 ] && break; sleep 0.1
    done; kill -9 $!; wait $!"#;
    command.args(["--format", "json", "--", "sh", "-c", script]).arg(own).args([PLAYED, "--exact"]);
    let output = command.env(ROLE, "endless").output().expect("it can be started");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let [("encode", None, pairs, _)] = scopes(&page)[..] else { panic!("{page:#}") };
    assert!(pairs >= 1, "{page:#}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_it_with_what_was_tried_and_leaves_nothing_behind() {
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};
    let bench = bench();
    let own = std::env::current_exe().expect("this program has a file");
    let temporary = bench.path("temporary");
    std::fs::create_dir(&temporary).expect("a folder can be made");
    let mut command =
        bench.command(&["whatif", "--speedup", "encode=2x", "--confirm", "--rounds", "1000000"]);
    command.args(["--format", "json", "--"]).arg(own).args([PLAYED, "--exact"]).env(ROLE, "endless");
    command.env("TMPDIR", &temporary).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it can be started");
    let entries = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    let n_results = || {
        let files = entries(&temporary).into_iter().flat_map(|folder| entries(&folder));
        let texts = files.filter_map(|file| std::fs::read_to_string(file).ok());
        texts.map(|text| text.matches("\nexperiment ").count()).sum::<usize>()
    };
    while n_results() < 4 {
        assert_eq!(child.try_wait().expect("it can be asked"), None, "it goes on until somebody asks");
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill can be started").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let page: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(page["warnings"][0]["code"], "interrupted", "{page:#}");
    assert!(scopes(&page)[0].2 >= 1, "{page:#}");
    assert_eq!(entries(&temporary), [""; 0].map(PathBuf::from));
}

#[test]
fn a_program_reads_back_what_it_recorded_and_the_recordings_are_taken_away() {
    let bench = bench();
    let before = bench.names();
    tried(&bench, "reads back", &["whatif", "two.calor", "--speedup", "encode=2x"]);
    assert_eq!(bench.names(), before);
    // One that was there is what the program is as it is.
    let recorded = bench.get("two.calor");
    bench.put("own.calor", &recorded);
    tried(&bench, "reads back", &["whatif", "two.calor", "--speedup", "encode=2x"]);
    assert_eq!(bench.get("own.calor"), recorded);
}

#[test]
fn a_program_of_few_steps_is_tried_as_a_whole_and_pages_say_what_was_done() {
    let bench = bench();
    let page = tried(&bench, "few steps", &["whatif", "two.calor", "--speedup", "encode=2x"]);
    for expected in ["the whole run would be", "scope", "predicted", "encode", "2x", "1.60x"] {
        assert!(page.contains(expected), "{expected}:\n{page}");
    }
    let page =
        tried(&bench, "few steps", &["whatif", "two.calor", "--speedup", "encode=2x", "--format", "md"]);
    assert!(page.contains("| encode | 2x | 1.60x |"), "{page}");
}

#[test]
fn a_scope_that_the_program_does_not_have_is_told() {
    let bench = bench();
    let own = std::env::current_exe().expect("this program has a file");
    let tried = |words: &[&str]| {
        let mut command =
            bench.command(&[&["whatif", "--format", "json", "--confirm", "--rounds", "1"], words].concat());
        command
            .arg("--")
            .arg(&own)
            .args([PLAYED, "--exact"])
            .env(ROLE, "whole")
            .output()
            .expect("it can be started")
    };
    let output = tried(&["--speedup", "encod=2x"]);
    let message = text(&output.stderr);
    assert!(output.status.code() == Some(2) && message.contains("no scope named `encod`"), "{message}");
    let output = tried(&["--speedup", "encod=2x", "--speedup", "encode=2x"]);
    let page: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let codes: Vec<_> = page["warnings"].as_array().into_iter().flatten().map(|it| &it["code"]).collect();
    assert_eq!(codes, ["scope_not_seen"], "{page:#}");
}

#[test]
fn what_cannot_be_tried_is_told_with_what_to_do() {
    let bench = bench();
    for (arguments, expected) in [
        (&["whatif", "two.calor", "--confirm", "--", "true"][..], "calls calor::enable()"),
        (&["whatif", "two.calor", "--confirm", "--", "sh", "-c", "echo no luck >&2; exit 3"], "no luck"),
        (&["whatif", "two.calor", "--confirm", "--", "./nowhere"], "check the name"),
        (&["whatif", "--confirm", "--", "true"], "--speedup SCOPE=2x"),
        (&["whatif", "two.calor", "--confirm"], "-- <CMD>"),
        (&["whatif", "two.calor", "--", "true"], "--confirm"),
        (&["whatif", "two.calor", "--confirm", "--speedup", "nothing=2x", "--", "true"], "`nothing`"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{expected}: {message}");
    }
}
