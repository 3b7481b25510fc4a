use calor_model::{
    CodeKey, Filter, FrameKind, FunctionCode, FunctionMode, GpuScopeKey, GpuWork, HeapBlocks, HeapSnapshot,
    KernelKey, LabelTable, Profile, SampleKey, SampleKind, SampleWeight, Span,
};
use proptest::prelude::*;

use crate::content::{content, sample_lines, samples, scope_lines, scopes, totals};
use crate::generated::profile;

fn codes(profile: &Profile) -> Vec<&str> {
    profile.warnings.iter().map(|warning| warning.code.as_str()).collect()
}

fn with_spans(rows: &[(&str, u64, u64)]) -> Profile {
    let mut profile = scopes(&rows.iter().map(|&(path, _, nanos)| (path, 1, nanos)).collect::<Vec<_>>());
    let thread = profile.intern_thread(1, 1, "main");
    for &(path, start_nanos, duration_nanos) in rows {
        let stack = profile
            .intern_named_path(&path.split(';').collect::<Vec<_>>(), FrameKind::Scope)
            .expect("a path has frames");
        profile.timeline.track_mut(thread).spans.push(Span { start_nanos, duration_nanos, stack });
    }
    profile
}

#[test]
fn scope_statistics_of_a_time_range_come_from_the_timeline() {
    let profile = with_spans(&[("main", 0, 100), ("main;early", 10, 20), ("main;late", 50, 30)]);
    let kept = profile.filter(&Filter::new().time_range(40..70));
    assert_eq!(scope_lines(&kept), ["main 1 30", "main;late 1 20"]);
    assert_eq!(codes(&kept), ["scopes_from_timeline", "spans_cut"]);
}

#[test]
fn scope_statistics_without_a_timeline_say_that_they_cover_the_whole_run() {
    let kept = scopes(&[("main", 1, 100)]).filter(&Filter::new().time_range(0..10));
    assert_eq!(scope_lines(&kept), ["main 1 100"]);
    assert_eq!(codes(&kept), ["scopes_of_whole_run"]);
}

#[test]
fn code_goes_along_and_says_that_it_covers_the_whole_run() {
    let mut profile = samples(&[("main;f", 3), ("main;g", 2)]);
    let name = profile.strings.intern("f");
    let key = CodeKey { name, module: None, build: name, start: 16 };
    let code = FunctionCode { counts: [(0, 3)].into(), ..FunctionCode::default() };
    profile.code.add(key, code, &profile.strings);
    let of_function = profile.filter(&Filter::new().function("f", FunctionMode::WholeStack));
    assert_eq!((of_function.code.len(), codes(&of_function)), (1, vec![]));
    let of_thread = profile.filter(&Filter::new().thread_tid(1));
    assert_eq!((of_thread.code.len(), codes(&of_thread)), (1, vec!["code_of_whole_run"]));
}

#[test]
fn what_scopes_had_gpus_do_follows_labels_and_kernels_do_not() {
    let mut profile = Profile::default();
    let name = profile.strings.intern("gemm");
    let stack = profile.intern_named_path(&["main", "step"], FrameKind::Scope);
    let durations = calor_model::DurationStats::default();
    profile.gpu.add_kernel(KernelKey { name, device: 0, launched_from: stack }, &durations);
    for (rank, nanos) in [("0", 10), ("1", 20)] {
        let label = ["rank", rank].map(|text| profile.strings.intern(text));
        let labels = profile.labels.intern(&[(label[0], label[1])]);
        let key = GpuScopeKey { stack: stack.expect("a path"), labels };
        profile.gpu.add_scope(key, GpuWork { count: 1, nanos });
    }
    let told = |filter: &Filter| {
        let kept = profile.filter(filter);
        let nanos: Vec<u64> = kept.gpu.scopes.values().map(|work| work.nanos).collect();
        (kept.gpu.kernels.len(), nanos, codes(&kept).join(" "))
    };
    let of_rank = Filter::new().label("rank", "1");
    assert_eq!(told(&of_rank), (0, vec![20], "gpu_left_out".to_owned()));
    assert_eq!(told(&of_rank.time_range(0..9)).2, "gpu_left_out gpu_of_whole_run");
    assert_eq!(told(&Filter::new().thread_tid(1)), (0, vec![], "gpu_left_out".to_owned()));
    assert_eq!(told(&Filter::new()), (1, vec![10, 20], String::new()));
}

#[test]
fn snapshots_of_the_heap_follow_functions_and_time_and_are_left_out_for_a_thread() {
    let mut profile = samples(&[("main;f", 3), ("main;g", 2)]);
    let stacks =
        ["f", "g"].map(|name| profile.intern_named_path(&["main", name], FrameKind::Native).unwrap());
    for at_nanos in [10, 20, 30] {
        let mut snapshot = HeapSnapshot::new(at_nanos);
        stacks.iter().for_each(|stack| snapshot.add(*stack, HeapBlocks { count: 1, bytes: at_nanos }));
        profile.heap.snapshots.add(snapshot);
    }
    let held = |profile: &Profile| -> Vec<_> {
        profile.heap.snapshots.iter().map(|snapshot| (snapshot.at_nanos, snapshot.total().bytes)).collect()
    };
    let of_function = profile.filter(&Filter::new().function("f", FunctionMode::WholeStack));
    assert_eq!(held(&of_function), [(10, 10), (20, 20), (30, 30)]);
    let of_time = profile.filter(&Filter::new().time_range(15..25));
    assert_eq!(held(&of_time), [(20, 40)]);
    let of_thread = profile.filter(&Filter::new().thread_tid(1));
    assert_eq!((held(&of_thread), codes(&of_thread)), (vec![], vec!["heap_snapshots_left_out"]));
}

