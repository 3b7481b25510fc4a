//! Generated programs with a known answer, small ones by hand, and whatever a damaged file may say.

use std::collections::BTreeMap;

use calor_model::{FrameKind, LinkKind, Profile, Run, RunId, Span, ThreadId};
use proptest::prelude::*;

use super::generated::{ALL, Action, Constructs, Program, name};
use super::*;

/// The path's time by the scope that it is in itself.
fn own_times(path: &CriticalPath, profile: &Profile) -> BTreeMap<String, u64> {
    let mut times: BTreeMap<String, u64> = path
        .scopes
        .iter()
        .filter(|scope| scope.path_self_nanos > 0)
        .map(|scope| (profile.strings.get(scope.name).to_owned(), scope.path_self_nanos))
        .collect();
    if path.handover_nanos > 0 {
        times.insert(String::new(), path.handover_nanos);
    }
    times
}

/// How far the replay of a changed program is from the changed program itself, as a share of that.
fn error_of(program: &Program, scope: usize, factor: f64) -> Option<f64> {
    let outcome = program.run();
    let path = CriticalPath::of(&outcome.profile).unwrap();
    path.find(&outcome.profile, &name(scope)).ok()?;
    let speedup = Speedup { scope: name(scope), factor };
    let predicted = path.what_if(&outcome.profile, &[speedup]).unwrap().wall_nanos as f64;
    let truth = program.with_scope(scope, |nanos| (nanos as f64 / factor) as u64).run().wall as f64;
    Some(predicted / truth - 1.0)
}

