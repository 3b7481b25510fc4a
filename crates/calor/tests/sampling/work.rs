//! Work that takes CPU time, in functions with names of their own.

use std::hint::black_box;

/// A hundredth of a second or less, in one function.
#[inline(never)]
pub(super) fn rotate_words(rounds: u64) -> u64 {
    let mut x = black_box(0x9e37_79b9_u64);
    for i in 0..rounds * 1000 {
        x = black_box(x.rotate_left(7) ^ i);
    }
    x
}

/// The same in another.
#[inline(never)]
pub(super) fn multiply_words(rounds: u64) -> u64 {
    let mut x = black_box(3_u64);
    for i in 0..rounds * 1000 {
        x = black_box(x.wrapping_mul(0x5bd1_e995).wrapping_add(i));
    }
    x
}

/// CPU time of the calling thread, in seconds.
pub(super) fn own_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: there is room for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Works in a function until the thread has used so much CPU time, and says how much that was.
pub(super) fn burn(work: fn(u64) -> u64, seconds: f64) -> f64 {
    let start = own_seconds();
    while own_seconds() - start < seconds {
        black_box(work(20));
    }
    own_seconds() - start
}

/// Memory that the process has now.
pub(super) fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim_end_matches(" kB").trim().parse().unwrap()
}

/// How many files the process has open.
pub(super) fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}
