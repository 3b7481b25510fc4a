//! Where the kernel allows less: what the system tells anyway is shown, and the rest has its reason.

use std::process::{Command, Stdio};

use calor_testing::{Need, cannot};

use super::workbench::{codes, counter, parsed, program, text, value};

fn is_root() -> bool {
    let own = std::fs::metadata("/proc/self").expect("a process sees itself");
    std::os::unix::fs::MetadataExt::uid(&own) == 0
}

#[test]
fn where_perf_events_are_blocked_the_system_still_tells_faults_switches_and_time() {
    let mut command = Command::new(program("refuse"));
    command.args(["1", env!("CARGO_BIN_EXE_calor"), "stat", "--format", "json", "--"]);
    command.arg(program("worker")).args(["touch", "3000"]).stdin(Stdio::null());
    let output = command.output().expect("it can be started");
    let page = parsed(&output);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // 3,000 pages of its own, and those of its start, but not those of the process that it was before.
    let faults = value(&page, "page-faults");
    assert!((3_000.0..3_400.0).contains(&faults), "{page:#}");
    assert!(value(&page, "task-clock") > 0.0 && value(&page, "elapsed") > 0.0);
    assert!(counter(&page, "cpu-migrations")["value"].is_null());
    assert!(codes(&page).contains(&"counting_refused") && !codes(&page).contains(&"user_only"), "{page:#}");
    if is_root() {
        let message = page["warnings"].to_string();
        assert!(message.contains("perf_event_open is blocked here"), "{message}");
    }
}

#[test]
fn a_user_from_whom_the_kernel_is_hidden_is_told_and_gets_what_there_is() {
    if !is_root() || Command::new("setpriv").arg("--version").output().is_err() {
        cannot(Need::User, format_args!("only root with `setpriv` can become another user"));
        return;
    }
    if calor_record::paranoia() != Some(2) {
        cannot(
            Need::Kernel,
            format_args!("what is hidden depends on perf_event_paranoid, which is not 2 here"),
        );
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let open = std::os::unix::fs::PermissionsExt::from_mode;
    std::fs::set_permissions(folder.path(), open(0o755)).expect("it is ours");
    for (from, name) in [(env!("CARGO_BIN_EXE_calor").into(), "calor"), (program("worker"), "worker")] {
        std::fs::copy(from, folder.path().join(name)).expect("it can be copied");
        std::fs::set_permissions(folder.path().join(name), open(0o755)).expect("it is ours");
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "./calor", "stat", "--format", "json"]);
    command.args(["--", "./worker", "touch", "3000"]).current_dir(folder.path()).stdin(Stdio::null());
    let page = parsed(&command.output().expect("it can be started"));
    assert!((3_000.0..3_400.0).contains(&value(&page, "page-faults")), "{page:#}");
    assert!(value(&page, "context-switches") >= 0.0 && value(&page, "task-clock") > 0.0);
    // Counted without the kernel it would be 0, which is not true.
    assert!(counter(&page, "cpu-migrations")["value"].is_null(), "{page:#}");
    assert!(codes(&page).contains(&"kernel_hidden"), "{page:#}");
}
