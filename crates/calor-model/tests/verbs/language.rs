use calor_model::{
    Frame, FrameKind, INTERPRETER, LabelTable, NOT_PYTHON, Profile, SampleKey, SampleKind, SampleWeight,
    ScopeKey, ScopeStats, StackId,
};
use proptest::prelude::*;

use crate::content::{content, sample_lines, samples, scope_lines, totals};
use crate::generated::profile;

/// The handle of a path such as `n:main;p:run;k:futex`: native, Python, kernel, scope or made by Calor.
fn path(profile: &mut Profile, text: &str) -> StackId {
    let mut stack = None;
    for part in text.split(';') {
        let (kind, name) = part.split_once(':').expect("a frame is a kind and a name");
        let kind = match kind {
            "n" => FrameKind::Native,
            "p" => FrameKind::Python,
            "k" => FrameKind::Kernel,
            "s" => FrameKind::Scope,
            _ => FrameKind::Synthetic,
        };
        let name = profile.strings.intern(name);
        let frame = profile.frames.intern(Frame::new(name, kind));
        stack = Some(profile.stacks.intern(stack, frame));
    }
    stack.expect("a path has frames")
}

fn mixed(rows: &[(&str, u64)]) -> Profile {
    let mut profile = Profile::default();
    let thread = profile.intern_thread(1, 1, "main");
    for &(text, count) in rows {
        let stack = path(&mut profile, text);
        let key =
            SampleKey { kind: SampleKind::Cpu, stack, thread, labels: LabelTable::none(), at_nanos: None };
        profile.samples.add(key, SampleWeight { count, nanos: count * 10 });
    }
    profile
}

fn example() -> Profile {
    mixed(&[
        ("n:_start;n:Py_RunMain;p:<module>;p:fit;n:array_matmul;n:dgemm", 50),
        ("n:_start;n:Py_RunMain;p:<module>;p:fit;n:array_matmul;k:page_fault", 2),
        ("n:_start;n:Py_RunMain;p:<module>;p:fit", 7),
        ("n:_start;n:Py_RunMain;p:<module>;n:list_sort;p:key;n:PyLong_Add", 5),
        ("n:_start;n:Py_RunMain;n:import", 3),
        ("n:start_thread;n:blas_server", 4),
        ("y:(stack cut off);n:lost", 1),
    ])
}

#[test]
fn time_of_compiled_code_goes_to_the_python_function_that_called_it() {
    assert_eq!(
        sample_lines(&example().python_only()),
        ["(not Python) 8", "<module>;fit 59", "<module>;key 5"]
    );
}

#[test]
fn what_became_of_a_path_is_known() {
    let profile = example();
    let stacks: Vec<StackId> = profile.samples.iter().map(|(key, _)| key.stack).collect();
    let (view, shown) = profile.python_only_with(&stacks);
    let names: Vec<String> = shown.iter().map(|stack| view.path_names(*stack).join(";")).collect();
    let expected =
        ["<module>;fit", "<module>;fit", "<module>;fit", "<module>;key", NOT_PYTHON, NOT_PYTHON, NOT_PYTHON];
    assert_eq!(names, expected);
    assert_eq!(view.stacks.len(), profile.python_only().stacks.len());
}

#[test]
fn a_run_of_python_functions_becomes_the_interpreter() {
    assert_eq!(
        sample_lines(&example().native_only()),
        [
            "(stack cut off);lost 1",
            "_start;Py_RunMain;(Python interpreter) 7",
            "_start;Py_RunMain;(Python interpreter);array_matmul;dgemm 50",
            "_start;Py_RunMain;(Python interpreter);array_matmul;page_fault 2",
            "_start;Py_RunMain;(Python interpreter);list_sort;(Python interpreter);PyLong_Add 5",
            "_start;Py_RunMain;import 3",
            "start_thread;blas_server 4",
        ]
    );
}

#[test]
fn scopes_stay_and_hold_what_no_python_function_did_inside_them() {
    let mut profile =
        mixed(&[("s:step;n:decode", 2), ("s:step;n:call;p:next;s:inner;n:copy", 3), ("s:step", 1)]);
    let thread = profile.intern_thread(1, 1, "main");
    for (text, total_nanos) in [("s:step", 100), ("s:step;n:call;p:next;s:inner", 40)] {
        let key = ScopeKey { stack: path(&mut profile, text), thread, labels: LabelTable::none() };
        profile.scopes.add(key, ScopeStats { calls: 1, total_nanos, ..ScopeStats::default() });
    }
    let python = profile.python_only();
    assert_eq!(sample_lines(&python), ["step 1", "step;(not Python) 2", "step;next;inner 3"]);
    assert_eq!(scope_lines(&python), ["step 1 100", "step;next;inner 1 40"]);
    let native = profile.native_only();
    assert_eq!(scope_lines(&native), ["step 1 100", "step;call;(Python interpreter);inner 1 40"]);
}

#[test]
fn what_a_smaller_profile_left_out_is_of_no_language() {
    let profile = mixed(&[("p:f;y:(left out)", 1), ("n:main;y:(left out);n:memcpy", 2)]);
    assert_eq!(sample_lines(&profile.python_only()), ["(left out);(not Python) 2", "f;(left out) 1"]);
    assert_eq!(
        sample_lines(&profile.native_only()),
        ["(Python interpreter);(left out) 1", "main;(left out);memcpy 2"]
    );
}

#[test]
fn functions_that_recorders_are_not_sure_of_are_pythons() {
    let profile =
        mixed(&[("y:(Python not verified);p:fit;n:dgemm", 2), ("y:(Python not verified);n:read", 1)]);
    assert!(profile.has_python());
    assert_eq!(
        sample_lines(&profile.python_only()),
        ["(Python not verified) 1", "(Python not verified);fit 2"]
    );
    assert_eq!(
        sample_lines(&profile.native_only()),
        ["(Python interpreter);dgemm 2", "(Python interpreter);read 1"]
    );
}

#[test]
fn a_profile_without_python_has_none_to_show() {
    let profile = samples(&[("main;work", 3)]);
    assert!(!profile.has_python() && example().has_python());
    assert_eq!(sample_lines(&profile.python_only()), ["(not Python) 3"]);
    content(&profile).assert_same(&content(&profile.native_only()));
}

proptest! {
    #[test]
    fn a_view_by_language_loses_nothing_from_the_totals(a in profile()) {
        for view in [a.python_only(), a.native_only()] {
            assert_eq!(totals(&a), totals(&view));
            assert_eq!((&a.runs, &a.warnings), (&view.runs, &view.warnings));
            assert_eq!(a.counters.iter().count(), view.counters.iter().count());
            assert_eq!(a.timeline.n_marks(), view.timeline.n_marks());
        }
    }

    #[test]
    fn a_view_by_language_shows_no_other_and_is_its_own_view(a in profile()) {
        let (python, native) = (a.python_only(), a.native_only());
        let is_made = |name: &str| name == NOT_PYTHON || name == INTERPRETER;
        for (_, frame) in python.frames.iter() {
            assert!(frame.kind != FrameKind::Native);
            assert_eq!(frame.kind == FrameKind::Synthetic, is_made(python.strings.get(frame.name)));
        }
        assert!(!native.has_python());
        content(&native).assert_same(&content(&native.native_only()));
        content(&python).assert_same(&content(&python.python_only()));
    }
}
