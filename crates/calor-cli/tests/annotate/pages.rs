//! What the command prints: pages that fit the terminal, lines, instructions, loops, and clear words where there are
//! none.

use std::path::Path;
use std::process::Output;

use calor_model::{Frame, FrameKind, LabelTable, Profile, SampleKey, SampleKind, SampleWeight};

use crate::kernels::{calor, fixtures};
use crate::schema_check::problems;

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
    assert_eq!(problems(&schema, &page), Vec::<String>::new());
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
    written(&profile, &folder.join("lines.calor"))
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

/// A profile of two functions called `forward`, one in each of two files.
fn with_namesakes(folder: &Path) -> String {
    let mut profile = Profile::default();
    let (thread, labels) = (profile.intern_thread(1, 1, "main"), LabelTable::none());
    let name = profile.strings.intern("forward");
    for (file, count) in [("/app/nn/linear.py", 30), ("/app/nn/conv.py", 10)] {
        let file = Some(profile.strings.intern(file));
        let frame = Frame { file, line: Some(3), ..Frame::new(name, FrameKind::Python) };
        let frame = profile.frames.intern(frame);
        let stack = profile.stacks.intern(None, frame);
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count, nanos: count });
    }
    written(&profile, &folder.join("namesakes.calor"))
}

#[test]
fn one_of_several_functions_of_a_name_is_chosen_by_its_file() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = with_namesakes(folder.path());
    let both = page(&[&file, "forward"]);
    for expected in ["40 in the function itself", "2 functions of that name", " 75.0 %  /app/nn/linear.py"] {
        assert!(both.contains(expected), "{expected} in {both}");
    }
    let one = page(&[&file, "forward", "--file", "nn/conv.py"]);
    assert!(one.contains("10 in the function itself") && one.contains("1 of 2 functions"), "{one}");
    let found = json(&[&file, "forward", "--file", "conv.py"]);
    assert_eq!(found["function"]["samples"], 10);
    let chosen: Vec<bool> = found["candidates"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|candidate| candidate["chosen"] == true)
        .collect();
    assert_eq!(chosen, [false, true]);
    for wrong in [["--file", "v.py"], ["--module", "torch"]] {
        let message = refusal(&[&[file.as_str(), "forward"][..], &wrong].concat());
        assert!(message.contains("choose another") && message.contains("\n  /app/nn/linear.py"), "{message}");
    }
}

#[test]
fn source_that_changed_since_is_told() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let bytes = std::fs::read(with_lines(FrameKind::Python, folder.path())).expect("it was written");
    let mut profile = calor_formats::native::read(bytes.as_slice()).expect("it is a profile");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("it is after 1970");
    const HOUR: u64 = 3_600_000_000_000;
    for (started, is_newer) in [(-1, true), (1, false)] {
        let started_at_unix_nanos = (now.as_nanos() as u64).saturating_add_signed(started * HOUR as i64);
        profile.runs = vec![calor_model::Run { started_at_unix_nanos, ..Default::default() }];
        let file = written(&profile, &folder.path().join("dated.calor"));
        let text = page(&[&file, "step"]);
        assert_eq!(text.contains("train.py changed after the recording began"), is_newer, "{text}");
        let warnings = json(&[&file, "step"])["warnings"].to_string();
        assert_eq!(warnings.contains("source_changed"), is_newer, "{warnings}");
    }
}

#[test]
fn a_page_can_go_to_a_file_and_nothing_is_not_asked_for() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path().join("step.txt");
    let file = with_lines(FrameKind::Python, folder.path());
    let output = annotate(&[&file, "step", "-o", out.to_str().expect("a temporary path is text")]);
    assert!(output.status.success() && output.stdout.is_empty());
    let written = std::fs::read_to_string(&out).expect("it was written");
    assert_eq!(written, page(&[&file, "step"]));
    assert!(refusal(&[&file, "step", "-o", &file]).contains("the file to write is the one to read"));
    assert!(refusal(&[&file, "step", "--top", "0"]).contains("from 1 on"));
    assert!(refusal(&[&file, ""]).contains("expected the name of a function"));
}

fn written(profile: &Profile, path: &Path) -> String {
    let mut bytes = Vec::new();
    calor_formats::native::write(profile, &mut bytes).expect("memory takes it");
    std::fs::write(path, bytes).expect("it can be written");
    path.to_str().expect("a temporary path is text").to_owned()
}
