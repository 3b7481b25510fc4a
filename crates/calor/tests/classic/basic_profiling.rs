//! Times and counts of operations that are started and stopped.

use super::*;

#[test]
fn an_operation_is_at_least_as_long_as_the_work_in_it() {
    let profiler = Profiler::new();
    for _ in 0..4 {
        profiler.start("forward_pass");
        spin(Duration::from_millis(2));
        profiler.stop("forward_pass");
    }
    // Ticks and the wall's clock agree to a part in ten thousand; a hundredth is left for that.
    let total = profiler.total_time("forward_pass");
    assert!(total >= Duration::from_micros(7_920), "{total:?}");
    assert!(profiler.avg_time("forward_pass") >= Duration::from_micros(1_980));
    // One look, because the rate of the clock is known better with each in the first second.
    let operation = profiler.compute().operation("forward_pass").unwrap();
    assert_eq!(operation.avg_time(), operation.total_time() / 4);
    assert_eq!(profiler.call_count("forward_pass"), 4);
}

#[test]
fn a_stop_tells_how_long_the_call_took() {
    let profiler = Profiler::new();
    profiler.start("step");
    let took = profiler.stop("step").into_result().unwrap();
    let total = profiler.total_time("step");
    // The clock's rate is known better and better in the first second.
    assert!(took.abs_diff(total) <= total / 50 + Duration::from_nanos(2), "{took:?} {total:?}");
}

#[test]
fn what_never_ran_has_no_time_and_no_calls() {
    let profiler = Profiler::new();
    profiler.start("running");
    for name in ["running", "unheard of"] {
        assert_eq!(profiler.total_time(name), Duration::ZERO);
        assert_eq!(profiler.avg_time(name), Duration::ZERO);
        assert_eq!(profiler.call_count(name), 0);
    }
    assert!(profiler.is_running("running") && !profiler.is_running("unheard of"));
}

#[test]
fn operations_nest_in_the_profile() {
    let profiler = Profiler::new();
    profiler.start("step");
    for _ in 0..3 {
        profiler.start("matmul");
        profiler.stop("matmul");
    }
    profiler.stop("step");
    profiler.start("matmul");
    profiler.stop("matmul");
    let profile = profiler.snapshot();
    assert_eq!(scope(&profile, &["step"]).calls, 1);
    assert_eq!(scope(&profile, &["step", "matmul"]).calls, 3);
    assert_eq!(scope(&profile, &["matmul"]).calls, 1);
    assert_eq!(profiler.call_count("matmul"), 4);
    assert!(scope(&profile, &["step"]).total_nanos >= scope(&profile, &["step", "matmul"]).total_nanos);
    assert!(profile.runs[0].recorders.iter().eq(&[calor::model::Recorder::Scopes]));
}

#[test]
fn recursion_counts_every_call_and_no_time_twice() {
    fn descend(profiler: &Profiler, levels: u32) {
        profiler.start("descend");
        if levels > 1 {
            descend(profiler, levels - 1);
        }
        profiler.stop("descend");
    }
    let profiler = Profiler::new();
    profiler.start("outside");
    // Deeper than the recorder keeps call paths apart.
    descend(&profiler, 300);
    profiler.stop("outside");
    assert_eq!(profiler.call_count("descend"), 300);
    assert!(profiler.total_time("descend") <= profiler.total_time("outside"));
}

#[test]
fn what_still_runs_is_in_the_snapshot_with_its_time_so_far() {
    let profiler = Profiler::new();
    profiler.start("training");
    profiler.start("step");
    spin(Duration::from_millis(1));
    profiler.stop("step");
    let profile = profiler.snapshot();
    let training = scope(&profile, &["training"]);
    assert_eq!((training.calls, training.open_calls), (0, 1));
    assert!(training.open_nanos as u64 >= scope(&profile, &["training", "step"]).total_nanos);
}

#[test]
fn profilers_do_not_see_each_other_and_need_nothing_turned_on() {
    let (one, other) = (Profiler::new(), Profiler::new());
    one.start("shared name");
    one.stop("shared name");
    assert_eq!((one.call_count("shared name"), other.call_count("shared name")), (1, 0));
    assert!(other.stop("shared name").is_err());
}

#[test]
fn a_thousand_calls_are_a_thousand_calls() {
    let profiler = Profiler::new();
    for _ in 0..1000 {
        profiler.start("tick");
        profiler.stop("tick");
    }
    assert_eq!(profiler.call_count("tick"), 1000);
    let profile = profiler.snapshot();
    let ticks = scope(&profile, &["tick"]);
    assert_eq!((ticks.calls, ticks.timed.count), (1000, 1000));
}
