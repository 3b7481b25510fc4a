//! Scopes as a program uses them: trees, threads, recursion, leaks, counters, contexts.

#![expect(unsafe_code, reason = "one test moves a guard to another thread against the rules")]

mod support;

use std::sync::mpsc;
use std::time::Duration;

use calor::model::{Filter, FrameKind};
use support::{alone, find, get, paths, self_nanos, warned};

fn spin(micros: u64) {
    let begin = std::time::Instant::now();
    while begin.elapsed() < Duration::from_micros(micros) {
        std::hint::spin_loop();
    }
}

#[test]
fn nested_scopes_become_a_call_tree_whose_self_times_sum_to_the_root() {
    let _alone = alone();
    calor::enable();
    for _ in 0..10 {
        calor::scope!("tree root");
        spin(20);
        for _ in 0..3 {
            calor::scope!("left");
            {
                calor::scope!("leaf");
                spin(5);
            }
        }
        {
            calor::scope!("right");
            spin(10);
        }
    }
    let profile = calor::snapshot();
    assert_eq!(get(&profile, "tree root").calls, 10);
    assert_eq!(get(&profile, "tree root/left").calls, 30);
    assert_eq!(get(&profile, "tree root/left/leaf").calls, 30);
    assert_eq!(get(&profile, "tree root/right").calls, 10);
    let own: Vec<_> = paths(&profile).into_iter().filter(|path| path.starts_with("tree root")).collect();
    let sum: i64 = own.iter().map(|path| self_nanos(&profile, path)).sum();
    assert_eq!(sum, get(&profile, "tree root").total_nanos.cast_signed());
    assert!(own.iter().all(|path| self_nanos(&profile, path) >= 0));
    assert!(self_nanos(&profile, "tree root") >= 10 * 20_000);
    assert!(get(&profile, "tree root/right").timed.min_nanos >= 10_000);
}

#[test]
fn counts_equal_the_loop_count_on_8_threads() {
    let _alone = alone();
    calor::enable();
    const LOOPS: u64 = 100_003;
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                for _ in 0..LOOPS {
                    calor::scope!("eight threads");
                    calor::scope!("inner of eight");
                }
            });
        }
    });
    let profile = calor::snapshot();
    let outer = get(&profile, "eight threads");
    assert_eq!(outer.calls, 8 * LOOPS);
    assert_eq!(outer.timed.histogram().count(), 8 * LOOPS);
    assert_eq!(get(&profile, "eight threads/inner of eight").calls, 8 * LOOPS);
}

#[test]
fn a_snapshot_while_threads_run_sees_open_scopes_and_counts_only_upwards() {
    let _alone = alone();
    calor::enable();
    let (started, wait_for_start) = mpsc::channel();
    let (stop, wait_for_stop) = mpsc::channel::<()>();
    let worker = std::thread::spawn(move || {
        calor::scope!("still open");
        started.send(()).unwrap();
        while wait_for_stop.try_recv().is_err() {
            calor::scope!("repeated");
        }
    });
    wait_for_start.recv().unwrap();
    let mut seen = 0;
    for _ in 0..50 {
        let profile = calor::snapshot();
        let open = get(&profile, "still open");
        assert_eq!((open.calls, open.open_calls), (0, 1));
        if let Some(inner) = find(&profile, "still open/repeated") {
            assert!(inner.calls >= seen);
            seen = inner.calls;
            assert!(inner.total_nanos <= open.inclusive_nanos(), "a child took longer than its open parent");
        }
    }
    stop.send(()).unwrap();
    worker.join().unwrap();
    let profile = calor::snapshot();
    let closed = get(&profile, "still open");
    assert_eq!((closed.calls, closed.open_calls, closed.open_nanos), (1, 0, 0));
}

