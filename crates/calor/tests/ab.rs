//! `ab!`: functions that do a fixed amount of work. No verdict is expected but that on several times as much.

#![cfg(feature = "report")]

use std::cell::Cell;
use std::hint::black_box;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use calor::ab::Verdict;

/// Tests that share a process share its CPU time, too: one at a time.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// So many steps that wait for each other.
fn steps(n: u64) -> u64 {
    (0..black_box(n)).fold(1, |state, step| (state ^ step).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(5))
}

#[test]
fn several_times_the_work_is_slower_and_the_sentence_says_so() {
    let _turn = alone();
    let outcome =
        calor::ab!(|| steps(2_000), || steps(8_000); max_time = Duration::from_secs(60), max_pairs = 30);
    assert_eq!(outcome.verdict(), Verdict::Regressed, "{outcome}");
    let sentence = outcome.to_string();
    assert!(
        sentence.starts_with("B is ") && sentence.contains(" % slower than A (95 % interval "),
        "{sentence}"
    );
    assert!(outcome.effect() > Some(0.5), "{outcome}");
    let [low, high] = outcome.interval().expect("it was measured");
    assert!(low <= outcome.effect().unwrap() && outcome.effect().unwrap() <= high, "{outcome}");
    assert!(outcome.call_nanos()[1] > outcome.call_nanos()[0]);
}

#[test]
fn functions_have_names_and_inputs_of_their_own() {
    let _turn = alone();
    let n_made = Cell::new(0_u64);
    let n_taken = Cell::new(0_u64);
    let make = || {
        n_made.set(n_made.get() + 1);
        6_000_u64
    };
    let outcome = calor::ab!(
        with = make,
        "all of it" => |n: u64| { n_taken.set(n_taken.get() + 1); steps(n) },
        "a quarter" => |n: u64| { n_taken.set(n_taken.get() + 1); steps(n / 4) };
        max_time = Duration::from_secs(60), max_pairs = 30, seed = 1
    );
    assert_eq!(outcome.verdict(), Verdict::Improved, "{outcome}");
    assert!(outcome.to_string().starts_with("a quarter is "), "{outcome}");
    assert!(outcome.to_string().contains(" % faster than all of it "), "{outcome}");
    assert_eq!(n_made.get(), n_taken.get(), "each call has an input");
}

#[test]
fn each_of_several_functions_is_compared_with_the_first() {
    let _turn = alone();
    let outcome = calor::ab!(|| steps(500), || steps(500), || steps(500); max_pairs = 2, margin = 0.5);
    let sentences = outcome.to_string();
    let lines: Vec<&str> = sentences.lines().collect();
    assert_eq!(
        (lines.len(), outcome.comparisons().len(), outcome.call_nanos().len()),
        (2, 2, 3),
        "{sentences}"
    );
    assert!(lines[0].contains('B') && lines[1].contains('C'), "{sentences}");
}

#[test]
fn what_cannot_be_told_is_undecided_and_says_why() {
    let _turn = alone();
    let short = calor::ab!(|| steps(10), || steps(10); max_time = Duration::ZERO, wall = true);
    assert_eq!(short.verdict(), Verdict::Undecided);
    assert_eq!(short.to_string(), "undecided: 1 pair is too few to compare B with A");
    assert_eq!((short.effect(), short.interval()), (None, None));
    let single = calor::ab!(|| steps(10));
    assert_eq!(single.to_string(), "undecided: expected two functions or more to compare");
    for margin in [f64::NAN, -1.0, 0.0, 7.0] {
        let outcome = calor::ab!(|| steps(10), || steps(10); max_pairs = 2, margin = margin);
        assert_eq!(outcome.comparisons().len(), 1, "{outcome}");
    }
}

#[test]
fn time_that_is_not_measured_does_not_make_a_batch_endless() {
    let _turn = alone();
    let max_time = Duration::from_millis(200);
    // What waits takes no CPU time: two milliseconds of that would be thousands of calls.
    let n_calls = Cell::new(0_u32);
    let wait = || {
        n_calls.set(n_calls.get() + 1);
        std::thread::sleep(Duration::from_millis(10));
    };
    let _ = calor::ab!(wait, wait; max_time = max_time);
    assert!(n_calls.get() <= 60, "{} calls of 10 ms in 200 ms", n_calls.get());
    // Neither do inputs that are made before.
    let n_made = Cell::new(0_u32);
    let make = || {
        n_made.set(n_made.get() + 1);
        std::thread::sleep(Duration::from_millis(1));
        7_u64
    };
    let _ = calor::ab!(with = make, |n: u64| n + 1, |n: u64| n + 2; max_time = max_time);
    assert!(n_made.get() <= 300, "{} inputs of 1 ms in 200 ms", n_made.get());
}