#[test]
fn without_locks_nearly_every_what_if_is_the_changed_program_to_a_hundredth() {
    let error = |seed: u64| {
        let program = Program::generate(seed, Constructs { locks: false, ..ALL });
        error_of(&program, seed as usize % 9, (1 + seed % 5) as f64)
    };
    let errors: Vec<f64> = (0..1_000).filter_map(error).collect();
    let n_off = errors.iter().filter(|error| error.abs() >= 0.01).count();
    assert!(n_off * 100 <= errors.len(), "{n_off} of {}", errors.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn the_path_is_as_long_as_the_run_and_goes_through_the_work_that_it_hung_on(seed in any::<u64>()) {
        let mut outcome = Program::generate(seed, ALL).run();
        for is_sorted in [false, true] {
            if is_sorted {
                outcome.profile.timeline.sort();
            }
            let path = CriticalPath::of(&outcome.profile).unwrap();
            prop_assert_eq!(path.wall_nanos, outcome.wall);
            prop_assert_eq!(path.nanos(), outcome.wall);
            prop_assert!(path.segments.is_sorted_by_key(|segment| segment.start_nanos));
            let mut truth = outcome.path.clone();
            truth.retain(|_, nanos| *nanos > 0);
            prop_assert_eq!(own_times(&path, &outcome.profile), truth);
        }
    }

    #[test]
    fn a_run_that_is_replayed_unchanged_takes_as_long(seed in any::<u64>()) {
        let outcome = Program::generate(seed, ALL).run();
        let path = CriticalPath::of(&outcome.profile).unwrap();
        let wall = replay::wall(&path.lanes, &path.units, &vec![1.0; outcome.profile.stacks.len()]);
        prop_assert!((wall / outcome.wall as f64 - 1.0).abs() < 0.01, "{wall} for {}", outcome.wall);
    }

    #[test]
    fn without_locks_a_what_if_is_the_changed_program(seed in any::<u64>(), scope in 0..9_usize, factor in 1..6_u32) {
        let program = Program::generate(seed, Constructs { locks: false, ..ALL });
        if let Some(error) = error_of(&program, scope, f64::from(factor)) {
            // Waking costs what it did; a wait that is new costs nothing in the replay, which in a rare program of many
            // such waits comes to some percent.
            prop_assert!(error.abs() < 0.1, "{error}");
        }
    }

    #[test]
    fn without_locks_faster_work_never_makes_a_run_longer(seed in any::<u64>(), scope in 0..9_usize) {
        let outcome = Program::generate(seed, Constructs { locks: false, ..ALL }).run();
        let path = CriticalPath::of(&outcome.profile).unwrap();
        let with = |factor| {
            let asked = [Speedup { scope: name(scope), factor }];
            path.what_if(&outcome.profile, &asked).map(|found| found.wall_nanos)
        };
        if path.find(&outcome.profile, &name(scope)).is_ok() {
            let walls = [1.0, 1.1, 1.5, 2.0, 8.0, f64::INFINITY].map(|factor| with(factor).unwrap());
            prop_assert!(walls.is_sorted_by(|slower, faster| slower >= faster), "{walls:?}");
        }
    }

    #[test]
    fn with_locks_a_what_if_is_within_a_tenth_of_the_changed_program(seed in any::<u64>(), scope in 0..9_usize) {
        if let Some(error) = error_of(&Program::generate(seed, ALL), scope, 2.0) {
            prop_assert!(error.abs() < 0.1, "{error}");
        }
    }

    #[test]
    fn work_off_the_path_may_take_its_slack_longer(seed in any::<u64>()) {
        let program = Program::generate(seed, Constructs { locks: false, ..ALL });
        let outcome = program.run();
        let path = CriticalPath::of(&outcome.profile).unwrap();
        for scope in path.scopes.iter().filter(|scope| scope.path_nanos == 0) {
            let (number, slack) = (number_of(&outcome.profile, scope.name), scope.slack_nanos.unwrap());
            // All of it in one place, whichever that is.
            for nth in 0..3 {
                let longer = longer_once(&program, number, nth, slack);
                let wall = longer.run().wall;
                // A wait that is new costs its waking, which nobody has seen.
                prop_assert!(wall <= outcome.wall + 8 * program.latency, "{wall} after {}", outcome.wall);
            }
        }
    }
}

fn number_of(profile: &Profile, name: calor_model::StringId) -> usize {
    profile.strings.get(name).trim_start_matches("scope ").parse().unwrap()
}

/// The program with the `nth` stretch of work of a scope longer.
fn longer_once(program: &Program, scope: usize, nth: usize, by: u64) -> Program {
    let mut changed = program.clone();
    let mut work = changed.threads.iter_mut().flatten().filter_map(|action| match action {
        Action::Work(own, nanos) if *own == scope => Some(nanos),
        _ => None,
    });
    if let Some(nanos) = work.nth(nth) {
        *nanos += by;
    }
    changed
}

#[test]
fn the_median_error_of_what_ifs_is_below_a_hundredth() {
    let mut errors: Vec<f64> = (0..300)
        .filter_map(|seed| error_of(&Program::generate(seed, ALL), seed as usize % 9, 2.0))
        .map(f64::abs)
        .collect();
    errors.sort_unstable_by(f64::total_cmp);
    assert!(errors.len() > 100);
    assert!(errors[errors.len() / 2] < 0.01, "median {}", errors[errors.len() / 2]);
    assert!(errors[errors.len() * 95 / 100] < 0.05, "95 % {}", errors[errors.len() * 95 / 100]);
}

#[test]
fn a_thread_that_once_started_late_does_not_start_late_in_a_replay() {
    const MILLIS: u64 = 1_000_000;
    let n_steps = 6;
    let step = |thread: usize| [Action::Spawn(thread), Action::Work(2, 8 * MILLIS), Action::Join(thread)];
    let mut threads = vec![(1..=n_steps).flat_map(step).collect::<Vec<_>>()];
    threads.extend((0..n_steps).map(|_| vec![Action::Work(1, 2 * MILLIS)]));
    let mut profile = Program { threads, barriers: Vec::new(), latency: 20_000 }.run().profile;
    // One of them begins 5 ms later, which the other work hides.
    let late = profile.timeline.links.iter().find(|link| link.kind == LinkKind::Spawn).unwrap().to;
    for link in &mut profile.timeline.links {
        link.to_nanos += if link.to == late { 5 * MILLIS } else { 0 };
        link.from_nanos += if link.from == late { 5 * MILLIS } else { 0 };
    }
    for span in &mut profile.timeline.track_mut(late).spans {
        span.start_nanos += 5 * MILLIS;
    }
    let path = CriticalPath::of(&profile).unwrap();
    let faster = [Speedup { scope: name(2), factor: 4.0 }];
    let predicted = path.what_if(&profile, &faster).unwrap().wall_nanos as f64 / MILLIS as f64;
    assert!((12.0..12.8).contains(&predicted), "{predicted} ms");
}

/// Two threads: one works 10 ms, the other 7 ms, then 1 ms together.
fn fork_and_join() -> Profile {
    let program = Program {
        threads: vec![
            vec![
                Action::Spawn(1),
                Action::Spawn(2),
                Action::Join(1),
                Action::Join(2),
                Action::Work(3, 1_000_000),
            ],
            vec![Action::Work(1, 10_000_000)],
            vec![Action::Work(2, 7_000_000)],
        ],
        barriers: vec![],
        latency: 0,
    };
    program.run().profile
}

#[test]
fn a_path_that_is_nearly_as_long_takes_over() {
    let profile = fork_and_join();
    let path = CriticalPath::of(&profile).unwrap();
    assert_eq!((path.wall_nanos, path.basis, path.n_threads), (11_000_000, Basis::Told, 3));
    let ask = |scope: usize, factor: f64| {
        path.what_if(&profile, &[Speedup { scope: name(scope), factor }]).unwrap().wall_nanos
    };
    assert_eq!(ask(1, 1.25), 9_000_000);
    assert_eq!((ask(1, 2.0), ask(1, f64::INFINITY)), (8_000_000, 8_000_000));
    assert_eq!((ask(2, 2.0), ask(3, 2.0)), (11_000_000, 10_500_000));
    assert_eq!(ask(1, 0.5), 21_000_000);
    let off = path.scopes.iter().find(|scope| scope.path_nanos == 0).unwrap();
    assert_eq!((profile.strings.get(off.name), off.slack_nanos), ("scope 2", Some(3_000_000)));
    let gains = path.gains(&profile, 2.0, 10);
    let names: Vec<_> = gains.iter().map(|gain| profile.strings.get(gain.name)).collect();
    assert_eq!(names, ["scope 1", "scope 3"]);
    assert_eq!(gains[0].bound.wall_nanos, 8_000_000);
}

#[test]
fn a_scope_that_is_the_whole_run_has_no_bound() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    let stack = profile.intern_named_path(&["main"], FrameKind::Scope).unwrap();
    profile.timeline.track_mut(thread).spans.push(Span { start_nanos: 0, duration_nanos: 1_000_000, stack });
    let path = CriticalPath::of(&profile).unwrap();
    let ask = |factor: f64| path.what_if(&profile, &[Speedup { scope: "main".to_owned(), factor }]).unwrap();
    assert_eq!((ask(2.0).wall_nanos, ask(2.0).overall), (500_000, 2.0));
    assert_eq!((ask(f64::INFINITY).wall_nanos, ask(f64::INFINITY).overall), (0, f64::INFINITY));
    assert_eq!(path.gains(&profile, 2.0, 10)[0].bound.overall, f64::INFINITY);
}

