//! What is written reads back: names, nesting, calls and times to the nanosecond.

use calor_formats::{Format, Metric, WriteOptions, chrome};
use calor_model::*;
use proptest::prelude::*;

use crate::told::{counters, marks, read, scopes, spans, warnings};

fn written(profile: &Profile) -> Vec<u8> {
    let mut bytes = Vec::new();
    chrome::write(profile, &WriteOptions::default(), &mut bytes).unwrap();
    assert_eq!(Format::detect(&bytes), Some(Format::Chrome));
    bytes
}

/// A thread's calls from a list of choices: each opens a call or closes one, and time goes on.
fn record(profile: &mut Profile, thread: ThreadId, choices: &[(bool, u8, u32)]) {
    const NAMES: [&str; 5] = ["forward", "größe \"x\"\n", "", "a;b", "\u{1f525}\\"];
    const KINDS: [FrameKind; 4] =
        [FrameKind::Scope, FrameKind::Context, FrameKind::Python, FrameKind::Native];
    let mut open: Vec<(u64, StackId)> = Vec::new();
    let mut now = 0_u64;
    let close = |profile: &mut Profile, (start_nanos, stack): (u64, StackId), now: u64| {
        let span = Span { start_nanos, duration_nanos: now - start_nanos, stack };
        profile.timeline.track_mut(thread).spans.push(span);
        let row = profile.scopes.row_mut(ScopeKey { stack, thread, labels: LabelTable::none() });
        row.calls += 1;
        row.total_nanos += span.duration_nanos;
        row.timed.record(span.duration_nanos);
    };
    for &(opens, which, nanos) in choices {
        // Time stands never still: calls of no length have no place among others of the same instant.
        now += u64::from(nanos) + 1;
        if opens {
            let which = usize::from(which);
            let name = profile.strings.intern(NAMES[which % NAMES.len()]);
            let file = (which % 3 == 0).then(|| profile.strings.intern("src/a \"b\".rs"));
            let line = file.map(|_| u32::from(which as u8) + 1);
            let frame = Frame { file, line, ..Frame::new(name, KINDS[which % KINDS.len()]) };
            let frame = profile.frames.intern(frame);
            open.push((now, profile.stacks.intern(open.last().map(|call| call.1), frame)));
        } else if let Some(call) = open.pop() {
            close(profile, call, now);
        }
    }
    while let Some(call) = open.pop() {
        now += 1;
        close(profile, call, now);
    }
}

fn profiles() -> impl Strategy<Value = Profile> {
    let choices = || proptest::collection::vec((any::<bool>(), any::<u8>(), 0_u32..5_000_000), 0..80);
    proptest::collection::vec(choices(), 1..4).prop_map(|threads| {
        let mut profile = Profile::default();
        for (tid, choices) in threads.iter().enumerate() {
            // The last goes by no number, as several ended threads do.
            let thread = profile.intern_thread(9, [11, 12, 0][tid], &format!("worker \"{tid}\""));
            record(&mut profile, thread, choices);
            let name = profile.strings.intern("mark");
            let detail = (profile.strings.intern("why\t"), profile.strings.intern("{}"));
            let mark = Mark { at_nanos: choices.len() as u64 * 7, name, details: vec![detail] };
            profile.timeline.track_mut(thread).marks.push(mark);
        }
        let (name, unit) = (profile.strings.intern("memory"), profile.strings.intern("bytes"));
        let points = profile.counters.series_mut(CounterKey { name, unit, thread: None });
        points.extend((0..5).map(|at| CounterPoint { at_nanos: at * 1001, value: at as f64 / 3.0 }));
        profile.runs.push(Run {
            id: RunId(3),
            command: Some("infer --model \"tiny\"".to_owned()),
            started_at_unix_nanos: 1_750_000_000_123_456_789,
            duration_nanos: 9_000_000_000,
            ..Run::default()
        });
        profile.timeline.sort();
        profile
    })
}

/// Name, kind, file and line of all frames of all spans, in order.
fn places(profile: &Profile) -> Vec<String> {
    let text = |id: StringId| profile.strings.get(id);
    let tracks = profile.timeline.iter();
    let frames = tracks.flat_map(|(_, track)| &track.spans).map(|span| {
        let frame = profile.frames.get(profile.stacks.get(span.stack).frame);
        format!("{} {:?} {:?} {:?}", text(frame.name), frame.kind, frame.file.map(text), frame.line)
    });
    frames.collect()
}