#[test]
fn threads_that_end_lose_nothing_and_their_number_does_not_matter() {
    let _alone = alone();
    calor::enable();
    for round in 0..200 {
        let threads: Vec<_> = (0..10)
            .map(|_| {
                std::thread::Builder::new()
                    .name(format!("short {}", round % 3))
                    .spawn(|| {
                        for _ in 0..7 {
                            calor::scope!("of a short thread");
                        }
                    })
                    .unwrap()
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
    let profile = calor::snapshot();
    assert_eq!(get(&profile, "of a short thread").calls, 200 * 10 * 7);
    assert!(profile.threads.len() < 600, "{} threads are kept apart", profile.threads.len());
    assert!(warned(&profile, "threads_added_up") > 1000);
}

#[test]
fn recursion_is_bounded_and_what_is_deeper_is_counted() {
    fn descend(levels: u32) {
        calor::scope!("descend");
        if levels > 1 {
            descend(levels - 1);
        }
    }
    let _alone = alone();
    calor::enable();
    let before = warned(&calor::snapshot(), "scopes_too_deep");
    std::thread::spawn(|| descend(1000)).join().unwrap();
    let profile = calor::snapshot();
    let levels = paths(&profile).iter().filter(|path| path.starts_with("descend")).count();
    assert_eq!(levels, 128);
    assert_eq!(warned(&profile, "scopes_too_deep") - before, 1000 - 128);
    let folded = profile.fold_recursion();
    let whole = get(&folded, "descend");
    assert_eq!(whole.calls, 128);
    assert_eq!(whole.total_nanos, get(&profile, "descend").total_nanos);
}

#[test]
fn a_leaked_guard_harms_nothing() {
    let _alone = alone();
    calor::enable();
    std::thread::spawn(|| {
        for _ in 0..5 {
            calor::scope!("around a leak");
            std::mem::forget(calor::open!("leaked"));
            calor::scope!("after the leak");
        }
        calor::scope!("later");
    })
    .join()
    .unwrap();
    let profile = calor::snapshot();
    assert_eq!(get(&profile, "around a leak").calls, 5);
    assert_eq!(get(&profile, "around a leak/leaked/after the leak").calls, 5);
    assert_eq!(get(&profile, "later").calls, 1);
    assert!(find(&profile, "around a leak/leaked").is_none_or(|leaked| leaked.calls == 0));
    assert_eq!(get(&profile, "around a leak").open_calls, 0, "what is around a leak closes as ever");
}

#[test]
fn guards_dropped_out_of_order_are_recorded_and_the_tree_recovers() {
    let _alone = alone();
    calor::enable();
    std::thread::spawn(|| {
        let first = calor::open!("first opened");
        let second = calor::open!("second opened");
        drop(first);
        drop(second);
        calor::scope!("next root");
    })
    .join()
    .unwrap();
    let profile = calor::snapshot();
    assert_eq!(get(&profile, "first opened").calls, 1);
    assert_eq!(get(&profile, "first opened/second opened").calls, 1);
    assert_eq!(get(&profile, "next root").calls, 1);
}

#[test]
fn a_guard_dropped_on_another_thread_harms_nothing_and_is_counted() {
    struct Moved(#[expect(dead_code, reason = "it is there to be dropped")] calor::Scope);
    // SAFETY: it is not safe to rely on; that it does no harm is what the test is about.
    unsafe impl Send for Moved {}

    let _alone = alone();
    calor::enable();
    let before = warned(&calor::snapshot(), "scopes_stray");
    std::thread::spawn(|| {
        let moved = Moved(calor::open!("moved away"));
        std::thread::spawn(move || {
            calor::scope!("on the other thread");
            drop(moved);
        })
        .join()
        .unwrap();
        calor::scope!("goes on");
    })
    .join()
    .unwrap();
    let profile = calor::snapshot();
    assert_eq!(warned(&profile, "scopes_stray") - before, 1);
    assert_eq!(get(&profile, "on the other thread").calls, 1);
    assert_eq!(get(&profile, "moved away/goes on").calls, 1);
}

#[test]
fn a_scope_carries_what_it_worked_on() {
    let _alone = alone();
    calor::enable();
    for n in 0..4_u64 {
        let scope = calor::open!("matmul", flops = 2000, bytes = 100, elements = 10, backend = "avx2");
        scope.add("tiles", 3).add("tokens", n);
        if n == 3 {
            scope.backend("scalar");
        }
    }
    let profile = calor::snapshot();
    let work = get(&profile, "matmul").work;
    assert_eq!((work.flops, work.bytes, work.elements), (8000, 400, 40));
    let named = |entries: Vec<(String, i64)>| entries;
    let counters =
        named(work.counters.iter().map(|&(name, n)| (profile.strings.get(name).to_owned(), n)).collect());
    assert!(
        counters.contains(&("tiles".to_owned(), 12)) && counters.contains(&("tokens".to_owned(), 6)),
        "{counters:?}"
    );
    let backends: Vec<_> = work.backends.iter().map(|&(name, n)| (profile.strings.get(name), n)).collect();
    assert!(backends.contains(&("avx2", 4)) && backends.contains(&("scalar", 1)), "{backends:?}");
}

#[test]
fn calls_of_a_site_whose_work_is_said_need_not_tell_theirs() {
    let _alone = alone();
    calor::enable();
    let site = calor::Site::made("add of one shape", "numpy", "train.py", 3, &[("op", "numpy")]);
    site.set_call_work(calor::CallWork { elements: 10, bytes: 240, flops: 9, backend: Some("numpy") });
    for n in 0..5_u64 {
        let scope = calor::Scope::enter(site);
        if n == 4 {
            scope.end_with(|| calor::CallWork { elements: 1, bytes: 2, flops: 3, backend: None });
        }
    }
    let here = calor::Here::get().expect("the recorder is on");
    let did = |n: &u64| (*n == 7).then_some(calor::CallWork { bytes: 1000, ..Default::default() });
    for n in [6, 7] {
        // SAFETY: on the thread it was got on.
        #[expect(unsafe_code, reason = "the handle is used on its thread")]
        let given = unsafe { here.around(site, || n, did) };
        assert_eq!(given, n);
    }
    let profile = calor::snapshot();
    let stats = get(&profile, "add of one shape");
    let work = &stats.work;
    assert_eq!((stats.calls, work.elements, work.bytes, work.flops), (7, 71, 2682, 66));
    let backends: Vec<_> = work.backends.iter().map(|&(name, n)| (profile.strings.get(name), n)).collect();
    assert_eq!(backends, [("numpy", 7)]);
}

#[test]
fn after_a_reset_there_is_room_for_other_call_paths() {
    let _alone = alone();
    calor::enable();
    // A thread of its own, so that its tree is empty before.
    let recorded = std::thread::spawn(|| {
        for n in 0..5_000 {
            drop(calor::Scope::enter(calor::Site::named(&format!("path {n}"))));
        }
        calor::reset();
        drop(calor::Scope::enter(calor::Site::named("path after reset")));
        let profile = calor::snapshot();
        let names = profile.scopes.iter().map(|(key, _)| profile.stack_name(key.stack).to_owned());
        names.collect::<Vec<_>>()
    });
    let names = recorded.join().expect("no panic");
    assert!(names.contains(&"path after reset".to_owned()), "{names:?}");
    assert!(!names.contains(&"path 3".to_owned()));
}

#[test]
fn counters_beyond_the_limit_are_counted_as_lost() {
    let _alone = alone();
    calor::enable();
    let before = warned(&calor::snapshot(), "counters_over_limit");
    {
        let scope = calor::open!("many counters");
        for name in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"] {
            scope.add(name, 1);
        }
    }
    let profile = calor::snapshot();
    assert_eq!(get(&profile, "many counters").work.counters.len(), 8);
    assert_eq!(warned(&profile, "counters_over_limit") - before, 2);
}

#[test]
fn a_context_can_be_reported_alone() {
    let _alone = alone();
    calor::enable();
    std::thread::spawn(|| {
        calor::scope!("pipeline");
        {
            calor::context!("preprocessing");
            calor::scope!("normalise");
        }
        {
            calor::context!("inference");
            calor::scope!("normalise");
            calor::scope!("forward");
        }
    })
    .join()
    .unwrap();
    let profile = calor::snapshot();
    let alone = profile.filter(&Filter::new().context("inference"));
    assert_eq!(paths(&alone), ["inference", "inference/normalise", "inference/normalise/forward"]);
    let kinds: Vec<_> = alone.frames.iter().map(|(_, frame)| frame.kind).collect();
    assert!(kinds.contains(&FrameKind::Context));
}

#[test]
fn names_made_at_run_time_work_and_are_bounded() {
    let _alone = alone();
    calor::enable();
    let other = std::thread::spawn(|| {
        for i in 0..9000 {
            let site = calor::Site::named(&format!("generated {i}"));
            if i == 0 || i >= 8998 {
                let _scope = calor::Scope::enter(site);
            }
        }
    });
    other.join().unwrap();
    let profile = calor::snapshot();
    assert_eq!(get(&profile, "generated 0").calls, 1);
    assert_eq!(get(&profile, "(other names)").calls, 2);
}

#[test]
fn sites_tell_where_they_are() {
    let _alone = alone();
    calor::enable();
    {
        calor::scope!("placed");
    }
    let line = line!() - 2;
    let profile = calor::snapshot();
    let (_, frame) = profile
        .frames
        .iter()
        .find(|(_, frame)| profile.strings.get(frame.name) == "placed")
        .expect("it was recorded");
    assert_eq!(frame.line, Some(line));
    assert!(profile.strings.get(frame.file.unwrap()).ends_with("scopes.rs"));
    assert_eq!(profile.strings.get(frame.module.unwrap()), module_path!());
}

#[test]
fn the_cost_of_an_empty_scope_is_measured() {
    let _alone = alone();
    calor::enable();
    let cost = calor::snapshot().runs[0].cost;
    let (whole, inside) = (cost.per_scope_picos.unwrap(), cost.inside_scope_picos.unwrap());
    assert!(whole > 1000 && whole < 100_000_000, "{whole} ps");
    assert!(inside <= whole);
}

#[test]
fn a_guard_that_outlives_its_threads_block_tells_nobody() {
    struct Kept(std::cell::RefCell<Option<calor::Scope>>);

    impl Drop for Kept {
        fn drop(&mut self) {
            let scope = self.0.take().unwrap();
            // Give the block to another thread before this one uses its guard.
            let other = std::thread::spawn(|| {
                let _ = calor::snapshot();
                let scope = calor::open!("another thread's");
                scope.elements(1).add("n", 1);
            });
            other.join().unwrap();
            scope.elements(1000).add("n", 1000);
        }
    }

    thread_local! { static KEPT: Kept = const { Kept(std::cell::RefCell::new(None)) }; }

    let _alone = alone();
    calor::enable();
    let keeper = std::thread::spawn(|| {
        // The storage first, so that it is torn down last.
        KEPT.with(|_| {});
        let scope = calor::open!("kept in thread-local storage");
        KEPT.with(|kept| kept.0.replace(Some(scope)));
    });
    keeper.join().unwrap();
    let profile = calor::snapshot();
    assert_eq!(get(&profile, "another thread's").work.elements, 1);
    // It was open when its thread ended, and what it was told later went nowhere.
    let kept = get(&profile, "kept in thread-local storage");
    assert_eq!((kept.calls, kept.open_calls, kept.work.elements), (0, 1, 0));
}
