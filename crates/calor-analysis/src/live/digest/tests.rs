//! What a part becomes: recursion, calls, lines, waits and the interpreter's lock.

use calor_model::{Frame, LabelTable, SampleWeight};

use super::*;

/// A part made of paths such as `main > py:step@7 > gemm@libblas.so`, outermost first.
fn part(rows: &[(&str, SampleKind, u64)]) -> Profile {
    let mut part = Profile::default();
    let thread = part.intern_thread(9, 10, "worker");
    for (path, kind, nanos) in rows {
        let mut stack = None;
        for word in path.split(" > ") {
            let (name, place) = word.split_once('@').unwrap_or((word, "app"));
            let frame = match name.strip_prefix("py:") {
                Some(name) => {
                    let [name, file] = [name, "/src/train.py"].map(|text| part.strings.intern(text));
                    let line = place.parse().ok();
                    Frame { file: Some(file), line, ..Frame::new(name, FrameKind::Python) }
                }
                None => {
                    let [name, module] = [name, place].map(|text| part.strings.intern(text));
                    Frame { module: Some(module), ..Frame::new(name, FrameKind::Native) }
                }
            };
            let frame = part.frames.intern(frame);
            stack = Some(part.stacks.intern(stack, frame));
        }
        let stack = stack.expect("a path has frames");
        let key = SampleKey { kind: *kind, stack, thread, labels: LabelTable::none(), at_nanos: None };
        part.samples.add(key, SampleWeight { count: 1, nanos: *nanos });
    }
    part
}

fn digest(rows: &[(&str, SampleKind, u64)]) -> LivePart {
    LivePart::of(&part(rows), &mut LiveNames::default())
}

fn time(digest: &LivePart, name: &str) -> (u64, u64) {
    let found = digest.functions.iter().find(|(function, _)| function.name == name);
    found.map_or((0, 0), |(_, time)| (time.own, time.total))
}

#[test]
fn a_function_inside_itself_counts_once() {
    let digest = digest(&[
        ("main > walk > walk > leaf", SampleKind::Cpu, 30),
        ("main > walk > walk", SampleKind::Cpu, 5),
        ("main > leaf", SampleKind::Cpu, 1),
    ]);
    assert_eq!(time(&digest, "main"), (0, 36));
    assert_eq!(time(&digest, "walk"), (5, 35));
    assert_eq!(time(&digest, "leaf"), (31, 31));
    assert_eq!((digest.cpu_nanos, digest.n_samples), (36, 3));
}

#[test]
fn calls_are_told_by_both_ends_and_a_repeated_one_counts_once() {
    let digest = digest(&[
        ("main > walk > walk > walk > leaf", SampleKind::Cpu, 30),
        ("main > leaf", SampleKind::Cpu, 1),
    ]);
    let mut calls: Vec<(&str, &str, u64)> = digest
        .calls
        .iter()
        .map(|((from, to), nanos)| (from.as_ref().map_or("", |from| &from.name), to.name.as_str(), *nanos))
        .collect();
    calls.sort_unstable();
    let expected = [
        ("", "main", 31),
        ("main", "leaf", 1),
        ("main", "walk", 30),
        ("walk", "leaf", 30),
        ("walk", "walk", 30),
    ];
    assert_eq!(calls, expected);
}

#[test]
fn a_python_line_has_the_compiled_code_that_it_called_as_its_own() {
    let digest = digest(&[
        ("py:main@3 > py:step@7 > gemm@libblas.so", SampleKind::Cpu, 40),
        ("py:main@3 > py:step@7 > long_add@python3.11", SampleKind::Cpu, 2),
        ("py:main@3 > py:step@8", SampleKind::Cpu, 1),
    ]);
    let mut lines: Vec<_> =
        digest.lines.iter().map(|(line, time)| (line.number, time.own, time.total, time.native)).collect();
    lines.sort_unstable();
    assert_eq!(lines, [(3, 0, 43, 0), (7, 42, 42, 40), (8, 1, 1, 0)]);
}

#[test]
fn waiting_is_kept_apart_from_running() {
    let digest = digest(&[
        ("main > take > pthread_mutex_lock@libc.so.6", SampleKind::OffCpu, 70),
        ("main > take", SampleKind::Cpu, 4),
    ]);
    assert_eq!((digest.cpu_nanos, time(&digest, "take")), (4, (4, 4)));
    let [(place, wait)] = &digest.waits[..] else { panic!("one place") };
    assert_eq!((place.function.name.as_str(), place.reason), ("take", WaitReason::Lock));
    assert_eq!((wait.nanos, wait.count), (70, 1));
    let [(thread, time)] = &digest.threads[..] else { panic!("one thread") };
    assert_eq!((thread.tid, time.running, time.waiting), (10, 4, 70));
}

#[test]
fn what_samples_say_of_the_interpreters_lock_is_added_up_by_thread() {
    let mut part = part(&[("py:main@3", SampleKind::Cpu, 5)]);
    let [key, held, waiting] = ["gil", "held", "waiting"].map(|text| part.strings.intern(text));
    let (sample, weight) = part.samples.iter().next().expect("there is one");
    for value in [held, waiting] {
        let labels = part.labels.intern(&[(key, value)]);
        part.samples.add(SampleKey { labels, ..sample }, weight);
    }
    let digest = LivePart::of(&part, &mut LiveNames::default());
    let time = digest.threads[0].1;
    assert_eq!((time.running, time.gil_held), (15, 5));
}
