//! Recordings: what is in the file when a program finishes, exits, is killed, forks, or has no room to write.
//!
//! The programs are this test binary itself, started again with the name of a role: see [`role`].

#![cfg(unix)]
#![expect(unsafe_code, reason = "fork, kill and resource limits are C interfaces")]
#![allow(clippy::unwrap_used, reason = "a failure of the test itself may panic")]

mod support;

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use calor::model::Profile;
use calor::{RecordingOptions, start_recording, stop_recording, try_start_recording};
use support::{get, warned};

const ROLE: &str = "CALOR_TEST_ROLE";
const FILE: &str = "CALOR_TEST_FILE";

/// Starts this binary again to play a role.
fn start(role: &str, file: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["role", "--exact", "--nocapture"])
        .env(ROLE, role)
        .env(FILE, file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn run(role: &str, file: &Path) -> (String, String, Option<i32>) {
    let output = start(role, file).wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

fn read(file: &Path) -> Profile {
    calor_formats::read(&std::fs::read(file).unwrap()).unwrap()
}

/// Plays the role that the environment names; without one, it checks that there is none to play.
#[test]
fn role() {
    let Ok(role) = std::env::var(ROLE) else {
        assert!(std::env::var_os(FILE).is_none());
        return;
    };
    let file = std::env::var_os(FILE).unwrap();
    match role.as_str() {
        "finish" => finish(Path::new(&file)),
        "exit" => {
            start_recording(&file);
            work(1000);
            std::process::exit(7);
        }
        "tick" => tick(Path::new(&file)),
        "busy" => busy(Path::new(&file)),
        "no room" => no_room(Path::new(&file)),
        "fork" => fork(Path::new(&file)),
        "fork first" => fork_first(Path::new(&file)),
        "no thread" => no_thread(Path::new(&file)),
        "stop and exit" => stop_and_exit(Path::new(&file)),
        other => panic!("no role {other}"),
    }
}

fn work(n: u64) {
    for _ in 0..n {
        calor::scope!("outer");
        calor::scope!("inner", flops = 10);
    }
}

fn finish(file: &Path) {
    calor::set_label("model", "small");
    start_recording(file);
    work(500);
    // Two generations of threads: the second uses what the first left behind.
    std::thread::spawn(|| work(125)).join().unwrap();
    std::thread::spawn(|| work(125)).join().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    work(250);
    let snapshot = calor::snapshot();
    let recorded = stop_recording().expect("it was under way");
    assert_eq!(recorded.problem, None);
    assert_eq!(recorded.bytes, std::fs::metadata(file).unwrap().len());
    let profile = read(file);
    for path in ["outer", "outer/inner"] {
        let (told, written) = (get(&snapshot, path), get(&profile, path));
        assert_eq!((told.calls, told.work.flops), (written.calls, written.work.flops));
        assert_eq!(told.timed.histogram().count(), written.timed.histogram().count());
        assert_eq!(
            (told.timed.min_nanos, told.timed.max_nanos),
            (written.timed.min_nanos, written.timed.max_nanos)
        );
    }
    assert!(stop_recording().is_none(), "nothing is left to stop");
}

#[test]
fn a_finished_file_holds_what_a_snapshot_does_and_every_span() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.calor");
    let (_, stderr, code) = run("finish", &file);
    assert_eq!(code, Some(0), "{stderr}");
    let profile = read(&file);
    assert_eq!(get(&profile, "outer").calls, 1000);
    assert_eq!(profile.timeline.n_spans(), 2000);
    assert!(profile.warnings.is_empty(), "{:?}", profile.warnings);
    let [run] = &profile.runs[..] else { panic!("parts of one run became {}", profile.runs.len()) };
    assert_eq!(run.labels.get("model").map(String::as_str), Some("small"));
    assert!(run.duration_nanos > 700_000_000 && run.cpu_nanos.is_some() && run.host.cores.is_some());
    assert!(run.cost.own_cpu_nanos.is_some());
}

#[test]
fn a_program_that_exits_leaves_a_finished_file_and_keeps_its_exit_code() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.calor");
    let (_, stderr, code) = run("exit", &file);
    assert_eq!(code, Some(7), "{stderr}");
    let profile = read(&file);
    assert_eq!(get(&profile, "outer/inner").calls, 1000);
    assert_eq!(warned(&profile, "recording_cut_off"), 0);
}

