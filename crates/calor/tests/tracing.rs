//! Spans of `tracing` as scopes: nesting, mixing with Calor's own, threads, async, odd orders, fields, filters.
//! Each test has a subscriber of its own and names of its own.

mod support;

use std::future::Future;
use std::sync::mpsc;
use std::time::Duration;

use calor::model::{Profile, ScopeStats};
use support::{ReadyAfter, alone, find, get, paths};
use tracing::instrument::WithSubscriber;
use tracing::{Dispatch, Instrument, Subscriber, dispatcher, info_span, instrument};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::prelude::*;

fn subscriber() -> Dispatch {
    Dispatch::new(tracing_subscriber::registry().with(calor::tracing::layer()))
}

/// Runs `run` under a subscriber with the layer and returns what was recorded.
fn record(run: impl FnOnce()) -> Profile {
    calor::enable();
    dispatcher::with_default(&subscriber(), run);
    calor::snapshot()
}

fn calls(profile: &Profile, path: &str) -> u64 {
    get(profile, path).calls
}

#[instrument]
fn inner_function() {
    calor::scope!("native leaf");
}

#[instrument]
fn outer_function(times: usize) {
    for _ in 0..times {
        inner_function();
    }
}

#[test]
fn instrumented_functions_nest_and_are_counted() {
    let _alone = alone();
    let profile = record(|| {
        outer_function(3);
        outer_function(4);
    });
    assert_eq!(calls(&profile, "outer_function"), 2);
    assert_eq!(calls(&profile, "outer_function/inner_function"), 7);
    assert_eq!(calls(&profile, "outer_function/inner_function/native leaf"), 7);
    assert!(get(&profile, "outer_function").future.is_none(), "a span entered once is a plain scope");
}

#[test]
fn a_site_is_the_place_of_the_span() {
    let _alone = alone();
    let line = line!() + 1;
    let profile = record(|| info_span!("placed span").in_scope(|| {}));
    let (_, frame) = profile
        .frames
        .iter()
        .find(|(_, frame)| profile.strings.get(frame.name) == "placed span")
        .expect("the span has a frame");
    assert_eq!(frame.line, Some(line));
    assert!(frame.file.is_some_and(|file| profile.strings.get(file).ends_with("tests/tracing.rs")));
    assert_eq!(frame.module.map(|module| profile.strings.get(module)), Some(module_path!()));
}

#[test]
fn spans_and_native_scopes_make_one_tree() {
    let _alone = alone();
    let profile = record(|| {
        calor::scope!("mixed 1");
        let span = info_span!("mixed 2");
        let _entered = span.enter();
        calor::scope!("mixed 3");
        info_span!("mixed 4").in_scope(|| {});
    });
    assert_eq!(calls(&profile, "mixed 1/mixed 2/mixed 3/mixed 4"), 1);
    let all: Vec<_> = paths(&profile).into_iter().filter(|path| path.contains("mixed")).collect();
    assert_eq!(all.len(), 4, "{all:?}");
}

#[test]
fn one_span_on_two_threads_is_one_async_scope() {
    let _alone = alone();
    let profile = record(|| {
        let span = info_span!("on two threads");
        let start = std::sync::Barrier::new(2);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    start.wait();
                    for _ in 0..50 {
                        span.in_scope(|| drop(calor::open!("inside")));
                    }
                });
            }
        });
    });
    let stats = get(&profile, "on two threads");
    assert_eq!(stats.calls, 100);
    assert_eq!(completed(&stats), 1);
    assert_eq!(calls(&profile, "on two threads/inside"), 100);
}

fn completed(stats: &ScopeStats) -> u64 {
    stats.future.as_ref().map_or(0, |future| future.wall.count)
}

#[instrument]
async fn async_function(polls: u32) {
    ReadyAfter(polls).await;
    calor::scope!("after the last poll");
}

fn block_on(future: impl Future) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_time().build();
    runtime.expect("a runtime starts").block_on(future);
}

/// How often the span of an instrumented future is entered: for each poll, and to drop the future.
fn enters(polls: u64) -> u64 {
    polls + 1
}

