//! Everything that sampling could trip over, at once: unwinding, the dynamic loader, the allocator, forks, and threads
//! that come and go. Two seconds each; `CALOR_STRESS_SECONDS=600` in the environment makes it ten minutes.

use super::work::{burn, own_seconds, resident_kib, rotate_words};
use super::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

#[inline(never)]
fn throw_from(depth: u32) -> u32 {
    if depth == 0 {
        std::panic::resume_unwind(Box::new("caught further out"));
    }
    std::hint::black_box(throw_from(depth - 1)) + 1
}

fn throw() {
    assert!(std::panic::catch_unwind(|| throw_from(20)).is_err());
}

/// Loads and unloads a library that the program does not use otherwise.
fn load() {
    for name in [c"libthread_db.so.1", c"libBrokenLocale.so.1", c"libanl.so.1"] {
        // SAFETY: these libraries do nothing when they are loaded and unloaded.
        unsafe {
            let library = libc::dlopen(name.as_ptr(), libc::RTLD_NOW);
            if !library.is_null() {
                libc::dlclose(library);
            }
        }
    }
}

fn allocate() {
    let blocks: Vec<Vec<u8>> = (0..200_usize).map(|i| vec![i as u8; (i * 7919) % 40_000]).collect();
    assert_eq!(blocks.len(), 200);
}

/// A child that works a little, allocates, looks and ends.
fn fork() {
    // SAFETY: the child uses what may be used after a fork in glibc, and leaves without handlers.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // SAFETY: the call has no precondition; a child that hangs is ended by it.
        unsafe { libc::alarm(60) };
        allocate();
        let is_right = calor::snapshot().samples.is_empty();
        // SAFETY: leaving at once is the point.
        unsafe { libc::_exit(i32::from(!is_right)) };
    }
    let mut status = 0;
    // SAFETY: the pointer is to a local.
    assert_eq!(unsafe { libc::waitpid(pid, &raw mut status, 0) }, pid);
    assert_eq!(status, 0, "a forked child failed or hung");
}

fn come_and_go() {
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(|| burn(rotate_words, 0.001))).collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

pub(super) fn check(source: Source) {
    let seconds = std::env::var("CALOR_STRESS_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let stop = AtomicBool::new(false);
    let jobs: [(&str, fn()); 6] = [
        ("throws", throw),
        ("loads", load),
        ("allocations", allocate),
        ("allocations too", allocate),
        ("forks", fork),
        ("threads", come_and_go),
    ];
    let counts: Vec<_> = jobs.iter().map(|_| AtomicU64::new(0)).collect();
    let mut sum = (0_u64, 0.0);
    let mut memory = Vec::new();
    let mut slowest = Duration::ZERO;
    std::thread::scope(|threads| {
        for ((name, job), count) in jobs.iter().zip(&counts) {
            let stop = &stop;
            let thread = std::thread::Builder::new().name((*name).to_owned());
            let work = move || {
                while !stop.load(Relaxed) {
                    job();
                    count.fetch_add(1, Relaxed);
                }
                own_seconds()
            };
            thread.spawn_scoped(threads, work).unwrap();
        }
        let began = Instant::now();
        let mut round = 0_u64;
        while began.elapsed() < Duration::from_secs(seconds) {
            round += 1;
            let sampling = start(source);
            std::thread::sleep(Duration::from_millis(200 + 37 * (round % 40)));
            let progress = sampling.progress().unwrap();
            sum = (sum.0 + progress.samples, sum.1 + progress.cpu.as_secs_f64());
            assert!(!sampling.snapshot().samples.is_empty());
            let asked_at = Instant::now();
            if round.is_multiple_of(3) {
                drop(sampling);
            } else {
                assert!(!sampling.stop().samples.is_empty());
            }
            slowest = slowest.max(asked_at.elapsed());
            memory.push(resident_kib());
        }
        stop.store(true, Relaxed);
    });
    let counts: Vec<_> = jobs.iter().zip(&counts).map(|((name, _), n)| (name, n.load(Relaxed))).collect();
    println!(
        "{source:?}: {counts:?}; {} samplings, {} samples of {:.1} s CPU ({:.0} a second); resident {} KiB after the \
         first, {} KiB at most, {} KiB at the end; slowest stop {slowest:.0?}",
        memory.len(),
        sum.0,
        sum.1,
        sum.0 as f64 / sum.1,
        memory[0],
        memory.iter().max().unwrap(),
        memory[memory.len() - 1]
    );
    assert!(counts.iter().all(|(_, n)| *n > 0), "{counts:?}");
}

#[test]
fn throwing_loading_allocating_and_forking_programs_survive_perf_events() {
    play("stress by perf events");
}

#[test]
fn throwing_loading_allocating_and_forking_programs_survive_timers() {
    play("stress by timers");
}
