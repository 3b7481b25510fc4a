//! What is written is read back: call paths, threads, labels and values.

use calor_formats::{Format, Metric, WriteOptions, pprof, weights};
use calor_model::*;
use proptest::prelude::*;

use crate::generated::profiles;

pub(crate) fn written(profile: &Profile) -> Vec<u8> {
    let mut bytes = Vec::new();
    pprof::write(profile, &WriteOptions::default(), &mut bytes).unwrap();
    bytes
}

/// Everything that the format can hold of a profile, as text.
pub(crate) fn text_of(profile: &Profile) -> Vec<String> {
    let profile = Profile { runs: Vec::new(), warnings: Vec::new(), ..profile.canonical() };
    let path = |stack: StackId| -> Vec<String> {
        let text = |id| profile.strings.get(id);
        let frames = profile.stacks.path(stack).into_iter().map(|frame| profile.frames.get(frame));
        frames
            .map(|frame| {
                let (name, module, file) = (text(frame.name), frame.module.map(text), frame.file.map(text));
                format!("{name:?} {:?} {module:?} {file:?} {:?} {}", frame.kind, frame.line, frame.is_inlined)
            })
            .collect()
    };
    let thread = |id| {
        let thread = profile.threads.get(id);
        format!("{} {} {:?}", thread.pid, thread.tid, profile.strings.get(thread.name))
    };
    let labels = |id| -> Vec<(&str, &str)> {
        let set = profile.labels.get(id).iter();
        set.map(|(key, value)| (profile.strings.get(*key), profile.strings.get(*value))).collect()
    };
    let mut lines = Vec::new();
    for (key, weight) in profile.samples.iter() {
        let (path, thread, labels) = (path(key.stack), thread(key.thread), labels(key.labels));
        lines.push(format!("{:?} {path:?} {thread} {labels:?} {weight:?}", key.kind));
    }
    for (key, stats) in profile.scopes.iter() {
        let (path, thread, labels) = (path(key.stack), thread(key.thread), labels(key.labels));
        lines.push(format!("scope {path:?} {thread} {labels:?} {} {}", stats.calls, stats.total_nanos));
    }
    for (key, site) in profile.heap.iter() {
        let (path, thread, labels) = (path(key.stack), thread(key.thread), labels(key.labels));
        lines.push(format!("heap {path:?} {thread} {labels:?} {site:?}"));
    }
    lines.push(format!("heap {:?}", profile.heap.summary));
    for (key, durations) in &profile.gpu.kernels {
        let (name, path) = (profile.strings.get(key.name), key.launched_from.map(path));
        lines.push(format!("kernel {name:?} {} {path:?} {durations:?}", key.device));
    }
    for (key, copies) in &profile.gpu.copies {
        let path = key.launched_from.map(path);
        lines.push(format!("copy {:?} {} {:?} {path:?} {copies:?}", key.kind, key.device, key.is_pageable));
    }
    // Handles follow from strings that other tables hold too, so the order of rows may differ.
    lines.sort();
    lines
}

proptest! {
    #[test]
    fn paths_threads_labels_and_values_survive(profile in profiles()) {
        let bytes = written(&profile);
        let read = pprof::read(&bytes).unwrap();
        prop_assert_eq!(text_of(&read), text_of(&profile));
        prop_assert_eq!(Format::detect(&bytes), Some(Format::Pprof));
    }

    #[test]
    fn what_was_read_is_written_as_the_same_file_again(profile in profiles()) {
        let bytes = written(&profile);
        let second = written(&pprof::read(&bytes).unwrap().canonical());
        let third = written(&pprof::read(&second).unwrap().canonical());
        prop_assert_eq!(second, third);
    }

    #[test]
    fn a_metric_that_is_asked_for_is_written_alone_and_whole(profile in profiles()) {
        for metric in Metric::available(&profile) {
            let mut bytes = Vec::new();
            pprof::write(&profile, &WriteOptions::with_metric(metric), &mut bytes).unwrap();
            let read = pprof::read(&bytes).unwrap();
            prop_assert_eq!(weights(&read, metric).total(), weights(&profile, metric).total(), "{}", metric);
        }
    }
}

#[test]
fn a_run_keeps_its_time_command_commit_and_what_other_tools_said_of_it() {
    let labels = [
        ("pprof.build_id./usr/bin/waits", "abc123"),
        ("pprof.comment", "first\nsecond"),
        ("pprof.default_sample_type", "samples"),
        ("pprof.doc_url", "https://example.org/profile"),
        ("pprof.drop_frames", "runtime\\..*"),
        ("pprof.keep_frames", "main\\..*"),
        ("pprof.period", "10000000 nanoseconds cpu"),
    ];
    let mut profile = Profile::default();
    profile.runs.push(Run {
        command: Some("waits --long".to_owned()),
        commit: Some("0a1b2c".to_owned()),
        started_at_unix_nanos: 1_750_000_000_000_000_000,
        duration_nanos: 902_000_000,
        labels: labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        recorders: [Recorder::Cpu].into(),
        ..Run::default()
    });
    let name = profile.strings.intern("main");
    let module = Some(profile.strings.intern("/usr/bin/waits"));
    let frame = profile.frames.intern(Frame { module, ..Frame::new(name, FrameKind::Native) });
    let stack = profile.stacks.intern(None, frame);
    let thread = profile.intern_thread(0, 0, "");
    let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels: LabelTable::none(), at_nanos: None };
    profile.samples.add(key, SampleWeight { count: 1, nanos: 10_000_000 });

    let read = pprof::read(&written(&profile)).unwrap();
    let run = Run { id: RunId::default(), ..read.runs[0].clone() };
    assert_eq!(run, profile.runs[0]);
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
}