#[test]
fn polls_and_lives_of_tasks_are_counted_on_all_workers() {
    let _alone = alone();
    calor::enable();
    let subscriber = subscriber();
    block_on(async {
        let tasks: Vec<_> = (1..=20)
            .map(|polls| {
                let task = async move { async_function(polls).await };
                tokio::spawn(task.with_subscriber(subscriber.clone()))
            })
            .collect();
        for task in tasks {
            task.await.expect("the task does not panic");
        }
    });
    let profile = calor::snapshot();
    let stats = get(&profile, "async_function");
    assert_eq!(stats.calls, (1..=20).map(enters).sum::<u64>());
    assert_eq!(completed(&stats), 20);
    assert_eq!(calls(&profile, "async_function/after the last poll"), 20);
    assert!(find(&profile, "after the last poll").is_none());
}

#[test]
fn wall_time_runs_on_between_polls() {
    let _alone = alone();
    calor::enable();
    let subscriber = subscriber();
    block_on(async {
        let sleep = tokio::time::sleep(Duration::from_millis(30));
        let span = dispatcher::with_default(&subscriber, || info_span!("asleep"));
        tokio::spawn(sleep.instrument(span)).await.expect("the task does not panic");
    });
    let stats = get(&calor::snapshot(), "asleep");
    let future = stats.future.as_ref().expect("it is async");
    assert_eq!(stats.calls, enters(2));
    assert_eq!(future.wall.count, 1);
    assert!(future.wall.min_nanos >= 25_000_000, "wall {} ns", future.wall.min_nanos);
    assert!(stats.total_nanos < future.wall.total_nanos, "time asleep is not busy time");
}

#[test]
fn more_spans_than_a_table_holds_are_all_recorded() {
    let _alone = alone();
    let profile = record(|| {
        let spans: Vec<_> = (0..5000_u64).map(|n| info_span!("one of many", bytes = n)).collect();
        for span in spans.iter().chain(&spans) {
            span.in_scope(|| {});
        }
        drop(spans);
        info_span!("after many").in_scope(|| {});
    });
    let stats = get(&profile, "one of many");
    assert_eq!((stats.calls, completed(&stats)), (10_000, 5000));
    assert_eq!(stats.work.bytes, (0..5000).sum::<u64>());
    assert_eq!(calls(&profile, "after many"), 1);
}

#[test]
fn exits_out_of_order_harm_nothing() {
    let _alone = alone();
    let profile = record(|| {
        let (first, second) = (info_span!("exits first"), info_span!("exits second"));
        for _ in 0..10 {
            let entered_first = first.enter();
            let entered_second = second.enter();
            drop(entered_first);
            drop(entered_second);
        }
        info_span!("after odd exits").in_scope(|| {});
    });
    assert_eq!(calls(&profile, "exits first"), 10);
    assert_eq!(calls(&profile, "exits first/exits second"), 10);
    assert_eq!(calls(&profile, "after odd exits"), 1, "the tree is whole again");
}

#[test]
fn a_span_entered_inside_itself_exits_as_often() {
    let _alone = alone();
    let profile = record(|| {
        let span = info_span!("in itself");
        span.in_scope(|| span.in_scope(|| {}));
        info_span!("after itself").in_scope(|| {});
    });
    assert_eq!(calls(&profile, "in itself"), 1);
    assert_eq!(calls(&profile, "in itself/in itself"), 1);
    assert_eq!(calls(&profile, "after itself"), 1);
}

#[test]
fn exits_that_never_come_leave_memory_bounded_and_the_rest_right() {
    let _alone = alone();
    let profile = record(|| {
        for _ in 0..2000 {
            let around = info_span!("around forgotten").entered();
            std::mem::forget(info_span!("forgotten").entered());
            drop(around);
        }
        info_span!("after forgotten").in_scope(|| {});
    });
    assert_eq!(calls(&profile, "around forgotten"), 2000);
    assert_eq!(calls(&profile, "after forgotten"), 1);
}

#[test]
fn turning_off_and_on_in_the_middle_breaks_nothing() {
    let _alone = alone();
    let profile = record(|| {
        let early = info_span!("created while on").entered();
        calor::disable();
        let late = info_span!("created while off");
        late.in_scope(|| {});
        drop(early);
        calor::enable();
        late.in_scope(|| info_span!("inside late").in_scope(|| {}));
        let across = info_span!("closed while off").entered();
        calor::disable();
        drop(across);
        drop(late);
        calor::enable();
        info_span!("after switching").in_scope(|| {});
    });
    for path in ["created while on", "created while off/inside late", "closed while off", "after switching"] {
        assert_eq!(calls(&profile, path), 1, "{path}");
    }
    assert_eq!(calls(&profile, "created while off"), 1, "only what was entered while on");
}

