//! Nothing of a recording is left in the process that made it: no open files, no children, no held back signals.

use std::ffi::OsString;

use calor_record::{Recording, Target};

use super::parts::kill;
use super::target::{ONE, busy, follow, options, start};

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("a process sees its own files").count()
}

fn children() -> String {
    let tasks = std::fs::read_dir("/proc/self/task").expect("a process sees its own threads");
    tasks
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("children")).ok())
        .collect::<Vec<_>>()
        .concat()
}

/// The line of this thread's held back signals.
fn held_back() -> String {
    let status = std::fs::read_to_string("/proc/thread-self/status").expect("a thread sees itself");
    status.lines().find(|line| line.starts_with("SigBlk")).expect("there is such a line").to_owned()
}

#[test]
fn a_recording_leaves_no_files_children_or_signals() {
    let _one = ONE.lock();
    let before = (held_back(), children());
    // The first one may open what stays, such as the vdso of this process.
    let mut counts = Vec::new();
    for _ in 0..4 {
        let Some(mut recording) = start(Target::Command(busy(30_000)), &options()) else { return };
        follow(&mut recording, |_| {});
        let _ = recording.take();
        drop(recording);
        counts.push(open_files());
    }
    assert_eq!(counts[1], counts[3], "{counts:?}");
    assert_eq!((held_back(), children()), before);
}

#[test]
fn a_program_that_does_not_start_leaves_nothing_either() {
    let _one = ONE.lock();
    let before = (held_back(), children(), open_files());
    for command in [vec![], vec![OsString::from("/")], vec![OsString::from("no-such-program-anywhere")]] {
        assert!(Recording::start(Target::Command(command), &options()).is_err());
    }
    assert!(Recording::start(Target::Process(2_000_000_000), &options()).is_err());
    assert_eq!((held_back(), children(), open_files()), before);
}

#[test]
fn a_recording_that_is_dropped_leaves_its_program_running() {
    let _one = ONE.lock();
    let Some(recording) = start(Target::Command(busy(100_000_000)), &options()) else { return };
    let pid = recording.pid();
    drop(recording);
    assert!(children().split_whitespace().any(|child| child == pid.to_string()));
    kill(pid);
}
