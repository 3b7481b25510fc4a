//! One profiler, many threads.

use super::*;

#[test]
fn everything_may_be_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Profiler>();
    is_shared::<ComputeProfiler>();
    is_shared::<MemoryProfiler>();
    is_shared::<TimelineProfiler>();
    is_shared::<ProfileGuard<'_>>();
    is_shared::<calor::Report>();
    is_shared::<Error>();
}

#[test]
fn no_call_and_no_byte_is_lost_between_threads() {
    let profiler = Profiler::new();
    let together = Barrier::new(8);
    thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                together.wait();
                for _ in 0..500 {
                    profiler.start("outer");
                    profile_scope!(&profiler, "inner");
                    profiler.record_alloc("tensor", 64);
                    profiler.record_free("tensor", 64).unwrap();
                    profiler.stop("outer").unwrap();
                }
            });
        }
        for _ in 0..20 {
            let profile = profiler.snapshot();
            assert!(profile.scopes.len() <= 2, "calls of one thread never nest in those of another");
            let _ = profiler.analyze_bottlenecks();
        }
    });
    assert_eq!((profiler.call_count("outer"), profiler.call_count("inner")), (4000, 4000));
    assert_eq!(profiler.current_memory(), 0);
    assert!((64..=8 * 64).contains(&profiler.peak_memory()));
    let stats = profiler.memory().stats("tensor").unwrap();
    assert_eq!((stats.alloc_count, stats.free_count), (4000, 4000));
}

#[test]
fn what_one_thread_starts_another_may_stop_the_oldest_first() {
    let profiler = Profiler::new();
    profiler.start("request");
    spin(Duration::from_millis(2));
    profiler.start("request");
    thread::scope(|threads| {
        let stop = threads.spawn(|| profiler.stop("request").into_result());
        let first = stop.join().unwrap().unwrap();
        assert!(first >= Duration::from_micros(1_980), "the oldest start was stopped: {first:?}");
    });
    assert!(profiler.is_running("request"));
    profiler.stop("request").unwrap();
    assert_eq!(profiler.call_count("request"), 2);
}

#[test]
fn a_stop_prefers_the_start_of_its_own_thread() {
    let profiler = Profiler::new();
    profiler.start("batch");
    thread::scope(|threads| {
        threads.spawn(|| {
            profiler.start("batch");
            profiler.stop("batch").unwrap();
        });
    });
    profiler.start("inside");
    profiler.stop("inside");
    profiler.stop("batch").unwrap();
    assert_eq!(scope(&profiler.snapshot(), &["batch", "inside"]).calls, 1);
}
