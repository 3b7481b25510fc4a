//! What the kernel does not allow, and who may watch whom.

use std::process::Command;

use calor_testing::{Need, cannot};

use super::workbench::{Beside, Workbench, may_sample, program, samples_in, set_mode, text, warns};

/// The user that tests become when they may; nobody's processes are theirs.
const NOBODY: &[&str] = &["--reuid=65534", "--regid=65534", "--clear-groups"];

fn is_root() -> bool {
    let own = std::fs::metadata("/proc/self").expect("a process sees itself");
    std::os::unix::fs::MetadataExt::uid(&own) == 0
}

/// A command that runs as another user, in a folder that this user may write; `None`, said aloud, where tests may not
/// become another.
fn as_nobody(bench: &Workbench, arguments: &[&str]) -> Option<Command> {
    if !is_root() || Command::new("setpriv").arg("--version").output().is_err() {
        cannot(Need::User, format_args!("only root with `setpriv` can become another user"));
        return None;
    }
    set_mode(&bench.path("."), 0o777);
    // Where it was built, others may not be let in.
    let own = bench.path("calor");
    std::fs::copy(env!("CARGO_BIN_EXE_calor"), &own).expect("the command can be copied");
    set_mode(&own, 0o755);
    let mut command = Command::new("setpriv");
    bench.settle(command.args(NOBODY).arg(own).arg("record").args(arguments));
    Some(command)
}

#[test]
fn blocked_perf_events_are_explained_with_what_to_do() {
    let bench = Workbench::new();
    for (code, expected) in
        [("1", "perf_event_open is blocked here"), ("38", "this kernel has no perf events")]
    {
        let mut command = Command::new(program("refuse"));
        bench.settle(command.args([code, env!("CARGO_BIN_EXE_calor"), "record", "--", "touch", "started"]));
        let output = command.output().expect("it can be started");
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        // As an ordinary user, a strict system may be the nearer reason.
        assert!(message.contains(expected) || !is_root() && message.contains("cannot sample: "), "{message}");
        assert!(message.contains("to change that: ") && message.contains("what still works: "), "{message}");
        assert!(
            !bench.path("profile.calor").exists() && !bench.path("started").exists(),
            "nothing was begun"
        );
    }
}

#[test]
fn a_user_from_whom_the_kernel_is_hidden_is_told_and_loses_no_samples() {
    let bench = Workbench::new();
    std::fs::copy(program("actor"), bench.path("actor")).expect("it can be copied");
    let Some(command) = as_nobody(&bench, &["--off-cpu", "--", "./actor", "spin", "1000"]) else { return };
    match calor_record::paranoia() {
        Some(2) => {}
        level => {
            cannot(
                Need::Kernel,
                format_args!("what is hidden depends on perf_event_paranoid, which is {level:?} here, not 2"),
            );
            return;
        }
    }
    let Some(recorded) = bench.outcome(command) else { return };
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    for code in ["kernel_hidden", "off_cpu_missing"] {
        assert!(warns(&recorded.profile, code), "{code}: {}", recorded.stderr);
    }
    assert_eq!(recorded.stderr.matches("kernel.perf_event_paranoid=1").count(), 1, "{}", recorded.stderr);
    assert!(!recorded.stderr.contains("--metric off_cpu"), "there are no waits: {}", recorded.stderr);
    assert!(samples_in(&recorded.profile, &["main", "spin"]) > 500, "{}", recorded.stderr);
}

#[test]
fn the_process_of_another_user_is_refused_with_the_reason() {
    if !may_sample() {
        return;
    }
    let bench = Workbench::new();
    let beside = Beside::start(Command::new(program("actor")).args(["ready", "60000"]));
    let Some(mut command) = as_nobody(&bench, &["-p", &beside.pid()]) else { return };
    let output = command.output().expect("it can be started");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("belongs to another user") && message.contains("sudo"), "{message}");
    assert!(!bench.path("profile.calor").exists());
}
