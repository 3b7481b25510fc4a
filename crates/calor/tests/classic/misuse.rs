//! What is used in the wrong way is answered with an error or counted, and harms nothing else.

use super::*;

#[test]
fn a_stop_without_a_start_says_what_to_do() {
    let profiler = Profiler::new();
    profiler.start("matmul");
    let error = profiler.stop("matmull").err().expect("nothing of that name was started");
    assert!(matches!(error, Error::NotStarted { .. }));
    let expected = "stop(\"matmull\") without a start: call start(\"matmull\") first, spelt the same way; \
                    open now: `matmul`";
    assert_eq!(error.to_string(), expected);
    assert!(profiler.is_running("matmul"));
    assert_eq!(warning(&profiler.snapshot(), "stops_without_start"), Some(1));
}

#[test]
fn a_second_stop_says_that_it_is_one_too_many() {
    let profiler = Profiler::new();
    profiler.start("matmul");
    assert!(profiler.stop("matmul").is_ok());
    let outcome: calor::Result<Duration> = profiler.stop("matmul").into();
    let error = outcome.unwrap_err();
    assert!(matches!(error, Error::AlreadyStopped { calls: 1, .. }), "{error}");
    assert!(error.to_string().starts_with("stop(\"matmul\") once too often"));
    assert_eq!(profiler.call_count("matmul"), 1);
}

#[test]
fn calls_that_overlap_are_both_recorded() {
    let profiler = Profiler::new();
    profiler.start("a");
    profiler.start("b");
    profiler.stop("a").unwrap();
    profiler.stop("b").unwrap();
    assert_eq!((profiler.call_count("a"), profiler.call_count("b")), (1, 1));
}

#[test]
fn calls_that_are_running_during_a_reset_are_not_counted() {
    let profiler = Profiler::new();
    profiler.record_alloc("weights", 10);
    profiler.start("epoch");
    profiler.start("step");
    profiler.stop("step");
    profiler.reset();
    profiler.start("step");
    profiler.stop("step");
    profiler.stop("epoch").unwrap();
    assert_eq!((profiler.call_count("epoch"), profiler.call_count("step")), (0, 1));
    assert_eq!((profiler.current_memory(), profiler.peak_memory()), (0, 0));
    assert_eq!(scope(&profiler.snapshot(), &["step"]).calls, 1);
}

#[test]
fn starts_that_are_never_stopped_do_not_hide_other_operations() {
    let profiler = Profiler::new();
    for _ in 0..70_000 {
        profiler.start("leaked");
    }
    profiler.start("work");
    profiler.stop("work").unwrap();
    assert_eq!(profiler.call_count("work"), 1);
    assert_eq!(warning(&profiler.snapshot(), "starts_without_stop"), Some(32_768));
}

#[test]
fn a_panic_in_a_guarded_block_ends_the_call_and_harms_nothing() {
    let profiler = Profiler::new();
    thread::scope(|threads| {
        let worker = threads.spawn(|| {
            profile_scope!(&profiler, "doomed");
            std::panic::resume_unwind(Box::new("on purpose"));
        });
        assert!(worker.join().is_err());
    });
    assert_eq!(profiler.call_count("doomed"), 1);
    assert!(!profiler.is_running("doomed"));
}