/// Opens a scope again and again, and says how many it has closed.
fn tick(file: &Path) {
    start_recording(file);
    let mut closed = 0_u64;
    let around = calor::open!("around all ticks");
    loop {
        for _ in 0..10 {
            calor::scope!("tick");
            std::thread::sleep(Duration::from_millis(1));
        }
        closed += 10;
        println!("closed {closed}");
        if closed > 60_000 {
            break;
        }
    }
    drop(around);
}

#[test]
fn a_killed_program_leaves_a_file_that_lacks_at_most_the_last_second() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.calor");
    let mut child = start("tick", &file);
    let begin = Instant::now();
    let mut told: Vec<(Instant, u64)> = Vec::new();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for line in lines.map_while(Result::ok) {
        // The test harness's own words may stand before ours on the first line.
        if let Some(n) = line.rsplit("closed ").next().and_then(|n| n.parse().ok()) {
            told.push((Instant::now(), n));
        }
        if begin.elapsed() > Duration::from_millis(2600) {
            break;
        }
    }
    child.kill().unwrap();
    let killed = Instant::now();
    child.wait().unwrap();
    let profile = read(&file);
    let must_be_there =
        told.iter().rev().find(|(at, _)| killed - *at >= Duration::from_secs(1)).map(|told| told.1);
    let must_be_there = must_be_there.expect("the program ran for longer than a second");
    let ticks = get(&profile, "around all ticks/tick");
    assert!(ticks.calls >= must_be_there, "{} of {must_be_there} ticks are in the file", ticks.calls);
    assert!(profile.timeline.n_spans() as u64 >= must_be_there);
    let around = get(&profile, "around all ticks");
    assert_eq!(
        (around.calls, around.open_calls),
        (0, 1),
        "the scope around was open when the program was killed"
    );
    assert!(around.open_nanos >= ticks.total_nanos.cast_signed());
    assert_eq!(warned(&profile, "recording_cut_off"), 1);
}

/// Records as much as it can on two threads.
fn busy(file: &Path) {
    let options = RecordingOptions::new().interval(Duration::from_millis(50));
    try_start_recording(file, &options).unwrap();
    println!("started");
    let other = std::thread::spawn(|| work(400_000_000));
    work(400_000_000);
    other.join().unwrap();
}

#[test]
fn a_program_killed_at_any_moment_leaves_a_readable_file() {
    let dir = tempfile::tempdir().unwrap();
    for millis in [0, 1, 3, 7, 20, 55, 110, 160, 230, 310] {
        let file = dir.path().join("run.calor");
        let mut child = start("busy", &file);
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("started") {
            line.clear();
            assert!(stdout.read_line(&mut line).unwrap() > 0, "the program ended early");
        }
        std::thread::sleep(Duration::from_millis(millis));
        child.kill().unwrap();
        child.wait().unwrap();
        let profile = read(&file);
        if let Some(outer) = support::find(&profile, "outer") {
            let inner = get(&profile, "outer/inner");
            assert!(inner.total_nanos <= outer.inclusive_nanos() + 1_000_000, "after {millis} ms");
            assert_eq!(outer.timed.histogram().count(), outer.calls);
        }
    }
}

#[test]
fn a_path_that_cannot_be_written_is_said_once_and_the_program_goes_on() {
    let _alone = support::alone();
    let recording = start_recording("/nonexistent/folder/run.calor");
    let problem = recording.problem().expect("it cannot have worked");
    assert!(problem.contains("/nonexistent/folder/run.calor") && problem.contains("writable"), "{problem}");
    {
        calor::scope!("recorded all the same");
    }
    assert_eq!(get(&calor::snapshot(), "recorded all the same").calls, 1);
    assert_eq!(recording.stop(), None);
    let error = try_start_recording("/nonexistent/folder/run.calor", &RecordingOptions::new()).unwrap_err();
    assert!(error.to_string().starts_with("cannot write the recording"), "{error}");
}

