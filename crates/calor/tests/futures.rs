//! Async scopes on a multi-thread runtime: wall time, busy time, polls, moves between threads, cancelling.

#![allow(clippy::unwrap_used, reason = "a failure of the test itself may panic")]

mod support;

use std::collections::HashSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use calor::InScope;
use support::{ReadyAfter, alone, get};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_time().build().unwrap()
}

fn spin(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        std::hint::spin_loop();
    }
}

#[test]
fn wall_busy_and_polls_are_told_apart() {
    let _alone = alone();
    calor::enable();
    runtime().block_on(async {
        for _ in 0..3 {
            async {
                spin(Duration::from_millis(2));
                tokio::time::sleep(Duration::from_millis(30)).await;
                spin(Duration::from_millis(2));
            }
            .in_scope(calor::site!("sleeper"))
            .await;
        }
    });
    let stats = get(&calor::snapshot(), "sleeper");
    let future = stats.future.as_ref().expect("it is async");
    assert_eq!(future.wall.count, 3);
    assert_eq!(stats.calls, 6, "each future is polled twice");
    assert!(future.wall.min_nanos >= 34_000_000, "wall {} ns", future.wall.min_nanos);
    assert!(stats.total_nanos >= 12_000_000, "busy {} ns", stats.total_nanos);
    assert!(stats.total_nanos < future.wall.total_nanos, "time asleep is not busy time");
}

#[calor::profile]
async fn attributed(steps: u32) -> Result<u32, std::num::ParseIntError> {
    ReadyAfter(steps).await;
    {
        calor::scope!("inside a poll");
    }
    let parsed: u32 = "7".parse()?;
    Ok(parsed + steps)
}

#[test]
fn an_async_function_counts_its_polls_and_nests_its_scopes() {
    let _alone = alone();
    calor::enable();
    let sum = runtime().block_on(async {
        let mut sum = 0;
        for steps in 1..=10 {
            sum += attributed(steps).await.unwrap();
        }
        sum
    });
    assert_eq!(sum, 55 + 70);
    let profile = calor::snapshot();
    let stats = get(&profile, "attributed");
    assert_eq!(stats.calls, 55, "1 + 2 + ... + 10 polls");
    assert_eq!(stats.future.as_ref().unwrap().wall.count, 10);
    assert_eq!(get(&profile, "attributed/inside a poll").calls, 10);
}

#[test]
fn futures_that_move_between_threads_lose_nothing() {
    static SEEN: Mutex<Option<HashSet<std::thread::ThreadId>>> = Mutex::new(None);

    #[calor::profile(name = "wanderer")]
    async fn wander(steps: u32) {
        for _ in 0..steps {
            SEEN.lock().unwrap().get_or_insert_default().insert(std::thread::current().id());
            {
                // A guard over an await would not compile here: it stays on its thread, the future does not.
                calor::scope!("step");
            }
            ReadyAfter(2).await;
            tokio::task::yield_now().await;
        }
    }

    let _alone = alone();
    calor::enable();
    let runtime = runtime();
    runtime.block_on(async {
        let tasks: Vec<_> = (0..64).map(|_| tokio::spawn(wander(50))).collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
    drop(runtime);
    let profile = calor::snapshot();
    let stats = get(&profile, "wanderer");
    assert_eq!(stats.future.as_ref().unwrap().wall.count, 64);
    assert_eq!(get(&profile, "wanderer/step").calls, 64 * 50);
    assert!(stats.calls > 64 * 50, "each step is polled at least twice: {}", stats.calls);
    assert!(SEEN.lock().unwrap().as_ref().unwrap().len() > 1, "the runtime used one thread only");
}

#[test]
fn a_future_dropped_before_it_completes_is_counted_as_cancelled() {
    let _alone = alone();
    calor::enable();
    runtime().block_on(async {
        for _ in 0..5 {
            let endless = std::future::pending::<()>().in_scope(calor::site!("endless"));
            let _ = tokio::time::timeout(Duration::from_millis(2), endless).await;
        }
        // Never polled: it had no life to cancel.
        drop(std::future::pending::<()>().in_scope(calor::site!("endless")));
    });
    let stats = get(&calor::snapshot(), "endless");
    let future = stats.future.as_ref().expect("it is async");
    assert_eq!((future.wall.count, future.cancelled), (0, 5));
}

#[test]
fn futures_joined_in_one_task_nest_under_it() {
    let _alone = alone();
    calor::enable();
    runtime().block_on(
        async {
            let left = ReadyAfter(3).in_scope(calor::site!("left"));
            let right = ReadyAfter(5).in_scope(calor::site!("right"));
            tokio::join!(left, right);
        }
        .in_scope(calor::site!("joined")),
    );
    let profile = calor::snapshot();
    assert_eq!(get(&profile, "joined/left").calls, 3);
    assert_eq!(get(&profile, "joined/right").calls, 5);
    assert!(get(&profile, "joined").inclusive_nanos() >= get(&profile, "joined/left").inclusive_nanos());
}

/// Polls a future once.
fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(std::task::Waker::noop()))
}

#[test]
fn a_future_cancelled_on_a_thread_that_recorded_nothing_else_counts_after_a_reset_too() {
    let _alone = alone();
    calor::enable();
    calor::reset();
    let mut future = Box::pin(std::future::pending::<()>().in_scope(calor::site!("cancelled elsewhere")));
    assert!(poll_once(future.as_mut()).is_pending());
    std::thread::spawn(move || drop(future)).join().unwrap();
    let stats = get(&calor::snapshot(), "cancelled elsewhere");
    assert_eq!(stats.future.as_ref().unwrap().cancelled, 1);
}

#[test]
fn a_future_that_began_before_a_reset_is_not_counted() {
    let _alone = alone();
    calor::enable();
    let mut completed = Box::pin(ReadyAfter(2).in_scope(calor::site!("completed after a reset")));
    let mut dropped = Box::pin(ReadyAfter(2).in_scope(calor::site!("dropped after a reset")));
    assert!(poll_once(completed.as_mut()).is_pending() && poll_once(dropped.as_mut()).is_pending());
    calor::reset();
    assert!(poll_once(completed.as_mut()).is_ready());
    drop(dropped);
    let profile = calor::snapshot();
    let stats = get(&profile, "completed after a reset");
    assert_eq!((stats.calls, stats.future.is_none()), (1, true), "the second poll alone is new");
    assert!(support::find(&profile, "dropped after a reset").is_none());
}

#[test]
fn a_future_that_completes_while_off_is_still_recorded() {
    let _alone = alone();
    calor::enable();
    let mut future = Box::pin(ReadyAfter(2).in_scope(calor::site!("completed while off")));
    assert!(poll_once(future.as_mut()).is_pending());
    calor::disable();
    assert!(poll_once(future.as_mut()).is_ready());
    calor::enable();
    let stats = get(&calor::snapshot(), "completed while off");
    assert_eq!((stats.calls, stats.future.as_ref().map(|future| future.wall.count)), (1, Some(1)));
}
