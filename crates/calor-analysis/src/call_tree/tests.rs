//! What the figures of a tree are, told by small profiles.

use super::*;
use crate::sketch::Sketch;
use calor_model::{Cost, Run, SampleWeight};

fn tree<'p>(profile: &'p Profile, options: &TreeOptions) -> CallTree<'p> {
    CallTree::of_scopes(profile, options)
}

/// Name, calls, time and self time of every node.
fn figures(tree: &CallTree<'_>) -> Vec<(String, u64, u64, u64)> {
    let path = |node: &CallNode| tree.profile().path_names(node.stack).join("/");
    tree.nodes().map(|(_, node)| (path(&node), node.calls, node.inclusive_nanos, node.self_nanos)).collect()
}

fn row(path: &str, calls: u64, inclusive: u64, own: u64) -> (String, u64, u64, u64) {
    (path.to_owned(), calls, inclusive, own)
}

#[test]
fn threads_are_added_up_after_their_self_times() {
    // On thread b alone the child takes longer than its caller; thread a must not make up for it.
    let profile = Sketch::new()
        .scope("a", &["run"], 1, 100)
        .scope("a", &["run", "work"], 1, 30)
        .scope("b", &["run"], 1, 10)
        .scope("b", &["run", "work"], 1, 15)
        .profile();
    let tree = tree(&profile, &TreeOptions::default());
    assert_eq!(figures(&tree), [row("run", 2, 110, 70), row("run/work", 2, 45, 45)]);
    assert_eq!(tree.node(tree.roots()[0]).clamped_nanos, 5);
}

#[test]
fn one_thread_can_be_kept() {
    let profile = Sketch::new().scope("a", &["run"], 1, 100).scope("b", &["serve"], 2, 50).profile();
    let options = TreeOptions { threads: ThreadChoice::Named("b".to_owned()), ..TreeOptions::default() };
    assert_eq!(figures(&tree(&profile, &options)), [row("serve", 2, 50, 50)]);
}

#[test]
fn a_caller_without_rows_takes_the_time_of_its_callees() {
    let profile = Sketch::new().scope("a", &["run", "work"], 1, 30).profile();
    let tree = tree(&profile, &TreeOptions::default());
    assert_eq!(figures(&tree), [row("run", 0, 30, 0), row("run/work", 1, 30, 30)]);
    assert_eq!(tree.recorded_nanos(), 30);
}

#[test]
fn open_calls_count_as_time_of_their_path() {
    let open = ScopeStats { open_calls: 1, open_nanos: 80, ..ScopeStats::default() };
    let profile = Sketch::new().row("a", &["run"], open).scope("a", &["run", "work"], 1, 30).profile();
    assert_eq!(
        figures(&tree(&profile, &TreeOptions::default())),
        [row("run", 0, 80, 50), row("run/work", 1, 30, 30)]
    );
}

#[test]
fn an_estimate_below_makes_the_self_time_above_an_estimate() {
    let profile = Sketch::new()
        .scope("a", &["run"], 1, 1000)
        .estimated_scope("a", &["run", "work"], 100, 400, 25.0)
        .profile();
    let tree = tree(&profile, &TreeOptions::default());
    let (run, work) = (tree.node(NodeId(0)), tree.node(NodeId(1)));
    assert_eq!((run.is_estimated, run.is_self_estimated, run.self_variance), (false, true, 25.0));
    assert_eq!((work.is_estimated, work.inclusive_variance), (true, 25.0));
}

