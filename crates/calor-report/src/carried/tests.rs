//! What a profile loses when it has to become smaller, and what it never loses.

use calor_model::{FrameKind, LabelTable, SampleKey, SampleKind, SampleWeight, ScopeKey, ScopeStats, Span};

use super::*;

/// Functions that call each other, each with a spread of durations, and spans of all lengths.
fn profile(n_functions: u64, n_spans: u64) -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    let mut stacks = Vec::new();
    for number in 0..n_functions {
        let names = ["run".to_owned(), format!("module_{}::step_{number}", number % 37)];
        let stack =
            profile.intern_named_path(&[&names[0], &names[1]], FrameKind::Scope).expect("a path has a frame");
        let mut stats = ScopeStats::default();
        for call in 0..20 {
            stats.timed.record(1_000 + number * 977 % 100_003 + call * call * 1_237);
        }
        (stats.calls, stats.total_nanos) = (20, stats.timed.total_nanos);
        profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
        stacks.push(stack);
    }
    let track = profile.timeline.track_mut(thread);
    for number in 0..n_spans {
        let stack = stacks[number as usize % stacks.len()];
        track.spans.push(Span {
            start_nanos: number * 1_013,
            duration_nanos: number * 7_919 % 10_007,
            stack,
        });
    }
    profile
}

fn lines(profile: &Profile, most_bytes: usize) -> Option<String> {
    super::carried(profile, Carry::Fitting, most_bytes).map(|carried| carried.lines)
}

fn carried(profile: &Profile, most_bytes: usize) -> Profile {
    let lines = lines(profile, most_bytes).expect("it can be made small enough");
    assert!(lines.len() <= most_bytes, "{} bytes instead of {most_bytes}", lines.len());
    calor_formats::read(lines.as_bytes()).expect("what is carried can be read")
}

/// How much it takes whole.
fn size(profile: &Profile) -> usize {
    lines(profile, usize::MAX / 4).expect("there is room for all").len()
}

fn codes(profile: &Profile) -> Vec<&str> {
    profile.warnings.iter().map(|warning| warning.code.as_str()).collect()
}

fn total(profile: &Profile) -> u64 {
    calor_analysis::CallTree::of_scopes(profile, &calor_analysis::TreeOptions::default()).recorded_nanos()
}

#[test]
fn a_small_profile_is_carried_whole() {
    let profile = profile(50, 200);
    let read = carried(&profile, 1 << 20);
    assert_eq!((read.scopes.len(), read.timeline.n_spans()), (50, 200));
    assert!(read.warnings.is_empty());
}

#[test]
fn the_shortest_spans_go_first_and_are_counted() {
    let profile = profile(50, 50_000);
    let read = carried(&profile, size(&profile) / 2);
    assert_eq!(codes(&read), ["report_spans_left_out"]);
    let kept = read.timeline.n_spans();
    assert!(kept > 100, "{kept} spans");
    assert_eq!(read.warnings[0].count, Some(50_000 - kept as u64));
    let shortest =
        read.timeline.iter().flat_map(|(_, track)| &track.spans).map(|span| span.duration_nanos).min();
    let n_longer = profile.timeline.iter().flat_map(|(_, track)| &track.spans);
    let n_longer = n_longer.filter(|span| Some(span.duration_nanos) > shortest).count();
    assert!(n_longer <= kept, "{n_longer} spans are longer than the shortest of {kept}");
}

#[test]
fn histograms_of_the_shortest_scopes_go_before_any_scope_does() {
    let profile = profile(2_000, 0);
    let without = size(&detail::without_histograms(profile.clone(), 1.0));
    let read = carried(&profile, (size(&profile) + without) / 2);
    assert_eq!(codes(&read), ["report_percentiles_left_out"]);
    assert_eq!((read.scopes.len(), total(&read)), (2_000, total(&profile)));
    let with =
        |profile: &Profile| profile.scopes.iter().filter(|(_, s)| !s.timed.histogram().is_empty()).count();
    assert!((1..2_000).contains(&with(&read)), "{} have percentiles", with(&read));
}

