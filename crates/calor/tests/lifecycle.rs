//! On, off, reset, other options, one in N: changes to how everything is recorded, so one test at a time.

mod support;

use std::time::Duration;

use support::{alone, find, get};

#[test]
fn nothing_is_recorded_while_off_and_open_scopes_still_close() {
    let _alone = alone();
    calor::disable();
    {
        calor::scope!("while off");
    }
    calor::enable();
    let open = calor::open!("open across disable");
    calor::disable();
    drop(open);
    assert!(!calor::is_enabled());
    let profile = calor::snapshot();
    assert!(find(&profile, "while off").is_none());
    assert_eq!(get(&profile, "open across disable").calls, 1);
}

#[test]
fn a_run_is_no_shorter_than_scopes_that_went_on_when_it_was_turned_off() {
    let _alone = alone();
    calor::enable();
    calor::reset();
    let open = calor::open!("goes on");
    calor::disable();
    std::thread::sleep(Duration::from_millis(30));
    drop(open);
    let profile = calor::snapshot();
    let (scope, run) = (get(&profile, "goes on").inclusive_nanos(), profile.runs[0].duration_nanos);
    assert!(scope >= 30_000_000 && run >= scope, "{scope} of {run}");
}

#[test]
fn time_goes_by_if_the_recorder_is_on_whoever_turned_it() {
    let _alone = alone();
    let turn_often = || {
        for _ in 0..2_000 {
            calor::enable();
            calor::disable();
        }
        calor::enable();
    };
    for _ in 0..5 {
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(turn_often))));
        assert!(calor::is_enabled());
        let duration = || calor::snapshot().runs[0].duration_nanos;
        let before = duration();
        std::thread::sleep(Duration::from_millis(5));
        assert!(duration() >= before + 5_000_000);
    }
}

#[test]
fn a_reset_forgets_what_was_and_counts_on_from_zero() {
    let _alone = alone();
    calor::enable();
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let (done, ready) = std::sync::mpsc::channel::<()>();
    let other = std::thread::spawn(move || {
        for _ in 0..1000 {
            calor::scope!("before and after");
        }
        done.send(()).unwrap();
        wait.recv().unwrap();
        for _ in 0..300 {
            calor::scope!("before and after");
        }
    });
    ready.recv().unwrap();
    assert_eq!(get(&calor::snapshot(), "before and after").calls, 1000);
    let open = calor::open!("open across reset");
    calor::reset();
    assert!(find(&calor::snapshot(), "before and after").is_none(), "a thread that does nothing forgets too");
    drop(open);
    go.send(()).unwrap();
    other.join().unwrap();
    let profile = calor::snapshot();
    let stats = get(&profile, "before and after");
    assert_eq!((stats.calls, stats.timed.histogram().count()), (300, 300));
    assert!(find(&profile, "open across reset").is_none());
    calor::reset();
    assert!(calor::snapshot().scopes.is_empty());
}

#[test]
fn one_in_n_counts_all_and_estimates_the_total_within_its_interval() {
    let _alone = alone();
    calor::enable_with(&calor::Options::new().time_one_in(16));
    let begin = std::time::Instant::now();
    for i in 0..40_000_u64 {
        calor::scope!("one in sixteen");
        for j in 0..(i % 7) * 20 {
            std::hint::black_box(j);
        }
    }
    let wall = begin.elapsed().as_nanos() as u64;
    for _ in 0..5 {
        calor::scope!("rare");
    }
    calor::enable_with(&calor::Options::new());
    for _ in 0..10 {
        calor::scope!("rare");
    }
    let profile = calor::snapshot();
    let stats = get(&profile, "one in sixteen");
    assert_eq!(stats.calls, 40_000);
    assert!(stats.is_estimated() && stats.total_variance > 0.0);
    assert!((1800..3500).contains(&stats.timed.count), "{} were timed", stats.timed.count);
    // A timed call that another program interrupts stands for sixteen, and widens the interval as well.
    let least = stats.total_nanos as f64 - 4.0 * stats.total_variance.sqrt();
    assert!(least < wall as f64, "{} of {wall}, surely {least}", stats.total_nanos);
    let rare = get(&profile, "rare");
    assert_eq!((rare.calls, rare.timed.count), (15, 15));
    assert!(!rare.is_estimated());
}

#[test]
fn a_single_site_can_be_timed_one_in_n() {
    let _alone = alone();
    calor::enable_with(&calor::Options::new());
    for _ in 0..10_000 {
        calor::scope!("around");
        calor::scope!("hot site", time_one_in = 10, elements = 2);
    }
    let profile = calor::snapshot();
    assert_eq!(get(&profile, "around").timed.count, 10_000);
    let hot = get(&profile, "around/hot site");
    assert_eq!((hot.calls, hot.work.elements), (10_000, 20_000));
    assert!(hot.timed.count < 3000);
}

#[test]
fn the_timeline_holds_every_span_while_there_is_room_and_the_newest_after() {
    let _alone = alone();
    calor::enable_with(&calor::Options::new().timeline(true).timeline_events(8192));
    calor::reset();
    for _ in 0..100 {
        calor::scope!("span outer");
        calor::scope!("span inner");
    }
    let profile = calor::snapshot();
    assert_eq!(profile.timeline.n_spans(), 200);
    let (_, track) = profile.timeline.iter().next().unwrap();
    for pair in track.spans.chunks(2) {
        let (outer, inner) = (pair[0], pair[1]);
        assert_eq!(support::name(&profile, outer.stack), "span outer");
        assert!(outer.start_nanos <= inner.start_nanos);
        assert!(inner.start_nanos + inner.duration_nanos <= outer.start_nanos + outer.duration_nanos);
    }
    for _ in 0..20_000 {
        calor::scope!("overflowing");
    }
    let profile = calor::snapshot();
    assert!((8000..=8192).contains(&profile.timeline.n_spans()), "{}", profile.timeline.n_spans());
    assert!(support::warned(&profile, "spans_overwritten") > 10_000);
    assert_eq!(get(&profile, "overflowing").calls, 20_000);
    calor::enable_with(&calor::Options::new());
    {
        calor::scope!("overflowing");
    }
    assert_eq!(get(&calor::snapshot(), "overflowing").calls, 20_001, "changing the ring loses nothing");
}

#[test]
fn changing_options_while_threads_record_loses_no_count() {
    let _alone = alone();
    calor::enable_with(&calor::Options::new());
    let stop = std::sync::atomic::AtomicBool::new(false);
    let counts: Vec<u64> = std::thread::scope(|threads| {
        let workers: Vec<_> = (0..3)
            .map(|_| {
                threads.spawn(|| {
                    let mut n = 0;
                    // On a busy machine a thread may begin when all is over.
                    while n == 0 || !stop.load(std::sync::atomic::Ordering::Relaxed) {
                        calor::scope!("changing");
                        n += 1;
                    }
                    n
                })
            })
            .collect();
        for i in 0..60_u32 {
            let options = calor::Options::new().timeline(i % 2 == 0).time_one_in(1 + i % 3);
            calor::enable_with(&options);
            let _ = calor::snapshot();
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    calor::enable_with(&calor::Options::new());
    let stats = get(&calor::snapshot(), "changing");
    assert_eq!(stats.calls, counts.iter().sum::<u64>());
}
