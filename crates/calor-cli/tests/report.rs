//! `calor report` as a user meets it: the real command on real and on bad files.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use calor_model::{Frame, FrameKind, LabelTable, Profile, Run, ScopeKey, ScopeStats};

fn calor() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
    command.env_remove("COLUMNS").stdin(Stdio::null());
    command
}

fn report(arguments: &[&str]) -> Output {
    calor().arg("report").args(arguments).output().expect("the command can be started")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is UTF-8")
}

/// Standard error of a command that failed as it should: exit code 2, one `error:`, nothing on standard output.
fn failure(output: &Output) -> String {
    let message = String::from_utf8(output.stderr.clone()).expect("messages are UTF-8");
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert_eq!(message.matches("error:").count(), 1, "{message}");
    assert!(output.stdout.is_empty(), "{message}");
    message
}

/// A profile of two scopes, the second inside a context.
fn profile() -> Profile {
    let mut profile =
        Profile { runs: vec![Run { duration_nanos: 5_000_000, ..Run::default() }], ..Profile::default() };
    let thread = profile.intern_thread(1, 1, "main");
    let mut stack = None;
    for (name, kind, nanos) in [
        ("load", FrameKind::Scope, 4_000_000),
        ("training", FrameKind::Context, 3_000_000),
        ("step", FrameKind::Scope, 1_000_000),
    ] {
        let name = profile.strings.intern(name);
        let frame = profile.frames.intern(Frame::new(name, kind));
        stack = Some(profile.stacks.intern(stack, frame));
        let mut stats = ScopeStats { calls: 1, total_nanos: nanos, ..ScopeStats::default() };
        stats.timed.record(nanos);
        let key = ScopeKey { stack: stack.expect("just interned"), thread, labels: LabelTable::none() };
        profile.scopes.add(key, stats);
    }
    profile
}

fn bytes() -> Vec<u8> {
    let mut bytes = Vec::new();
    calor_formats::native::write(&profile(), &mut bytes).expect("a profile can be written to memory");
    bytes
}

/// A folder with `profile.calor` in it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    std::fs::write(folder.path().join("profile.calor"), bytes()).expect("a file can be written");
    folder
}

fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().expect("the temporary folder's name is UTF-8").to_owned()
}

#[test]
fn a_profile_is_reported_on_standard_output_without_colour() {
    let folder = folder();
    let output = report(&[&path(&folder, "profile.calor")]);
    let page = stdout(&output);
    assert!(output.status.success() && output.stderr.is_empty());
    assert!(page.contains("load › training › step") && !page.contains('\x1b'), "{page}");
}

