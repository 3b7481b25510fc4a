//! What other tools put into their files, and what they forget.

use calor_formats::{pprof, read};
use calor_model::*;
use prost::Message;

use crate::message::{File, Label, Line, Location, Mapping, ValueType};

fn profile(file: &File) -> Profile {
    read(&file.encode_to_vec()).unwrap()
}

fn codes(profile: &Profile) -> Vec<(&str, Option<u64>)> {
    profile.warnings.iter().map(|warning| (warning.code.as_str(), warning.count)).collect()
}

fn weights(profile: &Profile) -> Vec<(SampleKind, u64, u64)> {
    profile.samples.iter().map(|(key, weight)| (key.kind, weight.count, weight.nanos)).collect()
}

fn error(file: &File) -> String {
    pprof::read(&file.encode_to_vec()).unwrap_err().to_string()
}

#[test]
fn plain_samples_belong_to_the_time_beside_them() {
    for (types, kind) in [
        (&[("samples", "count"), ("cpu", "nanoseconds")][..], SampleKind::Cpu),
        (&[("samples", "count"), ("wall", "nanoseconds")], SampleKind::Wall),
        (&[("samples", "count"), ("off-cpu", "nanoseconds")], SampleKind::OffCpu),
        (&[("contentions", "count"), ("delay", "nanoseconds")], SampleKind::OffCpu),
    ] {
        let mut file = File::with_types(types);
        file.add_sample(&[1], &[3, 500]);
        assert_eq!(weights(&profile(&file)), [(kind, 3, 500)], "{types:?}");
    }
}

