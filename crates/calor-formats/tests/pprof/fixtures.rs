//! Files that Go's own profilers wrote. The figures are those that `go tool pprof -raw` and `-top` show.

use calor_formats::{Format, Metric, pprof, read, weights};
use calor_model::*;

use crate::message::unpacked;
use crate::round_trip::{text_of, written};

pub(crate) const CPU: &[u8] = include_bytes!("../../../../tests/fixtures/pprof/cpu.pb.gz");
pub(crate) const HEAP: &[u8] = include_bytes!("../../../../tests/fixtures/pprof/heap.pb.gz");
pub(crate) const MUTEX: &[u8] = include_bytes!("../../../../tests/fixtures/pprof/mutex.pb.gz");
pub(crate) const GOROUTINE: &[u8] = include_bytes!("../../../../tests/fixtures/pprof/goroutine.pb.gz");
pub(crate) const ALL: [&[u8]; 4] = [CPU, HEAP, MUTEX, GOROUTINE];

#[test]
fn time_on_the_cpu_is_read_with_labels_lines_and_inlining() {
    let profile = read(CPU).unwrap();
    assert!(profile.warnings.is_empty(), "{:?}", profile.warnings);
    let of_request = |request: &str| {
        let is_of = |labels| {
            let set = profile.labels.get(labels).iter();
            set.map(|(key, value)| (profile.strings.get(*key), profile.strings.get(*value)))
                .eq([("request", request)])
        };
        let rows = profile.samples.iter().filter(|(key, _)| key.kind == SampleKind::Cpu && is_of(key.labels));
        rows.fold((0, 0), |sum, (_, weight)| (sum.0 + weight.count, sum.1 + weight.nanos))
    };
    assert_eq!((of_request("chat"), of_request("embed")), ((21, 210_000_000), (20, 200_000_000)));

    let (key, _) = profile.samples.iter().find(|(_, weight)| weight.count == 18).unwrap();
    let text = |id: Option<StringId>| profile.strings.get(id.unwrap());
    let path: Vec<String> = profile
        .stacks
        .path(key.stack)
        .into_iter()
        .map(|frame| profile.frames.get(frame))
        .map(|frame| {
            assert_eq!((text(frame.module), frame.kind), ("/tmp/opt/waits", FrameKind::Native));
            let (name, file) = (profile.strings.get(frame.name), text(frame.file));
            format!("{name} {file}:{}{}", frame.line.unwrap(), if frame.is_inlined { " inlined" } else { "" })
        })
        .collect();
    assert_eq!(
        path,
        [
            "runtime.main runtime/proc.go:250",
            "main.main waits/main.go:71",
            "runtime/pprof.Do runtime/pprof/runtime.go:40",
            "main.main.func1 waits/main.go:72",
            "main.attention waits/main.go:31",
            "main.dot waits/main.go:22 inlined",
        ]
    );
    let run = &profile.runs[0];
    assert_eq!(run.labels["pprof.period"], "10000000 nanoseconds cpu");
    assert_eq!(
        (run.duration_nanos / 10_000, run.started_at_unix_nanos / 1_000_000_000),
        (91_679, 1_794_757_479)
    );
    assert_eq!(run.recorders, [Recorder::Cpu].into());
}

#[test]
fn allocations_are_read_with_what_is_left_of_them() {
    let profile = read(HEAP).unwrap();
    let sums = profile.heap.iter().fold(HeapSite::default(), |mut sum, (_, site)| {
        sum.add(site);
        sum
    });
    assert_eq!((sums.allocated_bytes, sums.allocated_count), (3_383_945, 258));
    assert_eq!((sums.live_bytes(), sums.live_count()), (440_119, 63));
    let summary = profile.heap.summary.unwrap();
    assert_eq!((summary.mode, summary.peak_bytes), (HeapMode::Sampled, 440_119));
    let codes: Vec<&str> = profile.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(codes, ["heap_peak_unknown"]);
    let labels = profile.labels.iter().flat_map(|(_, set)| set);
    assert!(labels.map(|(_, value)| profile.strings.get(*value)).any(|value| value == "8192"));
}

#[test]
fn waiting_is_read_as_time_off_the_cpu_and_goroutines_as_samples() {
    let profile = read(MUTEX).unwrap();
    let rows: Vec<_> = profile.samples.iter().map(|(key, weight)| (key.kind, weight)).collect();
    assert_eq!(rows, [(SampleKind::OffCpu, SampleWeight { count: 3, nanos: 15_919_598 })]);
    let (key, _) = profile.samples.iter().next().unwrap();
    assert_eq!(profile.path_names(key.stack), ["main.wait", "sync.(*Mutex).Unlock"]);
    let rows: Vec<_> =
        read(GOROUTINE).unwrap().samples.iter().map(|(key, weight)| (key.kind, weight)).collect();
    assert_eq!(rows, [(SampleKind::Wall, SampleWeight { count: 1, nanos: 0 })]);
}

#[test]
fn a_file_is_told_with_and_without_gzip_and_reads_the_same() {
    for packed in ALL {
        let bare = unpacked(packed);
        assert_eq!(Format::detect(packed), Some(Format::Pprof));
        assert_eq!(Format::detect(&bare), Some(Format::Pprof));
        assert_eq!(text_of(&pprof::read(packed).unwrap()), text_of(&read(&bare).unwrap()));
    }
}

#[test]
fn files_of_others_survive_a_round_trip() {
    for bytes in ALL {
        let profile = read(bytes).unwrap();
        let mut again = read(&written(&profile)).unwrap();
        assert_eq!(text_of(&again), text_of(&profile));
        // We say which one to show also where the tool left that to the reader.
        let shown = again.runs[0].labels.remove("pprof.default_sample_type");
        assert!(shown.is_some_and(|shown| !shown.is_empty()));
        let mut profile = profile;
        profile.runs[0].labels.remove("pprof.default_sample_type");
        assert_eq!(again.runs[0].labels, profile.runs[0].labels);
        for metric in Metric::available(&profile) {
            assert_eq!(weights(&again, metric).total(), weights(&profile, metric).total());
        }
    }
}