proptest! {
    #[test]
    fn a_timeline_keeps_names_nesting_calls_and_times(profile in profiles()) {
        let again = read(written(&profile));
        prop_assert_eq!(warnings(&again), [""; 0]);
        prop_assert_eq!(spans(&again), spans(&profile));
        prop_assert_eq!(places(&again), places(&profile));
        prop_assert_eq!(scopes(&again), scopes(&profile));
        prop_assert_eq!(marks(&again), marks(&profile));
        prop_assert_eq!(counters(&again), counters(&profile));
        let (run, first) = (&again.runs[0], &profile.runs[0]);
        prop_assert_eq!(&run.command, &first.command);
        prop_assert_eq!(run.started_at_unix_nanos, first.started_at_unix_nanos);
        prop_assert_eq!(run.duration_nanos, first.duration_nanos);
        let histograms = |profile: &Profile| -> u64 {
            profile.scopes.iter().map(|(_, stats)| stats.timed.histogram().count()).sum()
        };
        prop_assert_eq!(histograms(&again), histograms(&profile));
    }

    #[test]
    fn statistics_without_a_timeline_keep_calls_and_totals_and_say_what_they_are(profile in profiles()) {
        let without = Profile { timeline: Timeline::default(), ..profile };
        let again = read(written(&without));
        prop_assert_eq!(again.timeline.n_spans(), 0);
        let expected: Vec<String> = scopes(&without)
            .iter()
            .map(|line| line.replacen("\": ", "\" (totals, not in order of time): ", 1))
            .collect();
        prop_assert_eq!(scopes(&again), expected);
        prop_assert_eq!(warnings(&again), [""; 0]);
    }
}

#[test]
fn every_metric_that_a_profile_has_can_be_written_and_no_other() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    let stack = profile.intern_named_path(&["a", "b"], FrameKind::Native).unwrap();
    let labels = LabelTable::none();
    profile.samples.add(
        SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: Some(5) },
        SampleWeight { count: 3, nanos: 30 },
    );
    profile.heap.add(
        HeapKey { stack, thread, labels },
        &HeapSite { allocated_bytes: 4096, allocated_count: 2, ..HeapSite::default() },
    );
    for (metric, name, calls, total) in [
        (None, "main (cpu, not in order of time)", 3, 30),
        (Some(Metric::Cpu), "main (cpu, not in order of time)", 3, 30),
        (Some(Metric::Allocated), "main (allocated, 1 ns is 1 byte, not in order of time)", 2, 4096),
    ] {
        let mut bytes = Vec::new();
        let mut options = WriteOptions::default();
        options.metric = metric;
        chrome::write(&profile, &options, &mut bytes).unwrap();
        let again = read(&bytes);
        assert!(again.scopes.is_empty(), "samples and allocations are no calls");
        let metric = metric.unwrap_or(Metric::Cpu);
        let rows = calor_formats::weights(&again, metric).rows;
        let thread = again.threads.get(rows[0].thread.unwrap());
        assert_eq!(again.strings.get(thread.name), name);
        assert_eq!(again.path_names(rows[0].stack), ["a", "b"]);
        assert_eq!((rows.len(), rows[0].count, rows[0].value), (1, calls, total), "{metric:?}");
    }
    let refused = chrome::write(&profile, &WriteOptions::with_metric(Metric::Gpu), Vec::new());
    assert!(refused.unwrap_err().to_string().contains("allocated"));
}

#[test]
fn work_on_gpus_is_on_tracks_of_its_own_and_reads_back() {
    let mut profile = Profile::default();
    let name = profile.strings.intern("gemm");
    let launched_from = profile.intern_named_path(&["forward", "launch"], FrameKind::Scope);
    profile.gpu.devices.push(GpuDevice { index: 1, name, memory_bytes: 1 });
    let mut durations = DurationStats::default();
    [5, 7, 9].into_iter().for_each(|nanos| durations.record(nanos));
    profile.gpu.add_kernel(KernelKey { name, device: 1, launched_from }, &durations);
    let copies = CopyStats { durations: durations.clone(), bytes: 64 };
    let key = CopyKey { kind: CopyKind::DeviceToHost, device: 1, is_pageable: None, launched_from: None };
    profile.gpu.add_copies(key, &copies);
    let bytes = written(&profile);
    let text = String::from_utf8(bytes.clone()).unwrap();
    for words in ["GPU 1: gemm", "GPU 1 kernels (totals", "GPU 1 copies (totals", "forward → launch"] {
        assert!(text.contains(words), "{text} does not say {words}");
    }
    let again = read(bytes);
    assert!(again.scopes.is_empty());
    let (key, kernel) = again.gpu.kernels.first().unwrap();
    assert_eq!((again.strings.get(key.name), key.device), ("gemm", 1));
    assert_eq!((kernel.count, kernel.total_nanos, kernel.min_nanos, kernel.max_nanos), (3, 21, 5, 9));
    let (key, copies) = again.gpu.copies.first().unwrap();
    assert_eq!((key.kind, copies.bytes, copies.durations.total_nanos), (CopyKind::DeviceToHost, 64, 21));
}
