//! The clocks. CPU time of the calling thread is what rates are taken from: it stands still while others run.

use std::time::Instant;

/// CPU time of the calling thread, in nanoseconds from some moment on.
#[cfg(unix)]
pub(crate) fn thread_nanos() -> u64 {
    use rustix::time::{ClockId, clock_gettime};
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// The wall clock, where a system has no other.
#[cfg(not(unix))]
pub(crate) fn thread_nanos() -> u64 {
    wall_nanos()
}

/// Nanoseconds on the wall since this was first asked.
pub(crate) fn wall_nanos() -> u64 {
    static BEGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    u64::try_from(BEGIN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_the_thread_moves_with_its_work_alone() {
        let (cpu, wall) = (thread_nanos(), wall_nanos());
        std::thread::sleep(std::time::Duration::from_millis(30));
        let (slept_cpu, slept_wall) = (thread_nanos() - cpu, wall_nanos() - wall);
        assert!(slept_wall >= 30_000_000, "{slept_wall}");
        if cfg!(unix) {
            assert!(slept_cpu < slept_wall / 2, "{slept_cpu}");
        }
    }
}
