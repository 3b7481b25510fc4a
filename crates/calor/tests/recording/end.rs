//! How recordings end: stopped, by the program's exit, one after the other.

use super::*;

pub(super) fn finish(file: &Path) {
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
    let open = get(&profile, "open at the exit");
    assert_eq!((open.calls, open.open_calls), (0, 1));
    assert!(open.open_nanos >= 2_000_000, "{} ns", open.open_nanos);
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

/// Exits on one thread while another waits for the recording to end.
pub(super) fn stop_and_exit(file: &Path) {
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