/// Fills its file up to a limit of the operating system, goes on, and finds room again.
fn no_room(file: &Path) {
    let limit = |bytes: u64| {
        let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: the pointer is to a local of the right type.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) }, 0);
    };
    // SAFETY: ignoring a signal has no precondition. The system then refuses to write instead of killing.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    limit(20_000);
    let options = RecordingOptions::new().interval(Duration::from_millis(50));
    let recording = try_start_recording(file, &options).unwrap();
    for _ in 0..8 {
        work(2000);
        std::thread::sleep(Duration::from_millis(60));
    }
    let problem = recording.problem().expect("the file is full");
    assert!(problem.contains("free space"), "{problem}");
    let full = read(file);
    assert!(get(&full, "outer").calls >= 1, "the file is not readable while there is no room");
    limit(libc::RLIM_INFINITY);
    work(1000);
    let recorded = recording.stop().expect("it was under way");
    assert_eq!(recorded.problem, None, "there is room again");
}

#[test]
fn a_full_disk_is_said_once_statistics_wait_for_room_and_lost_spans_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.calor");
    let (_, stderr, code) = run("no room", &file);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(stderr.matches("calor: cannot write").count(), 1, "{stderr}");
    let profile = read(&file);
    assert_eq!(get(&profile, "outer").calls, 17_000);
    let spans = profile.timeline.n_spans() as u64;
    assert_eq!(
        spans + warned(&profile, "spans_not_written"),
        34_000,
        "every span is there or counted as lost"
    );
    assert!(spans < 34_000);
}

#[test]
fn a_device_that_is_always_full_harms_nothing() {
    let (_, stderr, code) = run("exit", Path::new("/dev/full"));
    assert_eq!(code, Some(7));
    assert_eq!(stderr.matches("calor: cannot write").count(), 1, "{stderr}");
}

/// Forks while it records; parent and child both go on.
fn fork(file: &Path) {
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

#[test]
fn a_second_recording_is_refused_while_one_is_under_way() {
    let _alone = support::alone();
    let dir = tempfile::tempdir().unwrap();
    let first = try_start_recording(dir.path().join("first.calor"), &RecordingOptions::new()).unwrap();
    let error = try_start_recording(dir.path().join("second.calor"), &RecordingOptions::new()).unwrap_err();
    assert!(error.to_string().contains("first.calor"), "{error}");
    assert!(first.stop().is_some());
    let second = try_start_recording(dir.path().join("second.calor"), &RecordingOptions::new()).unwrap();
    assert!(first.stop().is_none(), "the handle of an ended recording stops nothing");
    assert!(second.stop().is_some());
    let mut header = [0; 4];
    std::fs::File::open(dir.path().join("second.calor")).unwrap().read_exact(&mut header).unwrap();
}

/// Forks before anything is recorded; the child then records for itself.
fn fork_first(file: &Path) {
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

/// Tries to record where no thread can be started (see the test), and then goes on.
fn no_thread(file: &Path) {
    let error = try_start_recording(file, &RecordingOptions::new()).unwrap_err();
    assert!(error.to_string().contains("thread"), "{error}");
    work(10);
    assert!(stop_recording().is_none());
}

#[test]
fn a_thread_that_cannot_be_started_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["role", "--exact", "--test-threads=1"])
        .env(ROLE, "no thread")
        .env(FILE, dir.path().join("run.calor"))
        // A stack of 64 TiB is more than there is room for.
        .env("RUST_MIN_STACK", (1_u64 << 46).to_string())
        .output()
        .unwrap();
    assert!(status.status.success(), "{status:?}");
}

/// Exits on one thread while another waits for the recording to end.
fn stop_and_exit(file: &Path) {
    let recording = start_recording(file);
    work(200_000);
    let (stopping, wait) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        stopping.send(()).unwrap();
        let _ = recording.stop();
    });
    wait.recv().unwrap();
    std::process::exit(0);
}

#[test]
fn a_program_that_exits_while_a_recording_is_being_stopped_leaves_a_finished_file() {
    let dir = tempfile::tempdir().unwrap();
    for _ in 0..5 {
        let file = dir.path().join("run.calor");
        assert_eq!(run("stop and exit", &file).2, Some(0));
        let profile = read(&file);
        assert_eq!((get(&profile, "outer").calls, warned(&profile, "recording_cut_off")), (200_000, 0));
    }
}

