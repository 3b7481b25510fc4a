//! The profiler of the process. Everything in this file shares it, so its tests run one at a time.

use calor::model::Recorder;

use super::*;

#[test]
fn the_global_profiler_is_one_for_all_and_part_of_the_snapshot() {
    let _alone = alone();
    calor::start("global_operation");
    thread::spawn(|| calor::stop("global_operation").unwrap()).join().unwrap();
    assert!(calor::stop("global_operation").is_err());
    calor::record_alloc("global_tensor", 1024);
    assert!(calor::record_free("global_tensor", 24).is_ok());
    assert_eq!(global_profiler().current_memory(), 1000);
    global_profiler().print_summary();

    let profile = calor::snapshot();
    assert_eq!(scope(&profile, &["global_operation"]).calls, 1);
    assert!(profile.heap.iter().any(|(key, _)| profile.stack_name(key.stack) == "global_tensor"));
    assert!(profile.runs.len() == 1 && profile.runs[0].recorders.contains(&Recorder::Heap));
    assert!(calor::report().contains("global_operation"));

    calor::reset();
    assert_eq!(global_profiler().call_count("global_operation"), 0);
    assert!(calor::snapshot().is_empty());
}

#[test]
fn a_recorder_that_is_reset_leaves_other_profilers_alone() {
    let _alone = alone();
    let profiler = Profiler::new();
    profiler.start("kept");
    profiler.stop("kept");
    calor::reset();
    assert_eq!(scope(&profiler.snapshot(), &["kept"]).calls, 1);
}
