//! Whether the profile shows who used how much CPU time.

use super::work::{self, burn, multiply_words, rotate_words};
use super::*;
use std::time::{Duration, Instant};

/// Two busy threads, one twice as long as the other, and the numbers that became of it.
pub(super) fn check(source: Source) {
    let sampling = start(source);
    let (long, short) = std::thread::scope(|threads| {
        let long = std::thread::Builder::new().name("long".into());
        let long = long.spawn_scoped(threads, || burn(rotate_words, 0.8)).unwrap();
        let short = std::thread::Builder::new().name("short".into());
        let short = short.spawn_scoped(threads, || burn(multiply_words, 0.4)).unwrap();
        (long.join().unwrap(), short.join().unwrap())
    });
    let second = sampling::start(99).unwrap_err().to_string();
    assert!(second.contains("already, at 999"), "{second}");

    let progress = sampling.progress().unwrap();
    assert_eq!((progress.source, progress.rate_asked), (source, 999));
    let snapshot = sampling.snapshot();
    let asked_at = Instant::now();
    let profile = sampling.stop();
    let took = asked_at.elapsed();
    let share = progress.samples as f64 / (progress.cpu.as_secs_f64() * 999.0);
    println!(
        "{source:?}: {} samples of {:.2} s CPU = {:.1} % of those asked for, {} lost; stopped in {took:.0?}",
        progress.samples,
        progress.cpu.as_secs_f64(),
        100.0 * share,
        progress.lost
    );
    assert!(took < Duration::from_secs(10), "stopping took {took:?}");
    let least = if source == Source::PerfEvents { 0.5 } else { 0.02 };
    assert!(share > least && share < 1.5, "{share} of the asked samples");

    for profile in [&snapshot, &profile] {
        let (rotated, multiplied) =
            (nanos_with(profile, "rotate_words"), nanos_with(profile, "multiply_words"));
        let ratio = rotated as f64 / multiplied.max(1) as f64;
        assert!((ratio / (long / short) - 1.0).abs() < 0.4, "{rotated} ns and {multiplied} ns");
        let sum = (rotated + multiplied) as f64 / 1e9;
        assert!(sum > 0.5 * (long + short) && sum < 1.2 * (long + short), "{sum} s of {}", long + short);
        let names = thread_names(profile);
        assert!(names.contains(&"long") && names.contains(&"short"), "{names:?}");
        assert!(!names.iter().any(|name| name.starts_with("calor")), "{names:?}");
        assert_eq!(profile.runs.len(), 1);
        assert!(profile.runs[0].cpu_nanos.unwrap() > 0);
    }
    // It can be started again.
    drop(start(source));
    drop(start(source));
}

/// Threads that start and end all the time are seen by their functions.
pub(super) fn check_threads(source: Source) {
    let sampling = start(source);
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis(1500) {
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(|| burn(rotate_words, 0.06))).collect();
        for thread in threads {
            thread.join().unwrap();
        }
    }
    let progress = sampling.progress().unwrap();
    let profile = sampling.stop();
    println!("{source:?}: {} threads, rate reached {:?}", progress.threads, progress.rate_reached());
    assert!(progress.threads >= 4, "{progress:?}");
    assert!(nanos_with(&profile, "rotate_words") as f64 / 1e9 > 0.2);
}

/// Started and stopped many times while threads work.
pub(super) fn check_restarts(source: Source) {
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    burn(rotate_words, 0.005);
                }
            });
        }
        let (mut seen, mut held) = (0, Vec::new());
        for round in 0..15 {
            let sampling = start(source);
            std::thread::sleep(Duration::from_millis(30 + 5 * round));
            seen += u32::from(nanos_with(&sampling.stop(), "rotate_words") > 0);
            held.push((work::open_files(), work::resident_kib()));
        }
        println!("{source:?}: open files and resident KiB after each: {held:?}");
        let (first, last) = (held[4], held[14]);
        assert_eq!(first.0, last.0, "open files pile up");
        assert!(last.1 < first.1 + 32_768, "memory piles up: {held:?}");
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(seen >= 12, "{seen} of 15 samplings saw the work");
    });
}

#[test]
fn two_busy_threads_have_their_shares_by_perf_events() {
    play("shares by perf events");
}

#[test]
fn two_busy_threads_have_their_shares_by_timers() {
    play("shares by timers");
}

#[test]
fn threads_that_come_and_go_are_seen() {
    play("threads by perf events");
    play("threads by timers");
}

#[test]
fn sampling_can_be_started_and_stopped_again_and_again() {
    play("again and again by perf events");
    play("again and again by timers");
}

#[test]
fn options_that_make_no_sense_are_refused_with_advice() {
    let error = sampling::start(0).unwrap_err().to_string();
    assert!(error.contains("ask for 1 or more"), "{error}");
}