#[test]
fn shares_are_of_a_call_path_with_and_without_its_callees() {
    let profile = fork_and_join();
    let path = CriticalPath::of(&profile).unwrap();
    let stack = |wanted: usize| {
        profile.stacks.iter().map(|(id, _)| id).find(|id| profile.stack_name(*id) == name(wanted)).unwrap()
    };
    assert!((path.share_of(stack(1)) - 10.0 / 11.0).abs() < 1e-9);
    assert!((path.self_share_of(stack(3)) - 1.0 / 11.0).abs() < 1e-9);
    assert_eq!(path.share_of(stack(2)), 0.0);
}

#[test]
fn waits_are_told_by_their_kind() {
    let profile = fork_and_join();
    let path = CriticalPath::of(&profile).unwrap();
    assert_eq!(path.waits, [Waits { kind: LinkKind::Join, count: 1, nanos: 10_000_000 }]);
}

#[test]
fn without_links_phases_of_threads_are_inferred() {
    let mut profile = fork_and_join();
    profile.timeline.links.clear();
    let path = CriticalPath::of(&profile).unwrap();
    // The main thread has no scope before the last: it began when its only scope did.
    assert_eq!((path.basis, path.wall_nanos, path.nanos()), (Basis::Inferred, 11_000_000, 11_000_000));
    let main = profile.intern_thread(1, 1, "thread 0");
    let stack = profile.intern_named_path(&["start"], FrameKind::Scope).unwrap();
    profile.timeline.track_mut(main).spans.push(Span { start_nanos: 0, duration_nanos: 20_000, stack });
    let path = CriticalPath::of(&profile).unwrap();
    let own = own_times(&path, &profile);
    assert_eq!((own["scope 1"], own["scope 3"]), (10_000_000, 1_000_000));
}

