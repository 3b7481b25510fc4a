//! A timer on one thread's CPU clock. It runs only while that thread does, so that a thread that waits is never woken
//! and its system calls are not interrupted. The kernel looks at such timers when it ticks, which is why they cannot
//! be faster than its tick (250 times a second on many systems).

#![expect(unsafe_code, reason = "timers are a C interface")]

use std::io;
use std::time::Duration;

/// A running timer; dropped, it is gone.
#[derive(Debug)]
pub(crate) struct Timer {
    /// The kernel's handle, as a number so that it may move between threads.
    id: usize,
}

impl Timer {
    /// Sends `signal` to the thread each time it has used so much CPU time.
    pub(crate) fn start(tid: i32, signal: i32, period: Duration) -> io::Result<Self> {
        let mut id: libc::timer_t = std::ptr::null_mut();
        // SAFETY: zeros are a valid event; what matters is filled in, and there is room for the handle.
        let outcome = unsafe {
            let mut event: libc::sigevent = std::mem::zeroed();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = signal;
            event.sigev_notify_thread_id = tid;
            libc::timer_create(cpu_clock(tid), &raw mut event, &raw mut id)
        };
        if outcome < 0 {
            return Err(io::Error::last_os_error());
        }
        let timer = Self { id: id as usize };
        let every = libc::timespec {
            tv_sec: libc::time_t::try_from(period.as_secs()).unwrap_or(1),
            tv_nsec: libc::c_long::from(period.subsec_nanos().cast_signed()),
        };
        let times = libc::itimerspec { it_interval: every, it_value: every };
        // SAFETY: the timer exists, and its old setting is not asked for.
        if unsafe { libc::timer_settime(id, 0, &raw const times, std::ptr::null_mut()) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(timer)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: the handle is of a timer that nobody else deletes.
        unsafe { libc::timer_delete(self.id as libc::timer_t) };
    }
}

/// The CPU time of a thread of this process; `None` when it has ended.
pub(crate) fn thread_cpu_nanos(tid: i32) -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: there is room for the answer.
    let outcome = unsafe { libc::clock_gettime(cpu_clock(tid), &raw mut time) };
    (outcome == 0).then(|| time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs())
}

/// The kernel's number of a thread's CPU clock: the thread's, inverted, and which of its clocks.
fn cpu_clock(tid: i32) -> libc::clockid_t {
    const OF_A_THREAD: libc::clockid_t = 4;
    const AS_SCHEDULED: libc::clockid_t = 2;
    (!tid << 3) | OF_A_THREAD | AS_SCHEDULED
}
