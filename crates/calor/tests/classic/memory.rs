//! The account of named allocations.

use super::*;

#[test]
fn current_and_peak_follow_what_is_told() {
    let profiler = Profiler::new();
    profiler.record_alloc("weights", 4 * 1024 * 1024);
    profiler.record_alloc("activations", 2 * 1024 * 1024);
    assert_eq!(profiler.current_memory(), 6 * 1024 * 1024);
    profiler.record_free("activations", 2 * 1024 * 1024);
    assert_eq!(profiler.current_memory(), 4 * 1024 * 1024);
    assert_eq!(profiler.peak_memory(), 6 * 1024 * 1024);
}

#[test]
fn each_name_knows_what_it_held_at_the_peak() {
    let memory = MemoryProfiler::new();
    memory.record_alloc("early", 100);
    memory.record_free("early", 60).unwrap();
    memory.record_alloc("large", 1000);
    memory.record_free("large", 900).unwrap();
    memory.record_alloc("early", 80);
    memory.record_alloc("late", 5);
    let at_peak = |name| memory.stats(name).unwrap().bytes_at_peak;
    assert_eq!((memory.peak(), memory.current()), (1040, 225));
    assert_eq!((at_peak("early"), at_peak("large"), at_peak("late")), (40, 1000, 0));
    let early = memory.stats("early").unwrap();
    assert_eq!((early.peak_bytes, early.allocated_bytes, early.freed_bytes), (120, 180, 60));
    assert!(memory.stats("never").is_none());
}

#[test]
fn leaks_are_what_is_still_held_the_largest_first() {
    let memory = MemoryProfiler::new();
    for (name, allocated, freed) in [("a", 10, 10), ("b", 10, 5), ("c", 100, 1)] {
        memory.record_alloc(name, allocated);
        memory.record_free(name, freed).unwrap();
    }
    let leaks: Vec<_> = memory.leaks().into_iter().map(|stats| (stats.name, stats.current_bytes)).collect();
    assert_eq!(leaks, [(String::from("c"), 99), (String::from("b"), 5)]);
}

#[test]
fn freeing_more_than_is_held_says_what_to_do_and_never_goes_below_zero() {
    let memory = MemoryProfiler::new();
    memory.record_alloc("tensor", 10);
    let error = memory.record_free("tensor", 30).err().expect("only 10 bytes are held");
    assert!(matches!(error, Error::NotHeld { bytes: 30, held: 10, .. }), "{error}");
    assert!(memory.record_free("unheard of", 1).is_err());
    assert_eq!(memory.current(), 0);
    assert_eq!(memory.all().len(), 1, "a free makes no name");
    assert_eq!(warning(&memory.snapshot(), "frees_without_alloc"), Some(21));
}

#[test]
fn the_profile_has_the_same_account() {
    let memory = MemoryProfiler::new();
    memory.record_alloc("weights", 300);
    memory.record_alloc("scratch", 200);
    memory.record_free("scratch", 200);
    let profile = memory.snapshot();
    let summary = profile.heap.summary.unwrap();
    assert_eq!((summary.mode, summary.peak_bytes), (HeapMode::Exact, 500));
    let rows: Vec<_> = profile
        .heap
        .iter()
        .map(|(key, site)| (profile.stack_name(key.stack), site.live_bytes(), site.peak_bytes))
        .collect();
    assert_eq!(rows, [("scratch", 0, 200), ("weights", 300, 300)]);
    assert!(profile.frames.iter().all(|(_, frame)| frame.kind == FrameKind::Scope));
}

#[test]
fn names_beyond_the_limit_are_added_up() {
    let memory = MemoryProfiler::new();
    for i in 0..9000 {
        memory.record_alloc(&format!("tensor {i}"), 2);
    }
    for i in 0..9000 {
        memory.record_free(&format!("tensor {i}"), 2).unwrap();
    }
    assert_eq!((memory.current(), memory.peak()), (0, 18_000));
    assert_eq!(memory.all().len(), 8193);
}
