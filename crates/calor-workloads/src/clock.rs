//! CPU time of the calling thread, which stands still while others run, and of all threads.

/// In nanoseconds, from some moment on.
#[cfg(unix)]
pub fn thread_nanos() -> u64 {
    use rustix::time::{ClockId, clock_gettime};
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// CPU time of all threads of this process, in nanoseconds.
#[cfg(unix)]
pub fn process_nanos() -> u64 {
    use rustix::time::{ClockId, clock_gettime};
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// The wall clock, where a system has no other.
#[cfg(not(unix))]
pub fn process_nanos() -> u64 {
    thread_nanos()
}

/// The wall clock, where a system has no other.
#[cfg(not(unix))]
pub fn thread_nanos() -> u64 {
    static BEGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    u64::try_from(BEGIN.get_or_init(std::time::Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}
