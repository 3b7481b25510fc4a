//! Files that cannot be written, or not any more, and threads that cannot be started.

use super::*;

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
pub(super) fn no_room(file: &Path) {
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
    let mut done = 0;
    let problem = loop {
        work(2000);
        done += 2000;
        std::thread::sleep(Duration::from_millis(20));
        if let Some(problem) = recording.problem() {
            break problem;
        }
        assert!(done < 10_000_000, "the file never gets full");
    };
    assert!(problem.contains("free space"), "{problem}");
    let full = read(file);
    assert!(get(&full, "outer").calls >= 1, "the file is not readable while there is no room");
    // Some parts fail, and their spans are lost.
    work(2000);
    std::thread::sleep(Duration::from_millis(200));
    limit(libc::RLIM_INFINITY);
    work(1000);
    println!("done {}", done + 3000);
    let recorded = recording.stop().expect("it was under way");
    assert_eq!(recorded.problem, None, "there is room again");
}

#[test]
fn a_full_disk_is_said_once_statistics_wait_for_room_and_lost_spans_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.calor");
    let (stdout, stderr, code) = run("no room", &file);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(stderr.matches("calor: cannot write").count(), 1, "{stderr}");
    let done = stdout.lines().find_map(|line| line.split("done ").nth(1)?.parse::<u64>().ok()).unwrap();
    let profile = read(&file);
    assert_eq!(get(&profile, "outer").calls, done);
    let spans = profile.timeline.n_spans() as u64;
    assert_eq!(
        spans + warned(&profile, "spans_not_written"),
        2 * done,
        "every span is there or counted as lost"
    );
    assert!(spans < 2 * done);
}

#[test]
fn a_device_that_is_always_full_harms_nothing() {
    let (_, stderr, code) = run("exit", Path::new("/dev/full"));
    assert_eq!(code, Some(7));
    assert_eq!(stderr.matches("calor: cannot write").count(), 1, "{stderr}");
}

/// Tries to record where no thread can be started (see the test), and then goes on.
pub(super) fn no_thread(file: &Path) {
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
fn a_file_that_is_no_profile_is_not_written_over() {
    let _alone = support::alone();
    let folder = tempfile::tempdir().unwrap();
    let thesis = folder.path().join("thesis.txt");
    std::fs::write(&thesis, "Abstract.").unwrap();
    let error = try_start_recording(&thesis, &RecordingOptions::new()).unwrap_err();
    assert!(matches!(error, calor::RecordingError::Foreign { .. }), "{error}");
    let message = error.to_string();
    assert!(message.contains("no calor profile") && message.contains("name another file"), "{message}");
    let saved = calor::save(&Profile::default(), &thesis).unwrap_err().to_string();
    assert!(saved.contains("no calor profile"), "{saved}");
    assert_eq!(std::fs::read(&thesis).unwrap(), b"Abstract.");
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
