//! What is asked for: programs that do not start, options that make no sense, and what a program finds when it starts.

use std::process::Command;

use super::workbench::{Workbench, program, samples, set_mode};

#[test]
fn a_program_that_is_not_there_is_named_with_what_to_do() {
    let bench = Workbench::new();
    for name in ["no-such-program-anywhere", "./no-such-program", "/no/such/program"] {
        let message = bench.failure(&["--", name]);
        assert!(message.contains(&format!("there is no program `{name}`: check the name")), "{message}");
        assert!(!bench.path("profile.calor").exists(), "nothing is left behind");
    }
}

#[test]
fn a_file_that_is_no_program_is_told_from_one_that_is_missing() {
    let bench = Workbench::new();
    std::fs::write(bench.path("data"), "no program").expect("a file can be written");
    set_mode(&bench.path("data"), 0o644);
    std::fs::write(bench.path("broken"), "#!/no/such/interpreter\n").expect("a file can be written");
    set_mode(&bench.path("broken"), 0o755);
    for (name, expected) in [
        ("./data", "`./data` is not executable: make it so with `chmod +x`"),
        ("/tmp", "`/tmp` is a directory, not a program: name a program inside it"),
        ("./broken", "`./broken` does not start: "),
    ] {
        let message = bench.failure(&["--", name]);
        // Where sampling is refused, that is said first.
        assert!(message.contains(expected) || message.contains("cannot sample"), "{message}");
        assert!(!bench.path("profile.calor").exists(), "nothing is left behind");
    }
}

#[test]
fn a_profile_from_before_survives_a_mistyped_command() {
    let bench = Workbench::new();
    std::fs::write(bench.path("profile.calor"), "precious").expect("a file can be written");
    bench.failure(&["--", "no-such-program-anywhere"]);
    assert_eq!(std::fs::read(bench.path("profile.calor")).expect("it is there"), b"precious");
}

#[test]
fn options_that_make_no_sense_are_named_with_what_would() {
    let bench = Workbench::new();
    for (arguments, expected) in [
        (&["--rate", "0", "--", "true"][..], "whole number of samples a second"),
        (&["--rate", "often", "--", "true"], "whole number of samples a second"),
        (&["--rate", "4000000000", "--", "true"], "more than this system allows"),
        (&["--for", "ever", "--", "true"], "such as 30s, 500ms"),
        (&["--max-depth", "0", "--", "true"], "a depth of 0 would leave no frames"),
        (
            &[],
            "nothing to record: name a program, as in `calor record -- ./train`, or a running process with -p",
        ),
        (&["--rat", "9", "true"], "--rate"),
        (&["-p", "1", "--", "true"], "cannot be used with"),
        (&["-p", "0"], "0 is no pid"),
        (&["-p", "2000000000"], "there is no process 2000000000: see `ps -e`"),
        (&["-o", "-", "--", "true"], "a recording needs a file"),
    ] {
        let message = bench.failure(arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert!(!bench.path("profile.calor").exists(), "{arguments:?} leaves nothing behind");
    }
}

#[test]
fn a_variable_that_makes_no_sense_is_named_with_what_would() {
    let bench = Workbench::new();
    for (variable, value, expected) in [
        ("CALOR_RATE", "abc", "whole number of samples a second"),
        ("CALOR_FOR", "ever", "such as 30s"),
        ("CALOR_OFF_CPU", "maybe", "true, yes, on or 1"),
        ("CALOR_NO_THREADS", "maybe", "true, yes, on or 1"),
        ("CALOR_MAX_DEPTH", "deep", "whole number"),
    ] {
        let output = bench.command(&["true"]).env(variable, value).output().expect("it can be started");
        let message = super::workbench::text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(expected) && message.contains(&format!("variable {variable}")), "{message}");
    }
}

#[test]
fn a_program_that_exits_at_once_has_a_whole_profile() {
    let bench = Workbench::new();
    let Some(recorded) = bench.outcome(bench.command(&["--", "true"])) else { return };
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    assert!(recorded.stderr.contains("`true` ended with exit code 0"), "{}", recorded.stderr);
    assert_eq!(recorded.profile.runs.len(), 1);
    assert_eq!(recorded.profile.runs[0].command.as_deref(), Some("true"));
}

#[test]
fn what_follows_the_program_is_the_programs() {
    let bench = Workbench::new();
    let command = bench.command(&["--rate", "99", "printf", "%s\n", "-p", "--rate", "--", "-q"]);
    let Some(recorded) = bench.outcome(command) else { return };
    assert_eq!(
        (recorded.code, recorded.stdout.as_str()),
        (Some(0), "-p\n--rate\n--\n-q\n"),
        "{}",
        recorded.stderr
    );
}

#[test]
fn a_program_that_becomes_another_is_followed() {
    let bench = Workbench::new();
    let line = format!("exec {} spin 300 5", program("actor").display());
    let Some(recorded) = bench.outcome(bench.command(&["--", "sh", "-c", &line])) else { return };
    assert_eq!(recorded.code, Some(5), "{}", recorded.stderr);
    let spinning = super::workbench::samples_in(&recorded.profile, &["main", "spin"]);
    assert!(spinning * 10 > samples(&recorded.profile) * 9 && spinning > 50, "{}", recorded.stderr);
}

/// What the program finds, without and with a recording.
fn with_and_without(bench: &Workbench, script: &str) -> Option<(String, String)> {
    let alone =
        Command::new("sh").args(["-c", &script.replace("RECORD", "")]).output().expect("sh can be started");
    let record = format!("{} record --", env!("CARGO_BIN_EXE_calor"));
    let mut command = Command::new("sh");
    bench.settle(command.args(["-c", &script.replace("RECORD", &record)]));
    let recorded = bench.outcome(command)?;
    Some((super::workbench::text(&alone.stdout), recorded.stdout))
}

#[test]
fn the_program_finds_limits_signals_and_files_as_without_a_recording() {
    let bench = Workbench::new();
    let actor = program("actor");
    for script in [
        format!("ulimit -Sn 300; exec RECORD {} limits", actor.display()),
        // Whoever ignores the ends of children hands that on, and is still told of the program's end.
        format!("exec {0} deaf env RECORD {0} limits", actor.display()),
        format!("exec 7>&1 RECORD {} limits", actor.display()),
    ] {
        let Some((alone, recorded)) = with_and_without(&bench, &script) else { return };
        assert_eq!(alone, recorded, "{script}");
    }
}