#[test]
fn the_recorders_cost_leaves_the_scope_and_its_caller() {
    let cost = Cost { per_scope_picos: Some(20_000), inside_scope_picos: Some(8_000), ..Cost::default() };
    let profile = Sketch::new()
        .run(Run { cost, ..Run::default() })
        .scope("a", &["run"], 1, 10_000)
        .scope("a", &["run", "work"], 100, 4_000)
        .profile();
    let correction = Correction::of(&profile);
    let corrected = tree(&profile, &TreeOptions { correction, ..TreeOptions::default() });
    // work: 4000 - 100 * 8; run: 6000 - 8 - 100 * 12.
    assert_eq!(figures(&corrected), [row("run", 1, 7_992, 4_792), row("run/work", 100, 3_200, 3_200)]);
    let uncorrected = tree(&profile, &TreeOptions::default());
    let removed: u64 = corrected.nodes().map(|(_, node)| node.corrected_nanos).sum();
    assert_eq!(uncorrected.recorded_nanos() - corrected.recorded_nanos(), removed);
}

#[test]
fn a_cost_larger_than_what_was_measured_leaves_zero() {
    let profile = Sketch::new().scope("a", &["run"], 10, 50).profile();
    let correction = Some(Correction { per_scope_picos: 20_000, inside_scope_picos: 8_000 });
    let tree = tree(&profile, &TreeOptions { correction, ..TreeOptions::default() });
    assert_eq!(figures(&tree), [row("run", 10, 0, 0)]);
}

#[test]
fn samples_weigh_on_every_caller_and_are_self_time_where_they_were_taken() {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    for (path, count) in [(&["main", "gemm"][..], 7), (&["main"][..], 3)] {
        let stack = profile.intern_named_path(path, calor_model::FrameKind::Native).unwrap();
        let key = calor_model::SampleKey {
            kind: SampleKind::Cpu,
            stack,
            thread,
            labels: calor_model::LabelTable::none(),
            at_nanos: None,
        };
        profile.samples.add(key, SampleWeight { count, nanos: count * 1_000 });
    }
    let tree = CallTree::of_samples(&profile, SampleKind::Cpu, &TreeOptions::default());
    assert_eq!(figures(&tree), [row("main", 0, 10_000, 3_000), row("main/gemm", 0, 7_000, 7_000)]);
    assert_eq!(tree.node(NodeId(1)).samples, 7);
    let off_cpu = CallTree::of_samples(&profile, SampleKind::OffCpu, &TreeOptions::default());
    assert!(off_cpu.is_empty());
}

/// Samples of three paths that branch, on two threads; `idle` has none.
fn sampled() -> Profile {
    let mut profile = Profile::default();
    let rows = [
        (&["main", "load"][..], "a", SampleKind::Cpu, 2),
        (&["main", "gemm", "tile"][..], "b", SampleKind::Cpu, 7),
        (&["main", "load"][..], "b", SampleKind::Cpu, 1),
        (&["main"][..], "a", SampleKind::OffCpu, 4),
    ];
    profile.intern_named_path(&["idle", "sleep"], calor_model::FrameKind::Native);
    for (number, (path, thread, kind, count)) in rows.into_iter().enumerate() {
        let stack = profile.intern_named_path(path, calor_model::FrameKind::Native).unwrap();
        let thread = profile.intern_thread(1, thread.len() as u64, thread);
        let (labels, at_nanos) = (calor_model::LabelTable::none(), Some(number as u64));
        let key = calor_model::SampleKey { kind, stack, thread, labels, at_nanos };
        profile.samples.add(key, SampleWeight { count, nanos: count * 10 });
    }
    profile
}

#[test]
fn paths_without_samples_of_the_kind_or_the_thread_are_no_nodes() {
    let profile = sampled();
    let of = |kind, threads| {
        let options = TreeOptions { threads, ..TreeOptions::default() };
        figures(&CallTree::of_samples(&profile, kind, &options))
    };
    let named = |name: &str| ThreadChoice::Named(name.to_owned());
    assert_eq!(
        of(SampleKind::Cpu, ThreadChoice::All),
        [
            row("main", 0, 100, 0),
            row("main/load", 0, 30, 30),
            row("main/gemm", 0, 70, 0),
            row("main/gemm/tile", 0, 70, 70)
        ]
    );
    assert_eq!(of(SampleKind::Cpu, named("a")), [row("main", 0, 20, 0), row("main/load", 0, 20, 20)]);
    assert_eq!(of(SampleKind::OffCpu, named("a")), [row("main", 0, 40, 40)]);
    assert_eq!(of(SampleKind::OffCpu, named("b")), []);
}