#[test]
fn a_span_that_is_never_entered_leaves_no_trace() {
    let _alone = alone();
    let profile = record(|| drop(info_span!("never entered", bytes = 7)));
    assert!(find(&profile, "never entered").is_none());
}

#[test]
fn subscribers_of_several_threads_do_not_mix_their_spans() {
    let _alone = alone();
    calor::enable();
    let one = subscriber();
    let two = subscriber();
    // The first span of each has the same number.
    let in_one = dispatcher::with_default(&one, || info_span!("of the first"));
    let in_two = dispatcher::with_default(&two, || info_span!("of the second"));
    in_one.in_scope(|| in_two.in_scope(|| {}));
    drop(one);
    drop(in_one);
    in_two.in_scope(|| {});
    let profile = calor::snapshot();
    assert_eq!(calls(&profile, "of the first/of the second"), 1);
    assert_eq!(calls(&profile, "of the second"), 1);
}

#[test]
fn a_subscriber_dropped_with_open_spans_harms_nothing() {
    let _alone = alone();
    let profile = record(|| {
        for _ in 0..30 {
            dispatcher::with_default(&subscriber(), || {
                for _ in 0..100 {
                    // Neither closed nor kept by its subscriber, which is dropped with the last reference.
                    let span = info_span!("left open");
                    span.in_scope(|| {});
                    let id = span.id().expect("it is enabled");
                    dispatcher::get_default(|dispatch| dispatch.clone_span(&id));
                }
            });
        }
    });
    assert_eq!(calls(&profile, "left open"), 3000);
}

#[test]
fn a_span_closed_on_another_thread_completes_on_its_own_path() {
    let _alone = alone();
    let profile = record(|| {
        calor::scope!("around handed over");
        let span = info_span!("handed over", flops = tracing::field::Empty);
        span.in_scope(|| {});
        span.in_scope(|| {});
        let (sender, receiver) = mpsc::channel::<tracing::Span>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                calor::scope!("elsewhere");
                let span = receiver.recv().expect("a span is sent");
                span.record("flops", 5_u64);
                drop(span);
            });
            sender.send(span).expect("the thread waits");
        });
    });
    let stats = get(&profile, "around handed over/handed over");
    assert_eq!((stats.calls, completed(&stats), stats.work.flops), (2, 1, 5));
    assert!(find(&profile, "elsewhere/handed over").is_none());
}

#[test]
fn a_span_outlives_the_thread_that_entered_it() {
    let _alone = alone();
    let profile = record(|| {
        let dispatch = dispatcher::get_default(Clone::clone);
        let made = std::thread::spawn(move || {
            dispatcher::with_default(&dispatch, || {
                let span = info_span!("outlives");
                span.in_scope(|| {});
                span.in_scope(|| {});
                span
            })
        });
        let span = made.join().expect("the thread does not panic");
        let _ = calor::snapshot();
        drop(span);
    });
    let stats = get(&profile, "outlives");
    assert_eq!((stats.calls, completed(&stats)), (2, 1));
}

#[test]
fn numeric_fields_are_the_work_of_the_scope() {
    let _alone = alone();
    let profile = record(|| {
        let span =
            info_span!("works", flops = 2e3, bytes = 64_u64, elements = tracing::field::Empty, other = 9);
        span.in_scope(|| {
            span.record("elements", 16_i64);
        });
        span.record("elements", 4_u128);
        drop(span);
        info_span!("works", bytes = -1, flops = f64::NAN, elements = "many").in_scope(|| {});
    });
    let work = get(&profile, "works").work;
    assert_eq!((work.flops, work.bytes, work.elements), (2000, 64, 20));
}

#[test]
fn a_filter_of_the_layer_decides_what_is_recorded() {
    let _alone = alone();
    calor::enable();
    let filter = filter_fn(|metadata| metadata.name() != "filtered out");
    let subscriber =
        tracing_subscriber::registry().with(calor::tracing::layer().with_filter(filter)).with(Everything);
    dispatcher::with_default(&Dispatch::new(subscriber), || {
        info_span!("filtered in").in_scope(|| {
            info_span!("filtered out").in_scope(|| info_span!("filtered in too").in_scope(|| {}));
        });
    });
    let profile = calor::snapshot();
    assert_eq!(calls(&profile, "filtered in/filtered in too"), 1);
    assert!(!paths(&profile).iter().any(|path| path.contains("filtered out")));
}

/// A layer without a filter, so that spans exist which Calor's layer does not hear of.
struct Everything;

impl<S: Subscriber> Layer<S> for Everything {}
