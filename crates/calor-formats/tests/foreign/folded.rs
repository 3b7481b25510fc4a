//! Folded stacks.

use calor_formats::{Format, Metric, WriteOptions, read, read_as, write};
use calor_model::{FrameKind, Profile};
use proptest::prelude::*;

use crate::fixtures::fixture;
use crate::generated::profiles;
use crate::told::{values, warnings};

fn read_text(text: &str) -> Profile {
    read_as(text.as_bytes(), Format::Folded).unwrap()
}

fn written(profile: &Profile, metric: Option<Metric>) -> String {
    let mut out = Vec::new();
    let mut options = WriteOptions::default();
    options.metric = metric;
    write(profile, Format::Folded, &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn weights_are_read_in_all_the_ways_that_tools_write_them() {
    let profile = read_text(
        "# a comment\nmain;work 12\r\nmain 3\n\nmain;work 8\nmain;a b c 5\nmain;idle\nx\t7\nmain;half 0.5\n\
         main;half 0.5\nmain;much 1e3\nmain;bad -4\nmain;bad NaN\n",
    );
    let expected = [
        ("main", 3),
        ("main;a b c", 5),
        ("main;half", 1),
        ("main;idle", 1),
        ("main;much", 1000),
        ("main;work", 20),
        ("x", 7),
    ];
    let expected = expected.map(|(path, value)| (path.to_owned(), value)).into();
    assert_eq!(values(&profile, Metric::Cpu), expected);
    let expected = [("unit_unknown", None), ("weight_left_out", Some(2)), ("weight_missing", Some(1))];
    assert_eq!(warnings(&profile), expected);
}

#[test]
fn text_that_is_not_utf8_is_repaired_and_said_to_be() {
    let profile = read(b"main;gr\xf6\xdfe 4\nmain;b 2\n").unwrap();
    assert_eq!(values(&profile, Metric::Cpu)["main;gr\u{fffd}\u{fffd}e"], 4);
    assert_eq!(warnings(&profile)[0].0, "text_repaired");
}

#[test]
fn python_frames_of_py_spy_have_file_and_line() {
    let profile = read(fixture(Format::Folded, "py-spy")).unwrap();
    let layer = profile.strings.find("layer").unwrap();
    let frame = profile.frames.iter().map(|(_, frame)| frame).find(|frame| frame.name == layer).unwrap();
    assert_eq!((frame.kind, frame.line), (FrameKind::Python, Some(5)));
    assert_eq!(profile.strings.get(frame.file.unwrap()), "model.py");
}

#[test]
fn kernel_and_inlined_frames_are_told_by_their_annotations() {
    let profile = read(fixture(Format::Folded, "perf")).unwrap();
    let frame = |name: &str| {
        let name = profile.strings.find(name).unwrap();
        profile.frames.iter().map(|(_, frame)| frame).find(|frame| frame.name == name).unwrap()
    };
    assert_eq!(frame("do_syscall_64").kind, FrameKind::Kernel);
    assert!(frame("leaf").is_inlined);
    assert_eq!(frame("[unknown]").kind, FrameKind::Native);
}

#[test]
fn what_was_read_is_written_as_it_was() {
    for name in ["py-spy", "perf"] {
        let text = String::from_utf8(fixture(Format::Folded, name).to_vec()).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        let again = written(&read_text(&text), None);
        let mut found: Vec<&str> = again.lines().collect();
        lines.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, lines, "{name}");
    }
}

#[test]
fn a_metric_that_the_profile_lacks_is_refused() {
    let options = WriteOptions::with_metric(Metric::Gpu);
    let error = write(&read_text("a 1"), Format::Folded, &options, Vec::new()).unwrap_err().to_string();
    assert!(error.contains("no gpu: it holds cpu"), "{error}");
}

proptest! {
    #[test]
    fn names_and_values_come_back_whatever_they_are(
        paths in proptest::collection::vec(
            (proptest::collection::vec("[ -~\n\r;\\\\#äß]{0,12}", 1..5), 1..1_000_000_u64), 1..20),
    ) {
        let mut text = String::new();
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 2, "t");
        for (path, value) in &paths {
            let names: Vec<&str> = path.iter().map(String::as_str).collect();
            let stack = profile.intern_named_path(&names, FrameKind::Native).unwrap();
            let key = calor_model::SampleKey {
                kind: calor_model::SampleKind::Cpu,
                stack,
                thread,
                labels: calor_model::LabelTable::none(),
                at_nanos: None,
            };
            profile.samples.add(key, calor_model::SampleWeight { count: 1, nanos: *value });
        }
        text.push_str(&written(&profile, None));
        let again = read_text(&text);
        prop_assert_eq!(values(&again, Metric::Cpu), values(&profile, Metric::Cpu));
        prop_assert_eq!(written(&again, None), text);
    }

    #[test]
    fn every_metric_of_any_profile_comes_back_with_its_values(profile in profiles()) {
        for metric in Metric::available(&profile) {
            let text = written(&profile, Some(metric));
            if text.is_empty() {
                continue;
            }
            let again = read_text(&text);
            // What adds up to more than can be counted is cut: see `extremes`.
            if !warnings(&again).iter().any(|(code, _)| *code == "values_too_large") {
                prop_assert_eq!(written(&again, None), text);
            }
        }
    }
}
