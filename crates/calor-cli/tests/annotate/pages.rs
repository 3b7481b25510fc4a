//! What the command prints: pages that fit the terminal, lines, instructions, loops, and clear words where there are
//! none.

use std::path::Path;
use std::process::Output;

use calor_model::{Frame, FrameKind, LabelTable, Profile, SampleKey, SampleKind, SampleWeight};

use crate::kernels::{calor, fixtures};

fn annotate(arguments: &[&str]) -> Output {
    calor(&fixtures(), &[&["annotate"], arguments].concat())
}

fn page(arguments: &[&str]) -> String {
    let output = annotate(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it is UTF-8")
}

fn refusal(arguments: &[&str]) -> String {
    let output = annotate(arguments);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    String::from_utf8(output.stderr).expect("it is UTF-8")
}

fn json(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&page(&[arguments, &["--format", "json"]].concat())).expect("it is JSON")
}

#[test]
fn a_page_has_the_class_the_hottest_lines_and_the_instructions_of_the_loop() {
    let text = page(&["kernels.calor", "dot_fma_avx2"]);
    for expected in ["AVX2 (256 bits), with FMA", "Hottest lines", "avx2.c", "Hottest instructions", "┌", "└"]
    {
        assert!(text.contains(expected), "{expected} in\n{text}");
    }
    let hot = text.lines().filter(|line| line.contains('│') && line.contains("vfmadd231ps"));
    assert_eq!(hot.count(), 1, "{text}");
    let lines = page(&["kernels.calor", "dot_fma_avx2", "--lines"]);
    assert!(lines.contains("Hottest lines") && !lines.contains("Hottest instructions"), "{lines}");
    let instructions = page(&["kernels.calor", "dot_fma_avx2", "--instructions"]);
    assert!(!instructions.contains("Hottest lines") && instructions.contains("vfmadd231ps"));
}

#[test]
fn every_page_fits_eighty_columns() {
    for (name, ..) in crate::kernels::EXPECTED {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_calor"));
        command.args(["annotate", "kernels.calor", name]).current_dir(fixtures()).env("COLUMNS", "80");
        let output = command.output().expect("it can be started");
        let text = String::from_utf8(output.stdout).expect("it is UTF-8");
        assert!(text.lines().count() > 10, "{name}: {text}");
        let widest = text.lines().max_by_key(|line| line.chars().count()).unwrap_or_default();
        assert!(widest.chars().count() <= 80, "{name}: {widest}");
    }
}

#[test]
fn samples_of_instructions_add_up_to_those_of_the_function() {
    let page = json(&["kernels.calor", "state_machine", "--top", "1000"]);
    let code = &page["code"][0];
    let counts = code["instructions"].as_array().expect("there are some").iter();
    let sum: u64 = counts.map(|it| it["samples"].as_u64().expect("a count")).sum();
    assert_eq!(Some(sum), code["samples"].as_u64());
    assert_eq!(page["function"]["simd"]["class"], "integer");
    assert!(
        page["function"]["samples"].as_u64() >= Some(sum),
        "those in the kernel have no instruction here"
    );
}

#[test]
fn a_function_that_was_inlined_is_shown_inside_the_one_it_is_in() {
    let page = json(&["kernels.calor", "_mm256_maddubs_epi16"]);
    assert_eq!(page["code"][0]["function"], "bytes_dot_avx2");
}

#[test]
fn a_name_may_be_cut_as_long_as_it_is_clear() {
    assert_eq!(json(&["kernels.calor", "int_hash"])["function"]["name"], "rust::int_hash");
    assert_eq!(json(&["kernels.calor", "saxpy"])["function"]["name"], "rust::saxpy_auto");
    let several = refusal(&["kernels.calor", "_avx512"]);
    assert!(several.contains("functions fit `_avx512`") && several.contains("\n  axpy_avx512"), "{several}");
    let none = refusal(&["kernels.calor", "no such thing"]);
    assert!(
        none.contains("no function with samples is called `no such thing`; the hottest are\n  "),
        "{none}"
    );
}

#[test]
fn what_is_printed_is_as_its_schema_says() {
    let schema = calor(&fixtures(), &["schema", "annotate/1"]);
    let schema: serde_json::Value = serde_json::from_slice(&schema.stdout).expect("it is JSON");
    let page = json(&["kernels.calor", "horner"]);
    for object in [(&schema, &page), (&schema["properties"]["function"], &page["function"])] {
        for name in object.0["required"].as_array().expect("there are some") {
            let name = name.as_str().expect("it is a name");
            assert!(object.1.get(name).is_some(), "{name} is missing");
        }
        for name in object.1.as_object().expect("it is an object").keys() {
            assert!(object.0["properties"].get(name).is_some(), "{name} is not in the schema");
        }
    }
    assert_eq!(page["schema"], "calor/annotate/1");
}

/// A profile with lines alone, as other tools and Python give it.
fn with_lines(kind: FrameKind, folder: &Path) -> String {
    let mut profile = Profile::default();
    let (thread, labels) = (profile.intern_thread(1, 1, "main"), LabelTable::none());
    let name = profile.strings.intern("train.step");
    let source = folder.join("train.py");
    std::fs::write(&source, "import math\n\ndef step():\n    return math.sqrt(2)\n")
        .expect("it can be written");
    let file = Some(profile.strings.intern(source.to_str().expect("a temporary path is text")));
    for (line, count) in [(4, 30), (3, 10)] {
        let frame = profile.frames.intern(Frame { file, line: Some(line), ..Frame::new(name, kind) });
        let stack = profile.stacks.intern(None, frame);
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count, nanos: count });
    }
    let mut bytes = Vec::new();
    calor_formats::native::write(&profile, &mut bytes).expect("it can be written");
    let path = folder.join("lines.calor");
    std::fs::write(&path, bytes).expect("it can be written");
    path.to_str().expect("a temporary path is text").to_owned()
}

#[test]
fn lines_of_python_are_shown_with_their_text() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = with_lines(FrameKind::Python, folder.path());
    let text = page(&[&file, "step"]);
    assert!(text.contains("75.0 %  75.0 %     4  return math.sqrt(2)"), "{text}");
    assert!(!text.contains("No instructions"), "{text}");
    let text = page(&[&file, "step", "--instructions"]);
    assert!(text.contains("a Python function has no machine code of its own"), "{text}");
}

#[test]
fn a_profile_without_code_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let text = page(&[&with_lines(FrameKind::Native, folder.path()), "train.step"]);
    assert!(text.contains("the profile has no machine code: `calor record` keeps"), "{text}");
    assert!(text.contains("75.0 %"), "lines are there all the same: {text}");
}
