//! Where the profile goes, and what becomes of it when it cannot go there.

use std::process::Command;

use calor_testing::{Need, cannot};

use super::workbench::{Workbench, program, set_mode, text};

#[test]
fn places_that_cannot_be_written_are_told_before_the_program_starts() {
    let bench = Workbench::new();
    std::fs::create_dir(bench.path("folder")).expect("a folder can be made");
    std::fs::write(bench.path("file"), "").expect("a file can be written");
    for (place, expected) in [
        ("folder", "cannot write to a directory: name a file inside it with -o: folder"),
        ("missing/profile.calor", "there is no folder missing; create it with `mkdir -p missing`"),
        ("file/profile.calor", "cannot write file/profile.calor: name another place with -o"),
    ] {
        let message = bench.failure(&["-o", place, "--", "touch", "started"]);
        assert!(message.contains(expected), "{message}");
        assert!(!bench.path("started").exists(), "the program was not started for nothing");
    }
}

#[test]
fn a_file_that_is_no_profile_is_not_written_over() {
    let bench = Workbench::new();
    std::fs::write(bench.path("thesis.txt"), "Abstract.").expect("a file can be written");
    let message = bench.failure(&["-o", "thesis.txt", "--", "touch", "started"]);
    assert!(
        message.contains("thesis.txt is no calor profile") && message.contains("name another file with -o"),
        "{message}"
    );
    assert_eq!(std::fs::read(bench.path("thesis.txt")).expect("it is there"), b"Abstract.");
    assert!(!bench.path("started").exists(), "the program was not started for nothing");
}

#[test]
fn a_folder_without_the_right_to_write_is_told() {
    let bench = Workbench::new();
    std::fs::create_dir(bench.path("closed")).expect("a folder can be made");
    set_mode(&bench.path("closed"), 0o555);
    if std::fs::write(bench.path("closed/try"), "").is_ok() {
        cannot(Need::User, format_args!("this user may write anywhere"));
        return;
    }
    let message = bench.failure(&["-o", "closed/profile.calor", "--", "true"]);
    assert!(message.contains("name another place with -o"), "{message}");
}

/// Standard error of a recording that could be made but not written.
fn unwritten(bench: &Workbench, mut command: Command) -> Option<String> {
    let output = command.output().expect("it can be started");
    let message = text(&output.stderr);
    if !super::workbench::may_sample() {
        bench.recorded(&output);
        return None;
    }
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert_eq!(message.matches("error: ").count(), 1, "{message}");
    Some(message)
}

#[test]
fn a_full_disk_keeps_what_was_recorded_elsewhere() {
    let bench = Workbench::new();
    let actor = program("actor");
    let actor = actor.to_str().expect("a temporary path is text");
    let mut command = bench.command(&["-o", "/dev/full", "--", actor, "spin", "100"]);
    command.env("TMPDIR", bench.path("."));
    let Some(message) = unwritten(&bench, command) else { return };
    assert!(message.contains("make room on the disk"), "{message}");
    assert!(!message.contains("in /dev/full") && !message.contains("report /dev/full"), "{message}");
    let kept = std::fs::read_dir(bench.path(".")).expect("the folder can be listed").find_map(|entry| {
        let path = entry.expect("an entry can be read").path();
        path.extension().is_some_and(|extension| extension == "calor").then_some(path)
    });
    let kept = kept.expect("it is kept in the folder for temporary files");
    assert!(
        message.contains(kept.file_name().and_then(|name| name.to_str()).expect("it has a name")),
        "{message}"
    );
    let profile = calor_formats::read(&std::fs::read(kept).expect("it can be read")).expect("it is whole");
    assert!(super::workbench::samples(&profile) > 20);
}

#[test]
fn a_limit_on_the_size_of_files_ends_in_a_message_and_not_in_a_signal() {
    let bench = Workbench::new();
    let (record, actor) = (env!("CARGO_BIN_EXE_calor"), program("actor"));
    let line = format!("ulimit -f 1; exec {record} record -- {} spin 200", actor.display());
    let mut command = Command::new("sh");
    bench.settle(command.args(["-c", &line]));
    let Some(message) = unwritten(&bench, command) else { return };
    assert!(
        message.contains("cannot write profile.calor, nor ") && message.contains("File too large"),
        "{message}"
    );
}