#[test]
fn units_are_converted_and_the_period_gives_what_is_missing() {
    let mut file = File::with_types(&[("cpu", "milliseconds")]);
    file.add_sample(&[1], &[25]);
    assert_eq!(weights(&profile(&file)), [(SampleKind::Cpu, 1, 25_000_000)]);
    file.period_type = Some(ValueType { r#type: file.text("cpu"), unit: file.text("milliseconds") });
    file.period = 10;
    assert_eq!(weights(&profile(&file)), [(SampleKind::Cpu, 3, 25_000_000)]);

    let mut file = File::with_types(&[("samples", "count")]);
    file.add_sample(&[1], &[4]);
    assert_eq!(weights(&profile(&file)), [(SampleKind::Cpu, 4, 0)]);
    file.period_type = Some(ValueType { r#type: file.text("cpu"), unit: file.text("nanoseconds") });
    file.period = 1000;
    assert_eq!(weights(&profile(&file)), [(SampleKind::Cpu, 4, 4000)]);
}

#[test]
fn a_sample_type_without_a_place_is_named() {
    let mut file = File::with_types(&[("samples", "count"), ("cpu", "nanoseconds"), ("exceptions", "count")]);
    file.add_sample(&[1], &[1, 10, 7]);
    let profile_of_known = profile(&file);
    assert_eq!(weights(&profile_of_known), [(SampleKind::Cpu, 1, 10)]);
    assert_eq!(codes(&profile_of_known), [("sample_type_left_out", None)]);
    assert!(profile_of_known.warnings[0].message.contains("\"exceptions\" (count)"));

    let mut file = File::with_types(&[("exceptions", "count"), ("waits", "seconds")]);
    file.add_sample(&[1], &[3, 2]);
    let guessed = profile(&file);
    assert_eq!(weights(&guessed), [(SampleKind::Wall, 1, 2_000_000_000)]);
    assert_eq!(codes(&guessed), [("sample_type_guessed", None), ("sample_type_left_out", None)]);
    file.default_sample_type = file.text("exceptions");
    assert_eq!(weights(&profile(&file)), [(SampleKind::Wall, 3, 0)]);
}

#[test]
fn labels_that_tell_the_thread_become_threads_and_numbers_keep_their_unit() {
    let mut file = File::with_types(&[("cpu", "nanoseconds")]);
    let key = |file: &mut File, key: &str| Label { key: file.text(key), ..Label::default() };
    let texts = [("thread_name", "worker"), ("request", "chat"), ("thread id", "77")];
    let mut labels: Vec<Label> = Vec::new();
    for (name, value) in texts {
        labels.push(Label { str: file.text(value), ..key(&mut file, name) });
    }
    labels.push(Label { num: 1234, ..key(&mut file, "pid") });
    labels.push(Label { num: 512, num_unit: file.text("bytes"), ..key(&mut file, "size") });
    labels.push(Label { num: -1, ..key(&mut file, "rank") });
    file.add_sample(&[1], &[5]).label = labels;
    let profile = profile(&file);
    let (row, _) = profile.samples.iter().next().unwrap();
    let thread = profile.threads.get(row.thread);
    assert_eq!((thread.pid, thread.tid, profile.strings.get(thread.name)), (1234, 77, "worker"));
    let text = |id: &StringId| profile.strings.get(*id);
    let mut set: Vec<_> =
        profile.labels.get(row.labels).iter().map(|(key, value)| (text(key), text(value))).collect();
    set.sort_unstable();
    assert_eq!(set, [("rank", "-1"), ("request", "chat"), ("size", "512 bytes")]);
}

#[test]
fn places_without_symbols_are_named_by_their_address() {
    let mut file = File::with_types(&[("cpu", "nanoseconds")]);
    let filename = file.text("[kernel.kallsyms]");
    let build_id = file.text("beef");
    file.mapping.push(Mapping { id: 9, filename, build_id, ..Mapping::default() });
    file.location.push(Location { id: 1 << 60, mapping_id: 9, address: 0xffff_0010, ..Location::default() });
    file.add_sample(&[1 << 60, 1], &[5]);
    let profile = profile(&file);
    let (row, _) = profile.samples.iter().next().unwrap();
    assert_eq!(profile.path_names(row.stack), ["main", "0xffff0010"]);
    let leaf = profile.frames.get(profile.stacks.get(row.stack).frame);
    assert_eq!(
        (leaf.kind, profile.strings.get(leaf.module.unwrap())),
        (FrameKind::Kernel, "[kernel.kallsyms]")
    );
    assert_eq!(profile.runs[0].labels["pprof.build_id.[kernel.kallsyms]"], "beef");
}

#[test]
fn python_is_told_by_its_files_and_a_line_by_its_function() {
    let mut file = File::with_types(&[("cpu", "nanoseconds")]);
    file.add_function(2, "forward");
    (file.function[1].filename, file.function[1].start_line) = (file.text("model.py"), 40);
    file.add_sample(&[2, 1], &[5]);
    let profile = profile(&file);
    let (row, _) = profile.samples.iter().next().unwrap();
    let leaf = profile.frames.get(profile.stacks.get(row.stack).frame);
    assert_eq!((leaf.kind, leaf.line), (FrameKind::Python, Some(40)));
}

#[test]
fn what_is_missing_is_unknown_and_counted() {
    let mut file = File::with_types(&[("cpu", "nanoseconds")]);
    file.location.push(Location {
        id: 2,
        line: vec![Line { function_id: 99, ..Line::default() }],
        ..Default::default()
    });
    file.add_sample(&[0, 1], &[1]);
    file.add_sample(&[7, 1], &[2]);
    file.add_sample(&[7, 0, 1], &[4]);
    file.add_sample(&[2, 1], &[8]);
    file.add_sample(&[], &[16]);
    let profile = profile(&file);
    let mut paths: Vec<_> =
        profile.samples.iter().map(|(key, weight)| (weight.nanos, profile.path_names(key.stack))).collect();
    paths.sort_unstable();
    assert_eq!(paths[0], (4, vec!["main", "(unknown)", "(unknown)"]));
    assert_eq!(paths[1], (11, vec!["main", "(unknown)"]));
    assert_eq!(paths[2], (16, vec!["(unknown)"]));
    assert_eq!(codes(&profile), [("locations_missing", Some(2)), ("stacks_missing", Some(1))]);
}

#[test]
fn values_below_zero_are_left_out_and_counted() {
    let mut file = File::with_types(&[("samples", "count"), ("cpu", "nanoseconds")]);
    file.add_sample(&[1], &[-2, -500]);
    file.add_sample(&[1], &[3, 100]);
    let profile = profile(&file);
    assert_eq!(weights(&profile), [(SampleKind::Cpu, 3, 100)]);
    assert_eq!(codes(&profile), [("negative_values", Some(2))]);
}

#[test]
fn allocations_alone_claim_no_leak_and_holdings_alone_no_frees() {
    let mut file = File::with_types(&[("alloc_space", "bytes")]);
    file.add_sample(&[1], &[100]);
    let allocated = profile(&file);
    assert_eq!(allocated.heap.iter().map(|(_, site)| site.live_bytes()).sum::<u64>(), 0);
    assert_eq!(codes(&allocated), [("heap_live_unknown", None), ("heap_peak_unknown", None)]);

    let mut file = File::with_types(&[("space", "kilobytes")]);
    file.add_sample(&[1], &[100]);
    let held = profile(&file);
    let (_, site) = held.heap.iter().next().unwrap();
    assert_eq!((site.allocated_bytes, site.live_bytes(), site.freed_bytes), (102_400, 102_400, 0));
}

#[test]
fn errors_say_what_was_expected_what_was_found_and_where() {
    let mut file = File::with_types(&[("samples", "count"), ("cpu", "nanoseconds")]);
    file.add_sample(&[1], &[1]);
    let message = error(&file);
    assert!(
        message.contains("a sample of 2 values, one for each sample type, found 1 values, at byte"),
        "{message}"
    );

    let mut file = File::with_types(&[("cpu", "nanoseconds")]);
    file.function[0].name = 1000;
    let message = error(&file);
    assert!(message.contains("the index of one of 4 strings, found index 1000, at byte"), "{message}");
    file.function[0].name = -1;
    assert!(error(&file).contains("found index -1"));

    let message = pprof::read(b"").unwrap_err().to_string();
    assert!(
        message.contains("a sample type that says what the values are, found none in 0 bytes"),
        "{message}"
    );
    let message = pprof::read(b"\x0a\x04\x08\x01\x10\x02\x12\x7f").unwrap_err().to_string();
    assert!(message.contains("a field of 127 bytes, found 0 bytes up to the end"), "{message}");
    let message = pprof::read(b"\x0a\x02\x08\x01\x22\x02\x22\x05").unwrap_err().to_string();
    assert!(message.contains("expected"), "{message}");
}

#[test]
fn text_that_is_no_utf8_is_read_as_far_as_it_goes() {
    let file = File::with_types(&[("cpu", "nanoseconds")]);
    let mut bytes = {
        let mut file = file;
        file.add_sample(&[1], &[5]);
        file.encode_to_vec()
    };
    let at = bytes.windows(4).position(|window| window == b"main").unwrap();
    bytes[at] = 0xff;
    let profile = pprof::read(&bytes).unwrap();
    assert_eq!(profile.path_names(profile.samples.iter().next().unwrap().0.stack), ["\u{fffd}ain"]);
}