#[test]
fn a_thread_that_begins_when_the_first_has_no_scope_any_more_was_started_by_it() {
    let mut profile = Profile::default();
    let [main, first, second] = [1, 2, 3].map(|tid| profile.intern_thread(1, tid, "thread"));
    let millis = 1_000_000;
    for (thread, name, start, end) in [(main, "load", 0, 48), (first, "a", 50, 90), (second, "b", 92, 107)] {
        let stack = profile.intern_named_path(&[name], FrameKind::Scope).unwrap();
        let span = Span { start_nanos: start * millis, duration_nanos: (end - start) * millis, stack };
        profile.timeline.track_mut(thread).spans.push(span);
    }
    let path = CriticalPath::of(&profile).unwrap();
    let own = own_times(&path, &profile);
    assert_eq!((own["load"], own["a"], own["b"]), (48 * millis, 40 * millis, 15 * millis));
    let known: u64 = own.values().sum();
    assert_eq!((path.nanos(), known + path.outside_nanos), (107 * millis, 107 * millis));
}

#[test]
fn threads_that_together_took_longer_than_can_be_counted_have_a_path() {
    let mut profile = Profile::default();
    let stack = profile.intern_named_path(&["work", "inner"], FrameKind::Scope).unwrap();
    let outer = profile.intern_named_path(&["work"], FrameKind::Scope).unwrap();
    let threads = [1, 2, 3].map(|tid| profile.intern_thread(1, tid, "thread"));
    for thread in threads {
        let spans = &mut profile.timeline.track_mut(thread).spans;
        spans.push(Span { start_nanos: 0, duration_nanos: u64::MAX, stack: outer });
        spans.push(Span { start_nanos: 1, duration_nanos: u64::MAX / 2 + 9, stack });
    }
    let link = |kind, from: usize, to: usize, since_nanos| calor_model::Link {
        kind,
        object: 1,
        from: threads[from],
        from_nanos: u64::MAX - 5,
        to: threads[to],
        since_nanos,
        to_nanos: u64::MAX - 1,
        held_nanos: u64::MAX,
    };
    for kind in [LinkKind::Lock, LinkKind::Channel, LinkKind::Barrier] {
        profile.timeline.links.extend([link(kind, 0, 1, 0), link(kind, 1, 2, 0), link(kind, 2, 0, 7)]);
    }
    let path = CriticalPath::of(&profile).unwrap();
    assert_eq!((path.wall_nanos, path.nanos()), (u64::MAX, u64::MAX));
    assert_eq!((path.scopes[0].total_nanos, path.waits[0].nanos), (u64::MAX, u64::MAX));
    assert!(path.gains(&profile, 2.0, 10).iter().all(|gain| gain.faster.overall.is_finite()));
}

#[test]
fn a_profile_without_a_timeline_or_of_several_runs_is_refused() {
    let error = CriticalPath::of(&Profile::default()).unwrap_err();
    assert!(error.to_string().starts_with("expected a timeline, found none"), "{error}");
    let mut profile = fork_and_join();
    profile.runs = (0..2).map(|id| Run { id: RunId(id), ..Run::default() }).collect();
    let error = CriticalPath::of(&profile).unwrap_err();
    assert!(error.to_string().contains("found 2 runs"), "{error}");
}

