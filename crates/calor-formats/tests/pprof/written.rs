//! What other tools see of what we write.

use calor_formats::{Metric, WriteOptions, pprof};
use calor_model::*;

use crate::message::File;
use crate::round_trip::written;

/// Native code that calls Python, of which one function is inlined, on a named thread.
fn sample() -> Profile {
    let mut profile = Profile::default();
    let text = |profile: &mut Profile, text: &str| Some(profile.strings.intern(text));
    let mut stack = None;
    for (name, module, kind, line, is_inlined) in [
        ("main", "app", FrameKind::Native, 10, false),
        ("run", "app", FrameKind::Native, 20, true),
        ("forward", "torch", FrameKind::Python, 30, false),
    ] {
        let frame = Frame {
            name: profile.strings.intern(name),
            kind,
            module: text(&mut profile, module),
            file: text(&mut profile, "source"),
            line: Some(line),
            is_inlined,
        };
        let frame = profile.frames.intern(frame);
        stack = Some(profile.stacks.intern(stack, frame));
    }
    let (stack, labels) = (stack.unwrap(), LabelTable::none());
    let thread = profile.intern_thread(5, 6, "worker");
    let kinds = [(SampleKind::Cpu, 7, 70), (SampleKind::OffCpu, 1, 900)];
    for (at_nanos, (kind, count, nanos)) in kinds.into_iter().enumerate() {
        let key = SampleKey { kind, stack, thread, labels, at_nanos: Some(at_nanos as u64) };
        profile.samples.add(key, SampleWeight { count, nanos });
    }
    let site = HeapSite {
        allocated_bytes: 100,
        allocated_count: 4,
        freed_bytes: 60,
        freed_count: 3,
        ..HeapSite::default()
    };
    profile.heap.add(HeapKey { stack, thread, labels }, &site);
    profile
}

#[test]
fn rows_about_one_place_are_one_sample_with_a_value_of_each_type() {
    let file = File::unpack(&written(&sample()));
    assert_eq!(file.sample.len(), 1);
    let names = file.columns();
    let values: Vec<_> = names.iter().map(String::as_str).zip(file.sample[0].value.iter().copied()).collect();
    assert_eq!(
        values,
        [
            ("samples", 7),
            ("cpu", 70),
            ("off_cpu_samples", 1),
            ("off_cpu", 900),
            ("alloc_objects", 4),
            ("alloc_space", 100),
            ("inuse_objects", 1),
            ("inuse_space", 40),
            ("peak_objects", 0),
            ("peak_space", 0),
        ]
    );
    let text = |index: i64| file.string_table[index as usize].as_str();
    assert_eq!(text(file.default_sample_type), "cpu");
    let period = file.period_type.unwrap();
    assert_eq!((text(period.r#type), text(period.unit), file.period), ("cpu", "nanoseconds", 10));
    let labels = file.sample[0].label.iter().map(|label| (text(label.key), text(label.str), label.num));
    assert_eq!(labels.collect::<Vec<_>>(), [("thread", "worker", 0), ("tid", "", 6), ("pid", "", 5)]);
}

#[test]
fn locations_are_leaf_first_and_inlined_functions_share_one_with_their_caller() {
    let file = File::unpack(&written(&sample()));
    let text = |index: i64| file.string_table[index as usize].as_str();
    let location = |id: &u64| file.location.iter().find(|location| location.id == *id).unwrap();
    let places: Vec<(Vec<(&str, i64)>, &str)> = file.sample[0]
        .location_id
        .iter()
        .map(location)
        .map(|location| {
            let lines = location.line.iter().map(|line| {
                let function = file.function.iter().find(|function| function.id == line.function_id).unwrap();
                (text(function.name), line.line)
            });
            let mapping = file.mapping.iter().find(|mapping| mapping.id == location.mapping_id).unwrap();
            assert!(mapping.has_functions && mapping.has_filenames && mapping.has_inline_frames);
            (lines.collect(), text(mapping.filename))
        })
        .collect();
    assert_eq!(places, [(vec![("forward", 30)], "torch [python]"), (vec![("run", 20), ("main", 10)], "app")]);
}

#[test]
fn the_strings_begin_with_an_empty_one_and_hold_none_twice_but_it() {
    let file = File::unpack(&written(&sample()));
    assert_eq!(file.string_table[0], "");
    let mut rest = file.string_table[1..].to_vec();
    rest.sort_unstable();
    rest.dedup();
    assert_eq!(rest.len(), file.string_table.len() - 1);
}

#[test]
fn one_metric_can_be_asked_for_and_a_missing_one_is_refused() {
    let ask = |metric| {
        let mut bytes = Vec::new();
        pprof::write(&sample(), &WriteOptions::with_metric(metric), &mut bytes).map(|()| File::unpack(&bytes))
    };
    let wall = ask(Metric::Wall).unwrap();
    assert_eq!((wall.columns(), wall.sum("wall")), (vec!["wall_samples".to_owned(), "wall".to_owned()], 970));
    assert_eq!(ask(Metric::Live).unwrap().sum("inuse_space"), 40);
    let message = ask(Metric::Gpu).unwrap_err().to_string();
    assert!(message.contains("gpu") && message.contains("cpu"), "{message}");
}

#[test]
fn what_a_signed_number_cannot_hold_is_the_most_it_can() {
    let mut profile = sample();
    let (key, _) = profile.samples.iter().next().unwrap();
    profile.samples.add(key, SampleWeight { count: u64::MAX, nanos: u64::MAX });
    assert_eq!(File::unpack(&written(&profile)).sample[0].value[..2], [i64::MAX, i64::MAX]);
}