#[test]
fn children_of_a_sampled_node_come_longest_first_and_know_their_caller() {
    let profile = sampled();
    let tree = CallTree::of_samples(&profile, SampleKind::Cpu, &TreeOptions::default());
    let [main] = tree.roots() else { panic!("one root") };
    let names: Vec<&str> = tree.children(*main).iter().map(|child| tree.name(*child)).collect();
    assert_eq!(names, ["gemm", "load"]);
    for (id, node) in tree.nodes() {
        assert!(tree.children(id).iter().all(|child| tree.node(*child).parent == Some(id)));
        assert_eq!(node.depth, node.parent.map_or(0, |parent| tree.node(parent).depth + 1));
        assert_eq!(profile.stacks.get(node.stack).frame, node.frame);
    }
}

/// Samples of one function in two lines, called from two lines of its caller, and of a scope opened in two lines.
fn in_lines() -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    let names = ["main", "gemm", "step"].map(|name| profile.strings.intern(name));
    let mut frame = |name: usize, kind, line| {
        let frame = Frame { line: Some(line), ..Frame::new(names[name], kind) };
        profile.frames.intern(frame)
    };
    let (native, scope) = (calor_model::FrameKind::Native, calor_model::FrameKind::Scope);
    let paths = [
        (vec![frame(0, native, 1), frame(1, native, 10)], 3),
        (vec![frame(0, native, 2), frame(1, native, 11)], 5),
        (vec![frame(0, native, 2), frame(2, scope, 20)], 1),
        (vec![frame(0, native, 2), frame(2, scope, 21)], 1),
    ];
    for (path, count) in paths {
        let stack = profile.stacks.intern_path(path).unwrap();
        let labels = calor_model::LabelTable::none();
        let key = calor_model::SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count, nanos: count * 10 });
    }
    profile
}

#[test]
fn a_function_is_one_node_whatever_its_lines_and_names_the_line_with_most_samples() {
    let profile = in_lines();
    let merged = CallTree::of_samples(&profile, SampleKind::Cpu, &TreeOptions::default());
    assert_eq!(
        figures(&merged),
        [
            row("main", 0, 100, 0),
            row("main/gemm", 0, 80, 80),
            row("main/step", 0, 10, 10),
            row("main/step", 0, 10, 10)
        ]
    );
    assert_eq!(merged.frame(NodeId(1)).line, Some(11));
    for (id, node) in merged.nodes() {
        assert!(merged.children(id).iter().all(|child| merged.node(*child).parent == Some(id)));
        assert_eq!(profile.stacks.get(node.stack).frame, node.frame);
    }
    let apart = TreeOptions { keeps_lines: true, ..TreeOptions::default() };
    assert_eq!(CallTree::of_samples(&profile, SampleKind::Cpu, &apart).nodes().len(), 6);
}

#[test]
fn wall_time_is_running_and_waiting_together_unless_it_was_sampled() {
    let mut profile = sampled();
    let wall = |profile: &Profile| {
        CallTree::of_samples(profile, SampleKind::Wall, &TreeOptions::default()).recorded_nanos()
    };
    assert_eq!(wall(&profile), 140);
    let stack = profile.intern_named_path(&["main"], calor_model::FrameKind::Native).unwrap();
    let thread = profile.intern_thread(1, 1, "a");
    let labels = calor_model::LabelTable::none();
    let key = calor_model::SampleKey { kind: SampleKind::Wall, stack, thread, labels, at_nanos: None };
    profile.samples.add(key, SampleWeight { count: 1, nanos: 7 });
    assert_eq!(wall(&profile), 7);
}
