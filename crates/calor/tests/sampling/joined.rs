//! Scopes and samples in one file.

use super::work::{burn, multiply_words, rotate_words};
use super::*;
use calor::model::Recorder;

pub(super) fn check() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.calor");
    let sampling = sampling::start(999).unwrap();
    burn(multiply_words, 0.1);
    calor::start_recording(&file);
    let worker = std::thread::Builder::new().name("a worker with a long name".into());
    let worker = worker.spawn(|| {
        calor::scope!("rotating");
        burn(rotate_words, 0.7);
    });
    worker.unwrap().join().unwrap();
    assert_eq!(calor::stop_recording().unwrap().problem, None);
    burn(multiply_words, 0.1);
    let all = sampling.stop();

    let profile = calor_formats::read(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(support::get(&profile, "rotating").calls, 1);
    assert!(nanos_with(&profile, "rotate_words") as f64 / 1e9 > 0.2);
    assert!(nanos_with(&profile, "rotate_words") <= nanos_with(&all, "rotate_words"));
    assert_eq!(nanos_with(&profile, "multiply_words"), 0, "what ran outside the recording is in it");
    assert!(nanos_with(&all, "multiply_words") > 0);
    assert_eq!(profile.runs.len(), 1);
    assert!(profile.runs[0].recorders.contains(&Recorder::Cpu));
    assert!(profile.runs[0].recorders.contains(&Recorder::Scopes));
    let names = thread_names(&profile);
    assert!(names.contains(&"a worker with a long name"), "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with("calor")), "{names:?}");
    // Merged with the scopes, all samples are of the same run.
    let mut both = calor::snapshot();
    both.merge(&all);
    assert_eq!(both.runs.len(), 1);
}

#[test]
fn a_recording_has_the_samples_that_were_taken_while_it_was_under_way() {
    play("joined");
}