#[test]
fn recordings_started_while_others_are_being_stopped_are_whole() {
    let _alone = support::alone();
    let dir = tempfile::tempdir().unwrap();
    std::thread::scope(|threads| {
        for starter in 0..3 {
            let dir = dir.path();
            threads.spawn(move || {
                for round in 1..=20 {
                    let file = dir.join(format!("{starter} {round}.calor"));
                    let recording = loop {
                        match try_start_recording(&file, &RecordingOptions::new()) {
                            Ok(recording) => break recording,
                            Err(_) => std::thread::yield_now(),
                        }
                    };
                    drop(calor::open!("at each start"));
                    let recorded = recording.stop().expect("nobody else may stop it");
                    assert_eq!(recorded.problem, None);
                    let profile = read(&file);
                    assert_eq!(warned(&profile, "recording_cut_off"), 0);
                    assert!(get(&profile, "at each start").calls >= round);
                }
            });
        }
    });
}

fn pipe(path: &Path) {
    let path = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: the path is a C string.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
}

#[test]
fn a_pipe_that_nobody_reads_is_refused_and_one_that_is_read_gets_everything() {
    let _alone = support::alone();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pipe");
    pipe(&file);
    assert!(try_start_recording(&file, &RecordingOptions::new()).is_err());
    let reader = std::thread::spawn({
        let file = file.clone();
        move || std::fs::read(file).unwrap()
    });
    let recording = loop {
        // Until the reader is there.
        if let Ok(recording) = try_start_recording(&file, &RecordingOptions::new()) {
            break recording;
        }
        std::thread::yield_now();
    };
    for _ in 0..50_000 {
        calor::scope!("through a pipe");
    }
    assert_eq!(recording.stop().expect("it was under way").problem, None);
    let profile = calor_formats::read(&reader.join().unwrap()).unwrap();
    assert_eq!(get(&profile, "through a pipe").calls, 50_000);
    assert_eq!(warned(&profile, "recording_cut_off"), 0);
}

#[test]
fn a_file_that_another_process_records_to_is_left_alone() {
    let _alone = support::alone();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.calor");
    let mut child = start("tick", &file);
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    while !line.contains("closed") {
        line.clear();
        assert!(stdout.read_line(&mut line).unwrap() > 0, "the program ended early");
    }
    let error = try_start_recording(&file, &RecordingOptions::new()).unwrap_err();
    assert!(error.to_string().contains("another process"), "{error}");
    child.kill().unwrap();
    child.wait().unwrap();
    read(&file);
    let recording = try_start_recording(&file, &RecordingOptions::new()).unwrap();
    assert_eq!(recording.stop().expect("it was under way").problem, None);
}

#[test]
fn a_file_that_is_removed_while_it_is_written_is_a_problem() {
    let _alone = support::alone();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.calor");
    let recording = try_start_recording(&file, &RecordingOptions::new()).unwrap();
    std::fs::remove_file(&file).unwrap();
    let problem = recording.stop().expect("it was under way").problem.unwrap_or_default();
    assert!(problem.contains("removed"), "{problem}");
    let error = try_start_recording(dir.path(), &RecordingOptions::new()).unwrap_err();
    assert!(error.to_string().contains("cannot write"), "{error}");
}

#[test]
fn what_was_open_is_taken_back_on_the_threads_own_row_however_many_have_ended() {
    let _alone = support::alone();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.calor");
    let options = RecordingOptions::new().timeline(false).interval(Duration::from_millis(50));
    let recording = try_start_recording(&file, &options).unwrap();
    for _ in 0..300 {
        std::thread::spawn(|| drop(calor::open!("short-lived"))).join().unwrap();
    }
    let late = std::thread::spawn(|| {
        calor::scope!("open over several parts");
        std::thread::sleep(Duration::from_millis(200));
    });
    late.join().unwrap();
    assert_eq!(recording.stop().expect("it was under way").problem, None);
    let profile = read(&file);
    assert_eq!(get(&profile, "short-lived").calls, 300);
    assert_eq!(get(&profile, "open over several parts").calls, 1);
    for (key, stats) in profile.scopes.iter() {
        let path = profile.path_names(key.stack);
        assert_eq!((stats.open_calls, stats.open_nanos), (0, 0), "{path:?} on {:?}", key.thread);
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
