//! Programs that fork while they record, before, or at any moment.

use super::*;

/// Forks while it records; parent and child both go on.
pub(super) fn fork(file: &Path) {
    start_recording(file);
    work(100);
    // SAFETY: the child uses what Calor offers after a fork, which is the point, and leaves without unwinding.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        work(1000);
        let own = calor::snapshot();
        let is_right = get(&own, "outer").calls == 1000 && stop_recording().is_none();
        std::process::exit(if is_right { 0 } else { 1 });
    }
    let mut status = 0;
    // SAFETY: the pointer is to a local.
    assert_eq!(unsafe { libc::waitpid(pid, &raw mut status, 0) }, pid);
    assert_eq!(status, 0, "the forked child failed");
    work(10);
    assert_eq!(stop_recording().expect("it was under way").problem, None);
}

#[test]
fn a_forked_child_counts_for_itself_and_leaves_the_file_to_its_parent() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.calor");
    let (_, stderr, code) = run("fork", &file);
    assert_eq!(code, Some(0), "{stderr}");
    let profile = read(&file);
    assert_eq!(get(&profile, "outer").calls, 110);
    assert_eq!(profile.runs.len(), 1);
}

/// Forks before anything is recorded; the child then records for itself.
pub(super) fn fork_first(file: &Path) {
    start_recording(file);
    // SAFETY: as in `fork`.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        start_recording(file.with_extension("child"));
        work(10);
        std::process::exit(0);
    }
    let mut status = 0;
    // SAFETY: the pointer is to a local.
    assert_eq!(unsafe { libc::waitpid(pid, &raw mut status, 0) }, pid);
    assert_eq!(status, 0, "the forked child failed");
    work(20);
}

#[test]
fn a_child_forked_before_anything_was_recorded_can_exit_and_record_for_itself() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.calor");
    let (_, stderr, code) = run("fork first", &file);
    assert_eq!(code, Some(0), "{stderr}");
    for (file, calls) in [(&file, 20), (&file.with_extension("child"), 10)] {
        let profile = read(file);
        assert_eq!(get(&profile, "outer").calls, calls);
        assert_eq!(warned(&profile, "recording_cut_off"), 0);
    }
}

#[test]
fn children_forked_at_any_moment_can_look_label_and_name() {
    let _alone = support::alone();
    calor::enable_with(&calor::Options::new());
    calor::reset();
    calor::set_label("worker", "none yet");
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|threads| {
        for worker in 0..3 {
            let stop = &stop;
            threads.spawn(move || {
                let mut i = 0_u64;
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    i += 1;
                    calor::set_label("worker", worker.to_string());
                    drop(calor::Scope::enter(calor::Site::named(&format!("named {}", i % 100))));
                    let _ = calor::snapshot();
                }
            });
        }
        let mut statuses = Vec::new();
        for _ in 0..100 {
            // SAFETY: as in `fork`; the child leaves at once, or is ended if it hangs.
            let pid = unsafe { libc::fork() };
            if pid == 0 {
                // SAFETY: the call has no precondition.
                unsafe { libc::alarm(20) };
                calor::set_label("is", "a child");
                drop(calor::Scope::enter(calor::Site::named("in a child")));
                let profile = calor::snapshot();
                let is_right = get(&profile, "in a child").calls == 1 && profile.runs[0].labels.len() == 2;
                // SAFETY: leaving without handlers is the point.
                unsafe { libc::_exit(i32::from(!is_right)) };
            }
            let mut status = 0;
            // SAFETY: the pointer is to a local.
            assert_eq!(unsafe { libc::waitpid(pid, &raw mut status, 0) }, pid);
            statuses.push(status);
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(statuses, [0; 100], "a forked child failed or hung");
    });
}
