//! Threads that are started here, for a short while, to read symbols. In a program that watches its own heap they have to
//! be known as not the program's; nor is the CPU time that they take.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::machine::own_thread_cpu_nanos;

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
    CPU_NANOS.fetch_add(own_thread_cpu_nanos(), Ordering::Relaxed);
    done
}
