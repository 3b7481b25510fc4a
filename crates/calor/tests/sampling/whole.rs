//! Whether a recording's file has the samples that sampling tells of: the same ones, whichever of the two begins and
//! ends first.

use super::work::{burn, multiply_words, rotate_words};
use super::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

fn read(file: &Path) -> Profile {
    calor_formats::read(&std::fs::read(file).unwrap()).unwrap()
}

/// All samples, by names: tables of different profiles have different numbers.
fn rows(profile: &Profile) -> BTreeMap<String, (u64, u64)> {
    let mut rows = BTreeMap::new();
    for (key, weight) in profile.samples.iter() {
        let thread = profile.threads.get(key.thread);
        let path = profile.path_names(key.stack).join(";");
        let name = format!("{} {} {:?} {path}", thread.tid, profile.strings.get(thread.name), key.kind);
        let sum: &mut (u64, u64) = rows.entry(name).or_default();
        *sum = (sum.0 + weight.count, sum.1 + weight.nanos);
    }
    rows
}

fn count(profile: &Profile) -> u64 {
    profile.samples.iter().map(|(_, weight)| weight.count).sum()
}

/// Scopes in such numbers that the thread which writes them to the file has to work.
fn burn_in_scopes(seconds: f64) {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs_f64(seconds) {
        calor::scope!("short");
    }
}

/// Recording, sampling, and the end of sampling before that of the recording.
pub(super) fn check_sampling_ends_first(source: Source) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.calor");
    let recording = calor::start_recording(&file);
    let sampling = start(source);
    burn(rotate_words, 0.2);
    assert!(count(&sampling.snapshot()) > 0);
    burn(multiply_words, 0.6);
    let worker = std::thread::Builder::new().name("worker".into());
    worker.spawn(|| burn(rotate_words, 0.2)).unwrap().join().unwrap();
    let told = sampling.stop();
    assert_eq!(recording.stop().unwrap().problem, None);
    assert!(count(&told) > 0);
    assert_eq!(rows(&read(&file)), rows(&told));
}

/// The same, and the recording ends first. What runs then is in what sampling tells only.
pub(super) fn check_recording_ends_first(source: Source) {
    let folder = tempfile::tempdir().unwrap();
    let files = ["first.calor", "second.calor"].map(|name| folder.path().join(name));
    let recording = calor::start_recording(&files[0]);
    let sampling = start(source);
    burn(rotate_words, 0.3);
    assert_eq!(recording.stop().unwrap().problem, None);
    burn(multiply_words, 0.2);
    // One that begins while sampling is on has what is sampled from then on.
    let recording = calor::start_recording(&files[1]);
    burn(rotate_words, 0.3);
    assert_eq!(recording.stop().unwrap().problem, None);
    let told = sampling.stop();
    let parts = files.map(|file| read(&file));
    for part in &parts {
        assert!(nanos_with(part, "rotate_words") > 0);
        assert_eq!(nanos_with(part, "multiply_words"), 0, "what ran between the recordings is in one");
    }
    let in_files: u64 = parts.iter().map(|part| nanos_with(part, "rotate_words")).sum();
    assert_eq!(in_files, nanos_with(&told, "rotate_words"));
    assert!(nanos_with(&told, "multiply_words") > 0);
}

/// Sampling that is dropped, and then begins again, tells nobody but the file.
pub(super) fn check_dropped(source: Source) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.calor");
    let recording = calor::start_recording(&file);
    let mut told = 0;
    for _ in 0..2 {
        let sampling = start(source);
        burn(rotate_words, 0.2);
        told += nanos_with(&sampling.snapshot(), "rotate_words");
        drop(sampling);
    }
    assert_eq!(recording.stop().unwrap().problem, None);
    assert!(told > 0);
    assert_eq!(nanos_with(&read(&file), "rotate_words"), told);
}

/// What was said when sampling began holds for a recording that begins later, too.
pub(super) fn check_remarks() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.calor");
    let options = SamplingOptions::new().off_cpu(true).source(Source::Timers);
    let sampling = sampling::start_with(&options).unwrap();
    assert!(support::warned_at_all(&sampling.snapshot(), "off_cpu_missing"));
    let recording = calor::start_recording(&file);
    burn(rotate_words, 0.1);
    assert_eq!(recording.stop().unwrap().problem, None);
    drop(sampling);
    assert!(support::warned_at_all(&read(&file), "off_cpu_missing"));
}

/// A program that ends with both under way.
pub(super) fn check_exit(source: Source) {
    // It outlives this process.
    let folder = tempfile::tempdir().unwrap().keep();
    let file = folder.join("run.calor");
    calor::start_recording(&file);
    let sampling = start(source);
    burn(rotate_words, 0.2);
    println!("\nfolder={}", folder.display());
    println!("nanos={}", nanos_with(&sampling.snapshot(), "rotate_words"));
    std::process::exit(0);
}

/// Calor's own threads are neither counted nor sampled, however busy they are.
pub(super) fn check_own_threads(source: Source) {
    let folder = tempfile::tempdir().unwrap();
    let before = calor::start_recording(folder.path().join("before.calor"));
    let sampling = start(source);
    burn_in_scopes(0.5);
    assert_eq!(before.stop().unwrap().problem, None);
    // The thread of the one before was there first, this one's comes while events are open that new threads inherit.
    let after = calor::start_recording(folder.path().join("after.calor"));
    burn_in_scopes(0.5);
    let earlier = sampling.progress().unwrap();
    let told = sampling.snapshot();
    let later = sampling.progress().unwrap();
    assert_eq!(after.stop().unwrap().problem, None);
    assert_eq!(thread_names(&told).len(), 1, "{:?}", thread_names(&told));
    assert_eq!((earlier.threads, later.threads), (1, 1));
    assert!(earlier.samples > 0);
    assert!(
        (earlier.samples..=later.samples).contains(&count(&told)),
        "{} samples are told of; {earlier:?}, {later:?}",
        count(&told)
    );
}

#[test]
fn a_file_has_every_sample_that_stop_returns() {
    play("sampling ends first by perf events");
    play("sampling ends first by timers");
}

#[test]
fn every_sample_under_a_recording_is_in_its_file_when_that_ends_first() {
    play("recording ends first by perf events");
    play("recording ends first by timers");
}

#[test]
fn a_file_has_the_samples_of_sampling_that_is_dropped() {
    play("dropped by perf events");
    play("dropped by timers");
}

#[test]
fn a_program_that_ends_while_it_is_sampled_leaves_all_samples_in_the_file() {
    for role in ["exit by perf events", "exit by timers"] {
        let text = play(role);
        let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        let folder = Path::new(value("folder="));
        let profile = read(&folder.join("run.calor"));
        std::fs::remove_dir_all(folder).unwrap();
        let nanos: u64 = value("nanos=").parse().unwrap();
        assert!(nanos > 0);
        assert_eq!(nanos_with(&profile, "rotate_words"), nanos);
    }
}

#[test]
fn what_sampling_cannot_see_is_said_in_the_file_of_a_later_recording() {
    play("remarks");
}

#[test]
fn threads_of_calor_are_neither_counted_nor_sampled() {
    play("own threads by perf events");
    play("own threads by timers");
}
