//! CPU time of the whole process: wall time is of no use on a shared machine, and whoever works on several threads
//! pays for all of them.

use rustix::time::{ClockId, clock_gettime};

/// Seconds of CPU time that all threads of the process have used, ended ones included.
pub(crate) fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