#[test]
fn a_profile_is_read_from_standard_input() {
    let mut child = calor()
        .args(["report", "-", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command can be started");
    child.stdin.take().expect("it was piped").write_all(&bytes()).expect("the command reads");
    let output = child.wait_with_output().expect("the command ends");
    let page: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the page is JSON");
    assert_eq!(page["schema"], "calor/report/1");
    assert_eq!(page["summary"]["scopes"], 3);
}

#[test]
fn the_ending_of_the_output_file_chooses_the_format() {
    let folder = folder();
    let (input, out) = (path(&folder, "profile.calor"), path(&folder, "page.html"));
    let output = report(&[&input, "-o", &out]);
    assert!(output.status.success() && output.stdout.is_empty());
    assert!(std::fs::read_to_string(Path::new(&out)).expect("it was written").starts_with("<!doctype html>"));
}

#[test]
fn a_context_is_reported_alone_and_an_unknown_one_is_an_error() {
    let folder = folder();
    let input = path(&folder, "profile.calor");
    let page = stdout(&report(&[&input, "--context", "training"]));
    assert!(page.contains("training › step") && !page.contains("load"), "{page}");
    let message = failure(&report(&[&input, "--context", "trainign"]));
    assert!(message.contains("the profile has `training`"), "{message}");
}

#[test]
fn a_page_carries_as_much_of_the_profile_as_is_asked_for() {
    let folder = folder();
    let (input, out) = (path(&folder, "profile.calor"), path(&folder, "page.md"));
    for (arguments, is_carried) in
        [(&[][..], true), (&["--carry", "whole"], true), (&["--carry", "none"], false)]
    {
        let output = report(&[&[&input, "-o", &out][..], arguments].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let page = std::fs::read_to_string(&out).expect("it was written");
        assert_eq!(page.contains("calor-profile end"), is_carried, "{arguments:?}");
        assert_eq!(report(&[&out]).status.success(), is_carried, "{arguments:?}");
    }
}

#[test]
fn a_metric_that_is_asked_of_a_report_is_answered_with_the_commands_that_have_one() {
    let folder = folder();
    let message = failure(&report(&[&path(&folder, "profile.calor"), "--metric", "allocated"]));
    assert!(message.contains("shows allocated beside them") && message.contains("calor flame"), "{message}");
    assert!(!message.contains("-- --metric"), "{message}");
}

#[test]
fn bad_input_is_exit_code_2_and_a_sentence_that_helps() {
    let folder = folder();
    let with = |name: &str, content: &[u8]| {
        std::fs::write(folder.path().join(name), content).expect("a file can be written");
        path(&folder, name)
    };
    let noise: Vec<u8> = (0_u32..4096).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for (input, expected) in [
        (path(&folder, "missing.calor"), "no such file; check the path"),
        (folder.path().to_str().expect("UTF-8").to_owned(), "found a directory"),
        (with("empty", b""), "found an empty file"),
        (with("noise", &noise), "not a profile: found bytes of an unknown kind"),
        (with("page.html", b"<!doctype html>"), "HTML"),
        (with("data.json", b"{\"version\": 1}"), "what looks like a JSON object"),
        (with("page.gz", b"\x1f\x8b\x08\x00"), "gzip"),
        (env!("CARGO_BIN_EXE_calor").to_owned(), "a program"),
    ] {
        let message = failure(&report(&[&input]));
        assert!(message.starts_with("error: ") && message.contains(expected), "{message}");
        assert!(message.contains(&input), "{message}");
    }
}

#[test]
fn a_recording_that_was_cut_off_is_read_as_far_as_it_goes_or_refused() {
    let folder = folder();
    let (whole, input) = (bytes(), path(&folder, "cut.calor"));
    // It has one part, and then its end.
    let first_end = whole.len() - calor_formats::native::end_chunk().len();
    for length in (1..whole.len()).step_by(7) {
        std::fs::write(&input, &whole[..length]).expect("a file can be written");
        let output = report(&[&input]);
        if length < calor_formats::native::HEADER_BYTES {
            assert!(failure(&output).contains("cut off inside the file header"));
        } else if length < first_end {
            assert!(failure(&output).contains("not one part is whole"));
        } else {
            assert!(output.status.success(), "{length}: {}", String::from_utf8_lossy(&output.stderr));
            assert!(stdout(&output).contains("(recording_cut_off)"), "{length}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn devices_that_never_end_or_take_nothing_are_errors() {
    let folder = folder();
    let message = failure(&report(&["/dev/zero"]));
    assert!(message.contains("nothing but zeros"), "{message}");
    let message = failure(&report(&[&path(&folder, "profile.calor"), "-o", "/dev/full"]));
    assert!(message.contains("cannot write /dev/full: name another place with -o"), "{message}");
}

#[test]
fn bad_arguments_are_exit_code_2_and_name_what_was_meant() {
    let folder = folder();
    let input = path(&folder, "profile.calor");
    for (arguments, expected) in [
        (&["reprot", &input][..], "'report'"),
        (&["report", &input, "--formt", "json"][..], "'--format'"),
        (&["report", &input, "--format", "pdf"][..], "possible values: text, md, json, html"),
        (&["report", &input, "--format", "jsno"][..], "'json'"),
        (&["report", &input, "--format", "xml"][..], "possible values: text, md, json, html"),
        (&["report", &input, "--top", "0"][..], "expected a whole number from 1 on"),
        (&["report", &input, "--top", "-1"][..], "expected a whole number from 1 on"),
        (&["report", &input, "--top", "99999999999999999999"][..], "expected a whole number from 1 on"),
        (&["report", &input, "-o", &folder.path().to_string_lossy()][..], "name a file inside it"),
        (
            &["report", &input, "--thread", "worker"][..],
            "no thread is named `worker`; the profile has `main`",
        ),
        (&["report", &input, "--subtract-overhead"][..], "does not say what recording cost"),
        (
            &["report", &input, "-o", "/nowhere/page.html"][..],
            "cannot write /nowhere/page.html: there is no folder /nowhere",
        ),
    ] {
        let message = failure(&calor().args(arguments).output().expect("the command can be started"));
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = folder();
    let mut child = calor()
        .args(["report", &path(&folder, "profile.calor"), "--format", "html"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command can be started");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the command ends");
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn help_begins_with_examples() {
    for arguments in [&["--help"][..], &["report", "--help"][..]] {
        let page = stdout(&calor().args(arguments).output().expect("the command can be started"));
        let (examples, usage) = (page.find("Examples:"), page.find("Usage:"));
        assert!(examples.is_some() && examples < usage, "{page}");
    }
    let version = stdout(&calor().arg("--version").output().expect("the command can be started"));
    assert_eq!(version, format!("calor {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_trace_of_spans_without_length_has_every_page() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let span =
        |at: u64, tid: u64| format!(r#"{{"ph":"X","name":"tick","ts":{at},"dur":0,"pid":1,"tid":{tid}}}"#);
    for (name, spans) in [
        ("alone.json", vec![span(50, 1)]),
        ("twice.json", vec![span(50, 1), span(60, 1)]),
        ("at-once.json", vec![span(50, 1), span(50, 2)]),
    ] {
        let file = path(&folder, name);
        let trace = format!(r#"{{"traceEvents":[{}]}}"#, spans.join(","));
        std::fs::write(&file, trace).expect("a file can be written");
        for arguments in [
            &["report"][..],
            &["report", "--format", "html"],
            &["report", "--format", "json"],
            &["report", "--format", "md"],
            &["report", "--format", "csv"],
            &["findings"],
            &["flame"],
            &["flame", "--format", "html"],
        ] {
            let output = calor().args(arguments).arg(&file).output().expect("the command can be started");
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(matches!(output.status.code(), Some(0 | 2)), "{name}, {arguments:?}: {message}");
            assert!(!message.contains("panicked"), "{name}, {arguments:?}: {message}");
        }
    }
}
