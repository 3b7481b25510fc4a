//! CPU time, because wall time is of no use on a shared machine, and the clock that all processes share, to tell how
//! long after the end of one another was done.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of CPU time that the calling thread has used.
#[must_use]
pub fn thread_cpu_nanos() -> u64 {
    nanos(ClockId::ThreadCPUTime)
}

/// Nanoseconds of CPU time that all threads of the process have used, ended ones included: whoever works on several
/// threads pays for all of them.
#[must_use]
pub fn process_cpu_nanos() -> u64 {
    nanos(ClockId::ProcessCPUTime)
}

/// Nanoseconds since some moment that is the same for every process of the machine.
#[must_use]
pub fn monotonic_nanos() -> u64 {
    nanos(ClockId::Monotonic)
}

fn nanos(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
