//! CPU time of this thread and of the whole process. Wall time is of no use on a shared machine.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of CPU time that the calling thread has used.
pub(crate) fn thread_cpu_nanos() -> u64 {
    nanos(ClockId::ThreadCPUTime)
}

/// Nanoseconds of CPU time that all threads of the process have used, ended ones included.
pub(crate) fn process_cpu_nanos() -> u64 {
    nanos(ClockId::ProcessCPUTime)
}

fn nanos(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
