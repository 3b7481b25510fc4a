//! Traces that independent tools wrote; how each was made is told beside them.

use calor_formats::Format;
use calor_model::{FrameKind, Profile, Recorder};

use crate::told::{counters, marks, read, scopes, spans, warnings};

pub(crate) const VIZTRACER: &[u8] = include_bytes!("../../../../tests/fixtures/chrome/viztracer.json");
pub(crate) const TRACING_CHROME: &[u8] =
    include_bytes!("../../../../tests/fixtures/chrome/tracing-chrome.json");
pub(crate) const KILLED: &[u8] = include_bytes!("../../../../tests/fixtures/chrome/killed.json");

pub(crate) const KINETO: &[u8] = include_bytes!("../../../../tests/fixtures/chrome/kineto.json");

/// Calls and total of the scope at the end of a path.
fn calls(profile: &Profile, thread: &str, path: &[&str]) -> Option<u64> {
    let name = |thread| profile.strings.get(profile.threads.get(thread).name);
    let found = profile
        .scopes
        .iter()
        .find(|(key, _)| name(key.thread) == thread && profile.path_names(key.stack).ends_with(path));
    found.map(|(_, stats)| stats.calls)
}

#[test]
fn every_fixture_is_found_out_by_its_content_compressed_or_not() {
    use std::io::Write;
    for bytes in [VIZTRACER, TRACING_CHROME, KILLED, KINETO] {
        assert_eq!(Format::detect(bytes), Some(Format::Chrome));
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(bytes).unwrap();
        let compressed = gzip.finish().unwrap();
        assert_eq!(Format::detect(&compressed), Some(Format::Chrome));
        assert_eq!(spans(&calor_formats::read(&compressed).unwrap()), spans(&read(bytes)));
    }
}

#[test]
fn what_viztracer_wrote_is_a_call_tree_of_python_functions() {
    let profile = read(VIZTRACER);
    assert_eq!(warnings(&profile), [""; 0]);
    assert_eq!(profile.timeline.n_spans(), 86);
    assert_eq!(calls(&profile, "worker", &["forward", "forward.<locals>.<listcomp>", "attention"]), Some(2));
    assert_eq!(
        calls(&profile, "MainThread", &["forward", "forward.<locals>.<listcomp>", "attention"]),
        Some(2)
    );
    // Six steps of the generator for five numbers.
    assert_eq!(
        calls(&profile, "worker", &["attention", "builtins.sum", "attention.<locals>.<genexpr>"]),
        Some(12)
    );
    let attention = profile.strings.find("attention").unwrap();
    let (_, frame) = profile.frames.iter().find(|(_, frame)| frame.name == attention).unwrap();
    assert_eq!(frame.kind, FrameKind::Python);
    assert_eq!(
        (frame.file.map(|file| profile.strings.get(file)), frame.line),
        (Some("/srv/inference.py"), Some(5))
    );
    assert_eq!(counters(&profile).len(), 1);
    assert!(counters(&profile)[0].starts_with("queue [] "), "{:?}", counters(&profile));
    assert!(marks(&profile)[0].contains("cache miss"), "{:?}", marks(&profile));
    assert!(marks(&profile)[0].ends_with("layers=[0, 1]"), "{:?}", marks(&profile));
    let run = &profile.runs[0];
    assert_eq!(run.recorders, [Recorder::Scopes, Recorder::Counters].into());
    assert_eq!(run.command.as_deref(), Some("MainProcess"));
    assert!(run.started_at_unix_nanos > 1_790_000_000_000_000_000, "{}", run.started_at_unix_nanos);
}

#[test]
fn self_times_of_what_viztracer_wrote_add_up_to_the_roots() {
    let profile = read(VIZTRACER);
    let of_roots: u64 = profile
        .scopes
        .iter()
        .filter(|(key, _)| profile.stacks.get(key.stack).parent.is_none())
        .map(|(_, stats)| stats.total_nanos)
        .sum();
    assert_eq!(profile.scope_self_nanos().iter().sum::<u64>(), of_roots);
}

#[test]
fn what_tracing_chrome_wrote_keeps_threads_and_places_in_the_source() {
    let profile = read(TRACING_CHROME);
    assert_eq!(warnings(&profile), [""; 0]);
    assert_eq!(calls(&profile, "main", &["forward"]), Some(1));
    assert_eq!(calls(&profile, "main", &["forward", "attention"]), Some(3));
    assert_eq!(calls(&profile, "worker", &["forward", "attention"]), Some(6));
    let forward = profile.strings.find("forward").unwrap();
    let (_, frame) = profile.frames.iter().find(|(_, frame)| frame.name == forward).unwrap();
    assert_eq!(
        (frame.file.map(|file| profile.strings.get(file)), frame.line),
        (Some("src/main.rs"), Some(14))
    );
    assert_eq!(profile.timeline.n_marks(), 9);
    assert!(marks(&profile)[0].ends_with("message=cache miss tokens=3"), "{:?}", marks(&profile));
    assert_eq!(scopes(&profile).len(), 4);
}

#[test]
fn what_a_killed_program_left_is_read_up_to_its_last_event() {
    let profile = read(KILLED);
    assert_eq!(warnings(&profile), ["scopes_unclosed 1", "trace_cut_off"]);
    assert_eq!(calls(&profile, "main", &["request", "forward", "attention"]), Some(3));
    assert_eq!(calls(&profile, "main", &["request"]), Some(1));
    assert_eq!(calls(&profile, "worker", &["forward", "attention"]), Some(6));
}

#[test]
fn the_span_that_pytorch_writes_for_its_whole_recording_is_no_work_of_a_thread() {
    let profile = read(KINETO);
    assert_eq!(warnings(&profile), [""; 0]);
    let python = "thread 4100 (python)";
    assert_eq!(
        scopes(&profile),
        [
            format!("{python}: ProfilerStep 1 800000 800000 800000"),
            format!("{python}: ProfilerStep;aten::linear 1 600000 600000 600000"),
            format!("{python}: ProfilerStep;aten::linear;aten::addmm 1 500000 500000 500000"),
        ]
    );
    assert_eq!(spans(&profile).len(), 3);
    assert_eq!(profile.duration_nanos(), 1_000_000, "it still tells how long the recording was");
}
