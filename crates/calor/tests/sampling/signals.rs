//! The signal that timers use belongs to the program first.

use super::work::{burn, rotate_words};
use super::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

static HEARD: AtomicU32 = AtomicU32::new(0);

extern "C" fn hear(_signal: i32) {
    HEARD.fetch_add(1, Relaxed);
}

fn handle(signal: i32) {
    // SAFETY: the handler does nothing but count.
    unsafe { libc::signal(signal, hear as *const () as libc::sighandler_t) };
}

/// A program that handles all real-time signals keeps them.
pub(super) fn check_none_free() {
    (libc::SIGRTMIN()..=libc::SIGRTMAX()).for_each(handle);
    let options = SamplingOptions::new().source(Source::Timers);
    let refused = sampling::start_with(&options).unwrap_err().to_string();
    assert!(refused.contains("no real-time signal is free"), "{refused}");
    // SAFETY: the signal has a handler.
    unsafe { libc::raise(libc::SIGRTMAX()) };
    assert_eq!(HEARD.load(Relaxed), 1);
}

/// A program that takes the signal later gets it; sampling ends and says so.
pub(super) fn check_taken_over() {
    let sampling = start(Source::Timers);
    burn(rotate_words, 0.1);
    (libc::SIGRTMIN()..=libc::SIGRTMAX()).for_each(handle);
    burn(rotate_words, 0.3);
    let before = HEARD.load(Relaxed);
    burn(rotate_words, 0.3);
    assert_eq!(HEARD.load(Relaxed), before, "timers go on although the signal is the program's");
    let profile = sampling.stop();
    assert!(support::warned_at_all(&profile, "sampling_signal_lost"), "{:?}", profile.warnings);
}

/// Calls that wait are neither ended early nor failed.
pub(super) fn check_calls() {
    let sampling = start(Source::Timers);
    std::thread::scope(|threads| {
        threads.spawn(|| burn(rotate_words, 0.5));
        for _ in 0..20 {
            burn(rotate_words, 0.01);
            let began = Instant::now();
            let wait = libc::timespec { tv_sec: 0, tv_nsec: 20_000_000 };
            // SAFETY: the time is a local, and what is left is not asked for.
            let outcome = unsafe { libc::nanosleep(&raw const wait, std::ptr::null_mut()) };
            assert_eq!(outcome, 0, "a wait was interrupted");
            // SAFETY: no descriptors are given.
            assert_eq!(unsafe { libc::poll(std::ptr::null_mut(), 0, 5) }, 0, "a poll was interrupted");
            assert!(began.elapsed() >= Duration::from_millis(25));
        }
    });
    assert!(nanos_with(&sampling.stop(), "rotate_words") > 0);
}

#[test]
fn a_program_that_uses_all_signals_keeps_them_and_the_error_says_so() {
    play("no free signal");
}

#[test]
fn a_program_that_takes_the_signal_later_gets_it() {
    play("signal taken over");
}

#[test]
fn waiting_calls_are_not_interrupted() {
    play("calls are not interrupted");
}