#[test]
fn totals_stay_even_where_paths_have_to_go() {
    let profile = profile(2_000, 1_000);
    let read = carried(&profile, 8_000);
    assert!(codes(&read).contains(&"report_paths_left_out"), "{:?}", codes(&read));
    assert!(read.scopes.len() < 2_000);
    assert_eq!(total(&read), total(&profile));
}

#[test]
fn paths_of_samples_that_have_to_go_are_counted() {
    let mut profile = Profile::default();
    let (thread, labels) = (profile.intern_thread(1, 1, "main"), LabelTable::none());
    for number in 0..3_000_u64 {
        let name = format!("module_{}::step_{number}", number % 37);
        let stack =
            profile.intern_named_path(&["run", &name], FrameKind::Native).expect("a path has a frame");
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count: 1, nanos: 1_000 + number * 977 % 100_003 });
    }
    let read = carried(&profile, 8_000);
    assert_eq!(codes(&read), ["report_figures_reduced", "report_paths_left_out"]);
    // What was left out is one path more.
    assert_eq!(read.warnings[1].count, Some((profile.stacks.len() + 1 - read.stacks.len()) as u64));
    assert!(read.stacks.len() < 3_000);
}

/// Functions that are called from everywhere, so that no single path holds much: some of the time in scopes, some sampled.
fn tangled(n_paths: u64) -> Profile {
    let mut profile = Profile::default();
    let (thread, labels) = (profile.intern_thread(1, 1, "main"), LabelTable::none());
    let mut number = 7_u64;
    let mut next = |bound: u64| {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (number >> 33) % bound
    };
    for _ in 0..n_paths {
        let mut names = vec!["main".to_owned()];
        for _ in 0..3 + next(9) {
            // The smaller its number, the more often a function is called.
            let most = 1 + next(300);
            names.push(format!("module_{}::step", next(most)));
        }
        names.push(format!("leaf_{}", next(50)));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut stats = ScopeStats::default();
        stats.timed.record(1_000 + next(1_000));
        (stats.calls, stats.total_nanos) = (1, stats.timed.total_nanos);
        let stack = profile.intern_named_path(&names, FrameKind::Scope).expect("a path has a frame");
        profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count: 1 + next(9), nanos: 1_000 + next(1_000) });
    }
    profile
}

/// What each function took by samples: total, self and number, in the order of the totals.
fn sampled_functions(profile: &Profile) -> Vec<(String, [u64; 3])> {
    let options = calor_analysis::TreeOptions::default();
    let tree = calor_analysis::CallTree::of_samples(profile, SampleKind::Cpu, &options);
    let list = calor_analysis::functions(&tree, calor_analysis::Order::Total, None);
    let figures = |function: &calor_analysis::Function| {
        let totals = &function.totals;
        [totals.total_nanos, totals.self_nanos, totals.samples]
    };
    list.iter().map(|function| (tree.name(function.nodes[0]).to_owned(), figures(function))).collect()
}

#[test]
fn functions_keep_their_figures_and_it_is_said_how_much_others_lost() {
    let profile = tangled(20_000);
    for (most_bytes, n_exact) in [(250_000, 10), (40_000, 3)] {
        let read = carried(&profile, most_bytes);
        let (before, after) = (sampled_functions(&profile), sampled_functions(&read));
        assert_eq!(before[..n_exact], after[..n_exact], "{most_bytes}");
        let warning =
            read.warnings.iter().find(|warning| warning.code == FIGURES_REDUCED).expect("it is said");
        let share = warning.message.split(" %").next().and_then(|text| text.rsplit(' ').next());
        // The share is rounded to the digits it shows.
        let most =
            share.and_then(|share| share.parse::<f64>().ok()).expect("a share is named") / 100.0 + 5e-4;
        let whole: u64 = profile.samples.iter().map(|(_, weight)| weight.nanos).sum();
        for (name, [total, own, _]) in &before {
            let now = after.iter().find(|(other, _)| other == name).map_or([0; 3], |(_, figures)| *figures);
            assert!(now[0] <= *total && now[1] <= *own, "{name} gained");
            assert!((total - now[0]) as f64 <= most * whole as f64, "{name}: {total} became {}", now[0]);
        }
        assert!(after.iter().all(|(name, _)| name != calor_model::LEFT_OUT));
    }
}

