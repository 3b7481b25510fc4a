//! Threads that are started here, for a short while, to read symbols. In a program that watches its own heap they have to
//! be known as not the program's; nor is the CPU time that they take.

#![expect(unsafe_code, reason = "CPU time is asked for by a C interface")]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

static BEGIN: OnceLock<fn()> = OnceLock::new();
static CPU_NANOS: AtomicU64 = AtomicU64::new(0);

/// Says what such threads do first. The first call counts.
pub fn begin_own_threads_with(begin: fn()) {
    let _ = BEGIN.set(begin);
}

/// CPU time that such threads of this process took, of those that have ended.
#[must_use]
pub fn own_threads_cpu_nanos() -> u64 {
    CPU_NANOS.load(Ordering::Relaxed)
}

/// All that such a thread does.
pub(crate) fn run<T>(work: impl FnOnce() -> T) -> T {
    if let Some(begin) = BEGIN.get() {
        begin();
    }
    let done = work();
    CPU_NANOS.fetch_add(cpu_nanos(libc::CLOCK_THREAD_CPUTIME_ID), Ordering::Relaxed);
    done
}

/// What one of the clocks of CPU time says.
#[must_use]
pub fn cpu_nanos(clock: libc::clockid_t) -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure has room for the answer.
    unsafe { libc::clock_gettime(clock, &raw mut now) };
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}