#[test]
fn a_scope_that_is_not_there_and_a_speedup_of_nothing_are_refused() {
    let profile = fork_and_join();
    let path = CriticalPath::of(&profile).unwrap();
    let ask = |scope: &str, factor: f64| {
        path.what_if(&profile, &[Speedup { scope: scope.to_owned(), factor }]).unwrap_err().to_string()
    };
    assert_eq!(
        ask("attention", 2.0),
        "expected the name of a scope on the timeline, found `attention`; the longest there are: scope 1, scope 3, scope 2"
    );
    assert!(ask("scope 1", 0.0).contains("found 0"));
    assert!(ask("scope 1", f64::NAN).contains("found NaN"));
}

#[test]
fn without_a_timeline_shares_tell_what_a_faster_scope_gives_at_most() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    for (path, nanos) in
        [(&["main"][..], 100), (&["main", "a"], 60), (&["main", "a", "b"], 20), (&["main", "b"], 10)]
    {
        let stack = profile.intern_named_path(path, FrameKind::Scope).unwrap();
        let key = calor_model::ScopeKey { stack, thread, labels: calor_model::LabelTable::none() };
        let mut stats = calor_model::ScopeStats { calls: 1, total_nanos: nanos, ..Default::default() };
        stats.timed.record(nanos);
        profile.scopes.add(key, stats);
    }
    let tree = crate::CallTree::of_scopes(&profile, &crate::TreeOptions::default());
    let scopes = amdahl(&tree);
    let told: Vec<_> = scopes
        .iter()
        .map(|scope| (profile.strings.get(scope.name), scope.total_nanos, scope.self_nanos))
        .collect();
    assert_eq!(told, [("main", 100, 30), ("a", 60, 40), ("b", 30, 30)]);
    assert!((scopes[1].overall(2.0) - 1.0 / 0.7).abs() < 1e-9);
    assert!((scopes[1].overall(f64::INFINITY) - 2.5).abs() < 1e-9);
    let name = |text| profile.strings.find(text).unwrap();
    // a: 40 + 20 become 20 + 5, as b is inside; b outside a becomes 5.
    let both = amdahl_overall(&tree, &[(name("a"), 2.0), (name("b"), 2.0)]);
    assert!((both - 100.0 / 60.0).abs() < 1e-9, "{both}");
}

#[test]
fn a_scope_is_found_by_the_last_part_of_its_name_where_no_other_has_that() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    for (at, name) in ["app::load", "app::save", "io::save"].into_iter().enumerate() {
        let stack = profile.intern_named_path(&["app::main", name], FrameKind::Scope).unwrap();
        let start_nanos = 1_000 * at as u64;
        profile.timeline.track_mut(thread).spans.push(Span { start_nanos, duration_nanos: 900, stack });
    }
    let path = CriticalPath::of(&profile).unwrap();
    let found = |name: &str| path.find(&profile, name).ok().map(|name| profile.strings.get(name));
    assert_eq!((found("load"), found("app::save")), (Some("app::load"), Some("app::save")));
    assert_eq!((found("save"), found("oad")), (None, None));
}

proptest! {
    /// Whatever a damaged or foreign file says of times, there is an answer.
    #[test]
    fn any_times_have_a_path(times in proptest::collection::vec((0..40_u64, 0..40_u64, 0..40_u64, 0..3_usize, 0..3_usize, 0..4_usize), 0..12)) {
        let mut profile = fork_and_join();
        profile.timeline.links.clear();
        const KINDS: [LinkKind; 4] = [LinkKind::Spawn, LinkKind::Lock, LinkKind::Channel, LinkKind::Join];
        for (from_nanos, since_nanos, to_nanos, from, to, kind) in times {
            profile.timeline.links.push(calor_model::Link {
                kind: KINDS[kind],
                object: 1,
                from: ThreadId::from_index(from),
                from_nanos: from_nanos * 500_000,
                to: ThreadId::from_index(to),
                since_nanos: since_nanos * 500_000,
                to_nanos: to_nanos * 500_000,
                held_nanos: 100_000,
            });
        }
        let path = CriticalPath::of(&profile).unwrap();
        prop_assert!(path.nanos() <= path.wall_nanos);
        let gains = path.gains(&profile, 2.0, 10);
        prop_assert!(gains.iter().all(|gain| gain.faster.overall.is_finite()));
    }
}