#[test]
fn a_function_is_kept_with_its_callers_or_as_a_root() {
    let profile = samples(&[("main;f;g", 3), ("main;h", 2), ("main;f;g;f", 1)]);
    let whole = profile.filter(&Filter::new().function("f", FunctionMode::WholeStack));
    assert_eq!(sample_lines(&whole), ["main;f;g 3", "main;f;g;f 1"]);
    let inner = profile.filter(&Filter::new().function("f", FunctionMode::FromFunction));
    assert_eq!(sample_lines(&inner), ["f;g 3", "f;g;f 1"]);
}

#[test]
fn a_root_made_of_several_paths_holds_the_time_of_all() {
    // The second f has no row of its own, so the time of g is in no total yet.
    let profile = scopes(&[("x;f", 1, 10), ("y;f;g", 1, 4)]);
    let kept = profile.filter(&Filter::new().function("f", FunctionMode::FromFunction));
    assert_eq!(scope_lines(&kept), ["f 1 14", "f;g 1 4"]);
}

#[test]
fn a_context_becomes_the_root_and_a_scope_of_its_name_does_not() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    for kind in [FrameKind::Context, FrameKind::Scope] {
        let frames = [("main", FrameKind::Scope), ("train", kind), ("step", FrameKind::Scope)];
        let frames = frames.map(|(name, kind)| {
            let name = profile.strings.intern(name);
            profile.frames.intern(calor_model::Frame::new(name, kind))
        });
        let stack = profile.stacks.intern_path(frames).unwrap();
        let labels = LabelTable::none();
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count: 1, nanos: 1 });
    }
    assert_eq!(sample_lines(&profile.filter(&Filter::new().context("train"))), ["train;step 1"]);
    let both = Filter::new().context("train").function("main", FunctionMode::WholeStack);
    assert!(profile.filter(&both).is_empty());
}

proptest! {
    #[test]
    fn a_filter_without_conditions_keeps_everything(a in profile()) {
        content(&a).assert_same(&content(&a.filter(&Filter::new())));
    }

    #[test]
    fn threads_taken_apart_add_up_to_the_whole(a in profile()) {
        let mut parts = Profile::default();
        for tid in [100, 101, 102] {
            parts.merge(&a.filter(&Filter::new().thread_tid(tid)));
        }
        assert_eq!(totals(&a).self_nanos, totals(&parts).self_nanos);
        assert_eq!(totals(&a).samples, totals(&parts).samples);
        let by_name = a.filter(&Filter::new().thread_name("main").thread_name("work*"));
        assert_eq!(totals(&a).heap, totals(&by_name).heap);
        assert_eq!(a.timeline.n_spans(), by_name.timeline.n_spans());
    }

    #[test]
    fn only_what_carries_the_label_is_kept(a in profile()) {
        let kept = a.filter(&Filter::new().label("rank", "1"));
        let label = (a.strings.find("rank"), a.strings.find("1"));
        let carries = |key: SampleKey| a.labels.get(key.labels).iter().any(|&(k, v)| (Some(k), Some(v)) == label);
        let expected: u64 = a.samples.iter().filter(|(key, _)| carries(*key)).map(|(_, weight)| weight.count).sum();
        prop_assert_eq!(kept.samples.iter().map(|(_, weight)| weight.count).sum::<u64>(), expected);
        prop_assert_eq!(kept.timeline.n_spans(), 0);
    }

    #[test]
    fn a_time_range_and_the_rest_add_up_to_the_whole(a in profile(), middle in 0..5000_u64) {
        let (early, late) = (a.filter(&Filter::new().time_range(0..middle)), a.filter(&Filter::new().time_range(middle..u64::MAX)));
        let length = |profile: &Profile| -> u64 {
            profile.timeline.iter().flat_map(|(_, track)| &track.spans).map(|span| span.duration_nanos).sum()
        };
        prop_assert_eq!(length(&early) + length(&late), length(&a));
        let scopes = |profile: &Profile| profile.scopes.iter().map(|(_, stats)| stats.total_nanos).sum::<u64>();
        prop_assert_eq!(scopes(&early) + scopes(&late), length(&a));
        prop_assert_eq!(early.timeline.n_marks() + late.timeline.n_marks(), a.timeline.n_marks());
        prop_assert_eq!(early.timeline.links.len() + late.timeline.links.len(), a.timeline.links.len());
        let timed = |profile: &Profile| profile.samples.iter().filter(|(key, _)| key.at_nanos.is_some()).map(|(_, w)| w.count).sum::<u64>();
        prop_assert_eq!(timed(&early) + timed(&late), timed(&a));
        let points = |profile: &Profile| profile.counters.iter().map(|(_, points)| points.len()).sum::<usize>();
        prop_assert_eq!(points(&early) + points(&late), points(&a));
    }

    #[test]
    fn what_holds_a_function_and_what_does_not_are_the_whole(a in profile()) {
        let kept = a.filter(&Filter::new().function("beta", FunctionMode::WholeStack));
        let inner = a.filter(&Filter::new().function("beta", FunctionMode::FromFunction));
        let holds = |key: &SampleKey| a.path_names(key.stack).contains(&"beta");
        let expected: u64 = a.samples.iter().filter(|(key, _)| holds(key)).map(|(_, weight)| weight.count).sum();
        prop_assert_eq!(kept.samples.iter().map(|(_, weight)| weight.count).sum::<u64>(), expected);
        prop_assert_eq!(totals(&kept), totals(&inner));
        prop_assert!(inner.samples.iter().all(|(key, _)| inner.path_names(key.stack)[0] == "beta"));
    }
}
