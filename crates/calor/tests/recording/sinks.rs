//! Recordings that go elsewhere than to a file: to another thread, or to what the program brings itself.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use calor::parts::{Part, PartSink, Refused, channel};
use calor::start_recording_to;

use super::*;

/// Parts twenty times a second.
fn often() -> RecordingOptions {
    RecordingOptions::new().interval(Duration::from_millis(50))
}

/// A program that sends its recording to another thread, which keeps each part as it would send it on.
pub(super) fn send_on(folder: &Path) {
    let (sink, parts) = channel(16);
    let sender = std::thread::spawn({
        let folder = folder.to_owned();
        move || {
            for (number, part) in parts.iter().enumerate() {
                std::fs::write(folder.join(number.to_string()), part.to_file().unwrap()).unwrap();
            }
        }
    });
    let recording = start_recording_to(sink, &often()).unwrap();
    for _ in 0..5 {
        work(200);
        std::thread::sleep(Duration::from_millis(60));
    }
    assert_eq!(recording.stop().expect("it was under way").problem, None);
    sender.join().unwrap();
}

#[test]
fn the_parts_of_a_program_that_sends_them_on_add_up_to_all_it_did() {
    let dir = tempfile::tempdir().unwrap();
    let (_, stderr, code) = run("send on", dir.path());
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let parts: Vec<Profile> =
        std::fs::read_dir(dir.path()).unwrap().map(|entry| read(&entry.unwrap().path())).collect();
    assert!(parts.len() > 2, "{} parts", parts.len());
    let mut whole = Profile::default();
    parts.iter().for_each(|part| whole.merge(part));
    assert_eq!((get(&whole, "outer").calls, whole.timeline.n_spans()), (1000, 2000));
    assert_eq!(whole.runs.len(), 1);
    assert!(whole.warnings.is_empty(), "{:?}", whole.warnings);
}

/// Keeps what it takes, and takes nothing while it is told so.
#[derive(Clone, Default)]
struct Moody {
    refuses: Arc<AtomicBool>,
    taken: Arc<std::sync::Mutex<Vec<Part>>>,
    has_ended: Arc<AtomicBool>,
}

impl PartSink for Moody {
    fn add(&mut self, part: Part) -> Result<(), Refused> {
        if self.refuses.load(Relaxed) {
            return Err(Refused::new(part, io::ErrorKind::WouldBlock.into()));
        }
        self.taken.lock().unwrap().push(part);
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.has_ended.store(true, Relaxed);
        Ok(())
    }
}

#[test]
fn what_a_sink_refuses_comes_later_but_for_spans_which_are_counted_once() {
    let _alone = support::alone();
    calor::reset();
    let sink = Moody::default();
    let recording = start_recording_to(sink.clone(), &often()).unwrap();
    let error = try_start_recording("second.calor", &RecordingOptions::new()).unwrap_err();
    assert!(error.to_string().contains("to a sink of the program"), "{error}");
    work(500);
    while sink.taken.lock().unwrap().iter().all(|part| part.profile.scopes.is_empty()) {
        std::thread::yield_now();
    }
    sink.refuses.store(true, Relaxed);
    // Several parts are refused, with the same spans again and again.
    while recording.problem().is_none() {
        work(100);
        std::thread::sleep(Duration::from_millis(20));
    }
    for _ in 0..10 {
        work(100);
        std::thread::sleep(Duration::from_millis(20));
    }
    sink.refuses.store(false, Relaxed);
    work(500);
    let recorded = recording.stop().expect("it was under way");
    assert_eq!((recorded.problem, recorded.path.as_os_str().is_empty()), (None, true));
    assert!(sink.has_ended.load(Relaxed));
    let taken = sink.taken.lock().unwrap();
    let mut whole = Profile::default();
    let mut last_end = 0;
    for part in taken.iter() {
        assert!(part.window.from_unix_nanos >= last_end, "windows follow on each other");
        last_end = part.window.until_unix_nanos;
        whole.merge(&part.profile);
    }
    let (spans, dropped) = (whole.timeline.n_spans() as u64, warned(&whole, "spans_not_written"));
    assert!(dropped > 0);
    assert_eq!(spans + dropped, 2 * get(&whole, "outer").calls, "{:?}", whole.warnings);
}

#[test]
fn nobody_at_the_other_end_is_a_problem_and_harms_nothing() {
    let _alone = support::alone();
    let (sink, parts) = channel(1);
    drop(parts);
    let recording = start_recording_to(sink, &often()).unwrap();
    work(100);
    let problem = recording.stop().expect("it was under way").problem.unwrap_or_default();
    assert!(problem.contains("nobody takes the parts"), "{problem}");
}

/// A sink that takes its time and never comes to an end.
struct Stuck(Arc<AtomicBool>);

impl PartSink for Stuck {
    fn add(&mut self, _part: Part) -> Result<(), Refused> {
        self.0.store(true, Relaxed);
        loop {
            std::thread::park();
        }
    }

    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A program whose sink hangs goes on, and is told at the end.
pub(super) fn stuck() {
    let is_stuck = Arc::new(AtomicBool::new(false));
    let recording = start_recording_to(Stuck(Arc::clone(&is_stuck)), &often()).unwrap();
    while !is_stuck.load(Relaxed) {
        std::thread::yield_now();
    }
    work(1000);
    let problem = recording.stop().expect("it was under way").problem.unwrap_or_default();
    println!("problem {problem}");
    assert_eq!(get(&calor::snapshot(), "outer").calls, 1000);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("after.calor");
    let recording = try_start_recording(&file, &RecordingOptions::new()).unwrap();
    work(500);
    assert_eq!(recording.stop().expect("it was under way").problem, None);
    assert_eq!(get(&read(&file), "outer").calls, 1500);
}

#[test]
fn a_sink_that_hangs_keeps_neither_the_program_nor_the_next_recording() {
    let (stdout, stderr, code) = run("stuck", Path::new("no file"));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("problem the sink did not come to an end"), "{stdout}");
}