#[test]
fn scopes_keep_their_calls_and_their_own_time() {
    let profile = tangled(20_000);
    let read = carried(&profile, 250_000);
    let scopes = |profile: &Profile| -> Vec<(String, u64, u64)> {
        let tree = calor_analysis::CallTree::of_scopes(profile, &calor_analysis::TreeOptions::default());
        let list = calor_analysis::functions(&tree, calor_analysis::Order::SelfTime, Some(10));
        let figures = |function: &calor_analysis::Function| {
            let name = tree.name(function.nodes[0]).to_owned();
            (name, function.totals.calls, function.totals.self_nanos)
        };
        list.iter().map(figures).collect()
    };
    assert_eq!(scopes(&read), scopes(&profile));
    let calls = |profile: &Profile| profile.scopes.iter().map(|(_, stats)| stats.calls).sum::<u64>();
    assert_eq!((calls(&read), total(&read)), (calls(&profile), total(&profile)));
}

#[test]
fn what_was_left_out_is_told_in_words_and_nothing_is_when_all_was_asked_for() {
    let profile = profile(50, 50_000);
    let carried = |carry| super::carried(&profile, carry, 20_000);
    let fitting = carried(Carry::Fitting).expect("it can be made small enough");
    assert!(fitting.left_out[0].ends_with("shortest spans of the timeline"), "{:?}", fitting.left_out);
    let whole = carried(Carry::Whole).expect("all is carried");
    assert_eq!((whole.left_out.len(), whole.lines.len()), (0, size(&profile)));
    assert!(carried(Carry::Nothing).is_none());
}

#[test]
fn what_no_page_has_room_for_is_not_carried() {
    let mut profile = profile(1, 0);
    profile.warn(Warning::new("long", (0..9_000_u32).map(|n| format!("{:x}", n * n)).collect::<String>()));
    assert!(lines(&profile, 2_000).is_none());
}

#[test]
fn equal_spans_are_kept_up_to_the_number_asked_for() {
    let mut profile = profile(1, 0);
    let stack = profile.scopes.iter().next().expect("there is a scope").0.stack;
    let thread = profile.intern_thread(1, 1, "main");
    let spans = (0..10).map(|start_nanos| Span { start_nanos, duration_nanos: 5, stack });
    profile.timeline.track_mut(thread).spans.extend(spans);
    assert_eq!(spans::keep_longest(&profile, 4).timeline.n_spans(), 4);
    assert_eq!(spans::keep_longest(&profile, 0).timeline.n_spans(), 0);
    assert_eq!(spans::keep_longest(&profile, 10).timeline.n_spans(), 10);
}

#[test]
fn models_keep_the_percentiles_that_they_are_compared_by() {
    let mut profile = profile(2_000, 0);
    let thread = profile.intern_thread(1, 1, "main");
    let [key, value] = ["model", "small"].map(|text| profile.strings.intern(text));
    let of_model = profile.labels.intern(&[(key, value)]);
    for (path, labels) in [
        (&["inference"][..], of_model),
        (&["inference", "prefill"], LabelTable::none()),
        (&["inference", "decode"], LabelTable::none()),
        (&["inference", "decode", "layer"], LabelTable::none()),
    ] {
        let stack = profile.intern_named_path(path, FrameKind::Scope).expect("a path has a frame");
        let mut stats = ScopeStats { calls: 1, total_nanos: 300, ..ScopeStats::default() };
        stats.timed.record(300);
        profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
    }
    let small = detail::without_histograms(profile, 1.0);
    let kept: Vec<&str> = small
        .scopes
        .iter()
        .filter(|(_, stats)| !stats.timed.histogram().is_empty())
        .map(|(key, _)| small.stack_name(key.stack))
        .collect();
    assert_eq!(kept, ["inference", "prefill", "decode"]);
}
