//! Calls that end with a block.

use super::*;

#[test]
fn a_guard_times_its_block() {
    let profiler = Profiler::new();
    {
        let _guard = ProfileGuard::new(&profiler, "expensive_operation");
        assert!(profiler.is_running("expensive_operation"));
        spin(Duration::from_millis(2));
    }
    assert!(!profiler.is_running("expensive_operation"));
    assert!(profiler.total_time("expensive_operation") >= Duration::from_micros(1_980));
}

#[test]
fn the_macro_times_the_rest_of_its_block_and_may_be_used_twice() {
    let profiler = Profiler::new();
    {
        profile_scope!(&profiler, "outer");
        profile_scope!(&profiler, "inner");
        assert!(profiler.is_running("outer") && profiler.is_running("inner"));
    }
    let profile = profiler.snapshot();
    assert_eq!(scope(&profile, &["outer", "inner"]).calls, 1);
    assert_eq!(scope(&profile, &["outer"]).calls, 1);
}

#[test]
fn a_guard_whose_call_was_stopped_by_hand_stops_nothing_else() {
    let profiler = Profiler::new();
    profiler.start("load");
    {
        let _guard = ProfileGuard::new(&profiler, "load");
        profiler.stop("load").unwrap();
    }
    assert!(profiler.is_running("load"));
    assert_eq!(profiler.call_count("load"), 1);
}

#[test]
fn a_guard_may_end_on_another_thread() {
    let profiler = Profiler::new();
    let guard = ProfileGuard::new(&profiler, "handed over");
    thread::scope(|threads| {
        threads.spawn(move || drop(guard));
    });
    assert_eq!(profiler.call_count("handed over"), 1);
}
