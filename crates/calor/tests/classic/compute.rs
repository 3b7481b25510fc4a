//! Operations with what they compute.

use super::*;

#[test]
fn top_operations_come_with_calls_time_and_throughput() {
    let profiler = ComputeProfiler::new();
    let flops = 2.0 * 1024.0 * 1024.0 * 1024.0;
    for _ in 0..2 {
        profiler.start_with_flops("matmul", flops);
        spin(Duration::from_millis(3));
        profiler.stop("matmul");
    }
    profiler.start("relu");
    profiler.stop("relu");
    let top = profiler.top_by_time(5);
    assert_eq!(top.iter().map(|op| op.name.as_str()).collect::<Vec<_>>(), ["matmul", "relu"]);
    let matmul = &top[0];
    assert_eq!((matmul.call_count, matmul.flops), (2, 2.0 * flops));
    let rate = matmul.gflops_per_second().unwrap();
    let expected = 2.0 * flops / matmul.total_time().as_secs_f64() / 1e9;
    assert!((rate / expected - 1.0).abs() < 1e-9);
    assert!(matmul.min_time() <= matmul.avg_time() && matmul.avg_time() <= matmul.max_time());
    assert_eq!(top[1].gflops_per_second(), None);
    assert_eq!(profiler.top_by_time(1).len(), 1);
}

#[test]
fn top_by_flops_goes_by_what_was_computed_and_not_by_time() {
    let profiler = ComputeProfiler::new();
    for (name, flops, millis) in [("long", 10.0, 2), ("heavy", 1e6, 0), ("idle", 0.0, 1)] {
        profiler.start_with_flops(name, flops);
        spin(Duration::from_millis(millis));
        profiler.stop(name);
    }
    let names: Vec<_> = profiler.top_by_flops(5).into_iter().map(|op| op.name).collect();
    assert_eq!(names, ["heavy", "long"]);
}

#[test]
fn work_reaches_the_profile() {
    let profiler = ComputeProfiler::new();
    profiler.start_with_work("copy", 5.0, 4096);
    profiler.stop("copy");
    let profile = profiler.snapshot();
    let work = &scope(&profile, &["copy"]).work;
    assert_eq!((work.flops, work.bytes), (5, 4096));
    assert!(profiler.operation("copy").unwrap().gigabytes_per_second().is_some());
}

#[test]
fn flops_that_are_no_number_count_for_nothing() {
    let profiler = ComputeProfiler::new();
    for flops in [f64::NAN, -1.0, f64::NEG_INFINITY] {
        profiler.start_with_flops("odd", flops);
        profiler.stop("odd");
    }
    let odd = profiler.operation("odd").unwrap();
    assert_eq!((odd.call_count, odd.flops), (3, 0.0));
}
