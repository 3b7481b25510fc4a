//! Parts of a recording add up to what was seen.

use calor_model::Profile;
use calor_record::{Ended, Options, Target};

use super::target::{ONE, busy, follow, options, samples, start};

#[test]
fn all_parts_together_have_every_sample_once() {
    let _one = ONE.lock();
    let Some(mut recording) = start(Target::Command(busy(300_000)), &options()) else { return };
    let mut parts = Vec::new();
    let ended = follow(&mut recording, |recording| parts.push(recording.take()));
    let Ended::Program(status) = ended else { panic!("{ended:?}") };
    assert_eq!(status.code(), Some(3));
    let seen = recording.progress().samples;
    parts.push(recording.take());
    assert!(parts.len() > 1 && seen > 20, "{} parts of {seen} samples", parts.len());
    assert_eq!(parts.iter().map(samples).sum::<u64>(), seen);
    let mut whole = Profile::default();
    parts.iter().for_each(|part| whole.merge(part));
    assert_eq!((whole.runs.len(), samples(&whole)), (1, seen));
    assert_eq!(samples(&recording.take()), 0, "what was taken is not there twice");
}

#[test]
fn a_recording_that_is_stopped_keeps_what_it_saw_and_sees_no_more() {
    let _one = ONE.lock();
    let Some(mut recording) = start(Target::Command(busy(100_000_000)), &options()) else { return };
    while recording.progress().samples < 50 {
        assert_eq!(recording.step(std::time::Duration::from_millis(20)).expect("waiting works"), None);
    }
    recording.stop();
    let seen = recording.progress();
    assert_eq!(
        recording.step(std::time::Duration::from_millis(50)).expect("waiting works"),
        Some(Ended::Asked)
    );
    assert_eq!(recording.progress(), seen, "time and samples stand still");
    assert_eq!(samples(&recording.take()), seen.samples);
    kill(recording.pid());
}

#[test]
fn small_rings_and_large_copies_wrap_around_without_harm() {
    let _one = ONE.lock();
    // Sixty kilobytes a sample fill a ring of a few megabytes many times over, records across its end included.
    let options = Options { stack_bytes: 60 << 10, rate: 5_000, ..options() };
    let Some(mut recording) = start(Target::Command(busy(400_000)), &options) else { return };
    follow(&mut recording, |_| {});
    let (seen, profile) = (recording.progress(), recording.take());
    assert!(seen.samples > 100 && samples(&profile) == seen.samples, "{seen:?}");
    let whole = profile.samples.iter().filter(|(key, _)| profile.path_names(key.stack)[0].starts_with('('));
    let broken: u64 = whole.map(|(_, weight)| weight.count).sum();
    assert!(broken * 10 < seen.samples, "{broken} of {seen:?}: {:?}", profile.warnings);
}

/// Ends a program that a recording has left running.
pub(crate) fn kill(pid: i32) {
    let status = std::process::Command::new("kill").args(["-KILL", &pid.to_string()]).status();
    assert!(status.expect("kill can be started").success());
}
