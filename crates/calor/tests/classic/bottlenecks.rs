//! What stands out, and from where on.

use super::*;

fn kinds(found: &[calor::Bottleneck], name: &str) -> Vec<BottleneckKind> {
    let mut kinds: Vec<_> = found.iter().filter(|b| b.name == name).map(|b| b.kind).collect();
    kinds.sort_unstable();
    kinds
}

#[test]
fn the_operation_that_takes_most_of_the_time_is_found_and_its_caller_is_not() {
    let profiler = Profiler::new();
    profiler.start("step");
    profiler.start("matmul");
    spin(Duration::from_millis(20));
    profiler.stop("matmul");
    profiler.start("relu");
    profiler.stop("relu");
    profiler.stop("step");
    let found = profiler.analyze_bottlenecks();
    assert_eq!(kinds(&found, "matmul"), [BottleneckKind::SlowOperation]);
    let slow = found.iter().find(|bottleneck| bottleneck.name == "matmul").unwrap();
    assert!(slow.measured > 0.2 && slow.threshold == 0.2);
    assert!(slow.description.contains("% of the recorded time") && slow.suggestion.len() > 10);
}

#[test]
fn ten_thousand_calls_are_allowed_and_one_more_is_not() {
    let profiler = Profiler::new();
    for _ in 0..10_000 {
        profiler.start("tick");
        profiler.stop("tick");
    }
    let is_found = || kinds(&profiler.analyze_bottlenecks(), "tick").contains(&BottleneckKind::HighCallCount);
    assert!(!is_found());
    profiler.start("tick");
    profiler.stop("tick");
    assert!(is_found());
}

#[test]
fn memory_above_its_share_of_the_peak_or_not_freed_is_found() {
    let memory = MemoryProfiler::new();
    for (name, allocated, freed) in [("large", 70, 70), ("small", 20, 20), ("leaky", 10, 9)] {
        memory.record_alloc(name, allocated);
        memory.record_free(name, 0).unwrap();
        if freed < allocated {
            memory.record_free(name, freed).unwrap();
        }
    }
    memory.record_free("large", 70).unwrap();
    memory.record_free("small", 20).unwrap();
    let found = BottleneckAnalyzer::new().analyze(&[], &memory.all());
    assert_eq!(kinds(&found, "large"), [BottleneckKind::MemoryHotspot]);
    assert_eq!(kinds(&found, "small"), []);
    assert_eq!(kinds(&found, "leaky"), [BottleneckKind::MemoryLeak]);
    let leak = found.iter().find(|bottleneck| bottleneck.name == "leaky").unwrap();
    assert_eq!((leak.measured, leak.severity), (0.1, Severity::Medium));
}

#[test]
fn what_was_never_freed_is_only_a_slight_suspicion() {
    let profiler = Profiler::new();
    profiler.record_alloc("weights", 1000);
    let found = profiler.analyze_bottlenecks();
    let leak = found.iter().find(|bottleneck| bottleneck.kind == BottleneckKind::MemoryLeak).unwrap();
    assert_eq!(leak.severity, Severity::Low);
    assert!(leak.suggestion.starts_with("A leak if"), "{}", leak.suggestion);
}

#[test]
fn slow_computing_is_found_only_where_flops_were_told() {
    let profiler = Profiler::new();
    for (name, flops) in [("slow", Some(1000.0)), ("quick", Some(1e15)), ("untold", None)] {
        match flops {
            Some(flops) => profiler.start_with_flops(name, flops),
            None => profiler.start(name),
        }
        spin(Duration::from_millis(1));
        profiler.stop(name);
    }
    let found = profiler.analyze_bottlenecks();
    let slow: Vec<_> = found.iter().filter(|b| b.kind == BottleneckKind::LowThroughput).collect();
    assert_eq!(slow.len(), 1);
    assert_eq!((slow[0].name.as_str(), slow[0].severity), ("slow", Severity::Critical));
}

#[test]
fn thresholds_may_be_chosen() {
    let thresholds = Thresholds { high_call_count: 1, slow_operation_share: 1.0, ..Thresholds::default() };
    let profiler = Profiler::with_thresholds(thresholds);
    for _ in 0..2 {
        profiler.start("tick");
        profiler.stop("tick");
    }
    assert_eq!(kinds(&profiler.analyze_bottlenecks(), "tick"), [BottleneckKind::HighCallCount]);
}

#[test]
fn the_worst_comes_first_and_nothing_gives_nothing() {
    assert!(Profiler::new().analyze_bottlenecks().is_empty());
    let profiler = Profiler::new();
    profiler.record_alloc("weights", 1000);
    profiler.start_with_flops("slow", 1.0);
    spin(Duration::from_millis(1));
    profiler.stop("slow");
    let severities: Vec<_> = profiler.analyze_bottlenecks().iter().map(|found| found.severity).collect();
    assert!(severities.len() >= 3 && severities.is_sorted_by(|a, b| a >= b), "{severities:?}");
}
