//! Everything at once: threads that nest, count, tell, forget and reorder scopes, poll and drop futures, start
//! and end, while options change, others look, and a recording is written. At the end the program's own count,
//! the snapshot and the file have to agree.

#![allow(clippy::unwrap_used, reason = "a failure of the test itself may panic")]

mod support;

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use calor::model::{Profile, ScopeStats};
use calor::{InScope, Options, RecordingOptions, Scope, Site, try_start_recording};
use support::alone;

static SITES: [Site; 5] = [
    Site::new("a", "", "", 0),
    Site::new("b", "", "", 0),
    Site::new("c", "", "", 0),
    Site::new("d", "", "", 0),
    Site::new("e", "", "", 0),
];
static COUNTED: [Site; 2] = [Site::new("one in four", "", "", 0), Site::new("one in fifty", "", "", 0)];
static FUTURE: Site = Site::new("future", "", "", 0);

/// What the program itself knows.
#[derive(Default)]
struct Kept {
    closed: AtomicU64,
    elements: AtomicU64,
    tokens: AtomicU64,
    completed: AtomicU64,
    cancelled: AtomicU64,
}

/// A generator of its own: the same operations each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Is ready at its second poll.
struct Second(bool);

impl Future for Second {
    type Output = ();

    fn poll(mut self: std::pin::Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

fn visit(dice: &mut Dice, kept: &Kept, depth: u32) {
    let site = &SITES[dice.below(5) as usize];
    match dice.below(40) {
        0 => {
            let (outer, inner) = (Scope::enter(site), Scope::enter(&SITES[0]));
            drop(outer);
            drop(inner);
            kept.closed.fetch_add(2, Relaxed);
        }
        1 => {
            // The scope around closes what is forgotten inside; that one alone counts.
            let outer = Scope::enter(site);
            std::mem::forget(Scope::enter(&SITES[1]));
            drop(outer);
            kept.closed.fetch_add(1, Relaxed);
        }
        2..=4 => {
            let mut future = pin!(Second(false).in_scope(&FUTURE));
            let mut context = Context::from_waker(Waker::noop());
            assert!(future.as_mut().poll(&mut context).is_pending());
            kept.closed.fetch_add(1, Relaxed);
            if dice.below(2) == 0 {
                assert!(future.as_mut().poll(&mut context).is_ready());
                kept.closed.fetch_add(1, Relaxed);
                kept.completed.fetch_add(1, Relaxed);
            } else {
                kept.cancelled.fetch_add(1, Relaxed);
            }
        }
        5..=14 => {
            let which = dice.below(2) as usize;
            let scope = Scope::enter_one_in(&COUNTED[which], [4, 50][which]);
            scope.elements(3);
            kept.elements.fetch_add(3, Relaxed);
            if depth < 2 {
                visit(dice, kept, depth + 1);
            }
            drop(scope);
            kept.closed.fetch_add(1, Relaxed);
        }
        _ => {
            let scope = Scope::enter(site);
            if dice.below(3) == 0 {
                scope.elements(1).add("tokens", 2).backend("cpu");
                kept.elements.fetch_add(1, Relaxed);
                kept.tokens.fetch_add(2, Relaxed);
            }
            while depth < 2 && dice.below(3) != 0 {
                visit(dice, kept, depth + 1);
            }
            if dice.below(20_000) == 0 {
                std::thread::sleep(Duration::from_millis(60));
            }
            drop(scope);
            kept.closed.fetch_add(1, Relaxed);
        }
    }
}

/// The rows of all threads added up, by call path.
fn by_path(profile: &Profile) -> BTreeMap<String, ScopeStats> {
    let mut paths: BTreeMap<String, ScopeStats> = BTreeMap::new();
    for (key, stats) in profile.scopes.iter() {
        assert!(stats.open_calls >= 0 && stats.open_nanos >= 0);
        let mut stats = stats.clone();
        // Handles differ from profile to profile.
        stats.work.backends.clear();
        stats.work.counters.clear();
        paths.entry(profile.path_names(key.stack).join("/")).or_default().add(&stats);
    }
    paths
}

fn counter(profile: &Profile) -> i64 {
    profile.scopes.iter().flat_map(|(_, stats)| &stats.work.counters).map(|counter| counter.1).sum()
}

#[test]
fn the_programs_count_the_snapshot_and_the_recording_agree() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.calor");
    calor::enable();
    let options = RecordingOptions::new().interval(Duration::from_millis(50));
    let recording = try_start_recording(&file, &options).unwrap();
    let (kept, stop) = (Kept::default(), AtomicBool::new(false));
    std::thread::scope(|threads| {
        let workers: Vec<_> = (0..4_u64)
            .map(|worker| {
                let kept = &kept;
                threads.spawn(move || {
                    for generation in 0..60 {
                        // Half of the work on threads that end soon.
                        let mut dice = Dice(worker * 1000 + generation + 1);
                        let work = move || (0..800).for_each(|_| visit(&mut dice, kept, 0));
                        if generation % 2 == 0 {
                            std::thread::scope(|short| short.spawn(work).join().unwrap());
                        } else {
                            let mut work = work;
                            work();
                        }
                    }
                })
            })
            .collect();
        threads.spawn(|| {
            let mut i = 0;
            while !stop.load(Relaxed) {
                i += 1;
                calor::enable_with(
                    &Options::new()
                        .timeline(i % 3 != 0)
                        .timeline_events(1 << (13 + i % 4))
                        .time_one_in(if i % 5 == 0 { 7 } else { 1 }),
                );
                let _ = calor::snapshot();
                std::thread::sleep(Duration::from_millis(7));
            }
        });
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        stop.store(true, Relaxed);
    });
    let snapshot = calor::snapshot();
    assert_eq!(recording.stop().expect("it was under way").problem, None);
    calor::enable_with(&Options::new());
    let written = calor_formats::read(&std::fs::read(&file).unwrap()).unwrap();

    let (told, written_rows) = (by_path(&snapshot), by_path(&written));
    let sum = |of: &dyn Fn(&ScopeStats) -> u64| told.values().map(of).sum::<u64>();
    let lives = |stats: &ScopeStats| stats.future.as_ref().map_or((0, 0), |f| (f.wall.count, f.cancelled));
    assert_eq!(sum(&|stats| stats.calls), kept.closed.load(Relaxed));
    assert_eq!(sum(&|stats| stats.work.elements), kept.elements.load(Relaxed));
    assert_eq!(sum(&|stats| lives(stats).0), kept.completed.load(Relaxed));
    assert_eq!(sum(&|stats| lives(stats).1), kept.cancelled.load(Relaxed));
    for profile in [&snapshot, &written] {
        assert_eq!(counter(profile).unsigned_abs(), kept.tokens.load(Relaxed));
    }
    assert_eq!(told.keys().collect::<Vec<_>>(), written_rows.keys().collect::<Vec<_>>());
    for (path, told) in &told {
        let written = &written_rows[path];
        let exact = |stats: &ScopeStats| {
            let counts = (stats.calls, stats.timed.count, stats.timed.histogram().count(), lives(stats));
            (counts, stats.work.clone(), stats.open_calls, stats.open_nanos)
        };
        assert_eq!(exact(told), exact(written), "{path}");
        assert_eq!((told.open_calls, told.open_nanos), (0, 0));
        // The clock's rate settles during the first second, and each part rounds down. An estimate that fell
        // between two parts cannot be taken back.
        let near = |a: u64, b: u64, share: f64| a.abs_diff(b) as f64 <= a as f64 * share + 5_000.0;
        assert!(
            near(told.timed.total_nanos, written.timed.total_nanos, 1e-3),
            "{path}: {told:?} {written:?}"
        );
        assert!(near(told.timed.max_nanos, written.timed.max_nanos, 1e-3), "{path}");
        assert!(near(told.timed.min_nanos, written.timed.min_nanos, 1e-3), "{path}");
        if !told.is_estimated() {
            assert!(near(told.total_nanos, written.total_nanos, 1e-3), "{path}: {told:?} {written:?}");
        }
    }
}
