//! Rows by line and shape, whatever leads there; what is nested; what rates are held against.

use calor_model::{Frame, GpuScopeKey, GpuWork, ScopeKey, StackId, Work};

use super::*;
use crate::TreeOptions;
use crate::roofline::tests_roof;

/// An operation that took a second in ten calls, with the labels of its row.
struct Op<'a> {
    path: &'a [(&'a str, FrameKind)],
    line: u32,
    labels: &'a [(&'a str, &'a str)],
    work: Work,
    backend: Option<&'a str>,
}

const OP: Op<'_> = Op {
    path: &[],
    line: 1,
    labels: &[],
    work: Work { elements: 0, bytes: 0, flops: 0, backends: Vec::new(), counters: Vec::new() },
    backend: None,
};
const G: u64 = 1_000_000_000;

fn profile(operations: &[Op<'_>]) -> calor_model::Profile {
    let mut profile = calor_model::Profile::default();
    for operation in operations {
        let mut stack: Option<StackId> = None;
        let file = profile.strings.intern("train.py");
        for (name, kind) in operation.path {
            let name = profile.strings.intern(name);
            let frame = Frame { file: Some(file), line: Some(operation.line), ..Frame::new(name, *kind) };
            let frame = profile.frames.intern(frame);
            stack = Some(profile.stacks.intern(stack, frame));
        }
        let mut labels = vec![(profile.strings.intern("op"), profile.strings.intern("numpy"))];
        for (name, value) in operation.labels {
            labels.push((profile.strings.intern(name), profile.strings.intern(value)));
        }
        let key = ScopeKey {
            stack: stack.expect("a path has a frame"),
            thread: profile.intern_thread(1, 1, "main"),
            labels: profile.labels.intern(&labels),
        };
        let mut stats =
            ScopeStats { calls: 10, total_nanos: G, work: operation.work.clone(), ..ScopeStats::default() };
        (0..10).for_each(|_| stats.timed.record(G / 10));
        if let Some(backend) = operation.backend {
            stats.work.add_backend(profile.strings.intern(backend), 10);
        }
        profile.scopes.add(key, stats);
    }
    profile
}

fn rows(profile: &calor_model::Profile, roof: Option<&MachineRoof>) -> Vec<(String, u64, Option<f64>)> {
    let tree = CallTree::of_scopes(profile, &TreeOptions::default());
    let rows = operation_rows(&tree, roof);
    rows.iter().map(|row| (row.name.to_owned(), row.total_nanos, row.roof_share())).collect()
}

#[test]
fn one_line_with_one_shape_is_one_row_whatever_path_leads_there() {
    use FrameKind::{Context, Scope};
    let add = |path, line, shape| Op { path, line, labels: shape, ..OP };
    let profile = profile(&[
        add(&[("epoch", Context), ("add", Scope)], 3, &[("shape", "10,10")]),
        add(&[("step", Scope), ("add", Scope)], 3, &[("shape", "10,10")]),
        add(&[("step", Scope), ("add", Scope)], 3, &[("shape", "20,20")]),
        add(&[("step", Scope), ("add", Scope)], 4, &[("shape", "10,10")]),
    ]);
    let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
    let rows = operation_rows(&tree, None);
    let told: Vec<_> =
        rows.iter().map(|row| (row.line, row.shape, row.stats.calls, row.context, row.parent)).collect();
    let expected = [
        (Some(3), Some("10,10"), 20, None, None),
        (Some(3), Some("20,20"), 10, None, Some("step")),
        (Some(4), Some("10,10"), 10, None, Some("step")),
    ];
    assert_eq!(told, expected);
    assert_eq!((rows[0].file, rows[0].backend, rows[0].is_nested), (Some("train.py"), "numpy", false));
}

#[test]
fn an_operation_inside_another_stands_behind_and_is_in_no_sum() {
    use FrameKind::{Context, Scope};
    let profile = profile(&[
        Op { path: &[("epoch", Context), ("mean", Scope)], ..OP },
        Op { path: &[("epoch", Context), ("mean", Scope), ("lib", Scope), ("add.reduce", Scope)], ..OP },
    ]);
    let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
    let rows = operation_rows(&tree, None);
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row.name, row.context, row.parent, row.outermost_nanos, row.is_nested))
        .collect();
    let expected = [
        ("mean", Some("epoch"), Some("epoch"), G, false),
        ("add.reduce", Some("epoch"), Some("lib"), 0, true),
    ];
    assert_eq!(told, expected);
    assert_eq!(rows[0].share, Some(1.0));
}

#[test]
fn rates_are_held_against_the_roof_of_the_numbers() {
    let matmul = |dtype: &'static [(&'static str, &'static str)]| Op {
        path: &[("matmul", FrameKind::Scope)],
        labels: dtype,
        work: Work { flops: 50 * G, bytes: G, ..Work::default() },
        backend: Some("blas"),
        ..OP
    };
    let single = profile(&[matmul(&[("dtype", "float32,float32->float32")])]);
    assert_eq!(rows(&single, Some(&tests_roof())), [("matmul".to_owned(), G, Some(0.5))]);
    assert_eq!(rows(&single, None)[0].2, None);
    let double = profile(&[matmul(&[("dtype", "float32,float64->float64")])]);
    assert_eq!(rows(&double, Some(&tests_roof()))[0].2, Some(1.0));
    // Whole numbers have no peak, but their bytes come from somewhere.
    let whole = profile(&[matmul(&[("dtype", "int64,int64->int64")])]);
    assert_eq!(rows(&whole, Some(&tests_roof()))[0].2, Some(1.0 / 20.0));
    let tree = CallTree::of_scopes(&double, &TreeOptions::default());
    let row = &operation_rows(&tree, None)[0];
    assert_eq!((row.dtypes(), row.result_dtype()), (vec!["float32", "float64"], Some("float64")));
    assert_eq!((row.backend, row.flops_per_second()), ("blas", Some(50e9)));
}

#[test]
fn time_of_gpus_is_told_apart_by_shape_and_counts_once_for_all_threads() {
    let shapes = [&[("shape", "10,10")], &[("shape", "20,20")]];
    let mut profile = profile(&[
        Op { path: &[("linear", FrameKind::Scope)], labels: shapes[0], ..OP },
        Op { path: &[("linear", FrameKind::Scope)], labels: shapes[1], ..OP },
    ]);
    let keys: Vec<ScopeKey> = profile.scopes.iter().map(|(key, _)| key).collect();
    for (key, nanos) in keys.iter().zip([70, 7]) {
        let work = GpuWork { count: 1, nanos };
        profile.gpu.add_scope(GpuScopeKey { stack: key.stack, labels: key.labels }, work);
    }
    let thread = profile.intern_thread(1, 2, "another");
    profile.scopes.add(ScopeKey { thread, ..keys[0] }, ScopeStats { calls: 1, ..ScopeStats::default() });
    let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
    let told: Vec<_> = operation_rows(&tree, None).iter().map(|row| (row.shape, row.gpu_nanos)).collect();
    assert_eq!(told, [(Some("10,10"), Some(70)), (Some("20,20"), Some(7))]);
}
