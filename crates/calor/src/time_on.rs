//! How long the recorder was on since the last reset: what a program does while it is off is no part of the run.

use std::collections::HashMap;

use calor_model::{Profile, Run};

use crate::clock::{self, Scale};
use crate::process::cpu_nanos;
use crate::process_lock::ProcessLock;

#[derive(Clone, Copy, Default)]
struct TimeOn {
    ticks: u64,
    cpu_nanos: u64,
    /// The moment from which on it is on, by both clocks.
    since: Option<(u64, u64)>,
}

impl TimeOn {
    fn now() -> (u64, u64) {
        (clock::ticks(), cpu_nanos().unwrap_or(0))
    }

    /// With what has gone by since it was turned on last.
    fn up_to_now(self) -> Self {
        let Some((ticks, cpu)) = self.since else { return self };
        let (now, now_cpu) = Self::now();
        Self {
            ticks: self.ticks + now.saturating_sub(ticks),
            cpu_nanos: self.cpu_nanos + now_cpu.saturating_sub(cpu),
            since: Some((now, now_cpu)),
        }
    }
}

static TIME_ON: ProcessLock<TimeOn> = ProcessLock::new();

/// The recorder is turned on or off by `change`. Both are one step: of two threads that turn it, the last one decides both.
pub(crate) fn turn(is_on: bool, change: impl FnOnce()) {
    let mut time = TIME_ON.lock();
    change();
    *time = time.up_to_now();
    time.since = if is_on { time.since.or_else(|| Some(TimeOn::now())) } else { None };
}

/// What was done since the recorder was turned on was to set it up.
pub(crate) fn leave_out_since_turned_on() {
    let mut time = TIME_ON.lock();
    time.since = time.since.map(|_| TimeOn::now());
}

/// Nothing was recorded before now.
pub(crate) fn begin() {
    let mut time = TIME_ON.lock();
    *time = TimeOn { since: time.since.map(|_| TimeOn::now()), ..TimeOn::default() };
}

/// In a forked child: another thread may have had the lock, and whether the recorder is on is what is left to know.
pub(crate) fn start_afresh(is_on: bool) {
    TIME_ON.forget();
    TIME_ON.lock().since = is_on.then(TimeOn::now);
}

/// Has a run tell the time in which the recorder was on, and the CPU time of the process in it. Scopes that were open when it
/// was turned off go on, and a run is no shorter than they are.
pub(crate) fn tell(run: &mut Run, profile: &Profile) {
    let time = TIME_ON.lock().up_to_now();
    let nanos = Scale::measure().nanos(time.ticks).max(longest_of_threads(profile));
    run.duration_nanos = run.duration_nanos.min(nanos);
    run.cpu_nanos = run.cpu_nanos.map(|nanos| nanos.min(time.cpu_nanos));
}

/// The time of the outermost scopes of the thread that has most of it.
fn longest_of_threads(profile: &Profile) -> u64 {
    let mut nanos = HashMap::new();
    for (key, stats) in profile.scopes.iter() {
        if profile.stacks.get(key.stack).parent.is_none() {
            let of_thread: &mut u64 = nanos.entry(key.thread).or_default();
            *of_thread = of_thread.saturating_add(stats.inclusive_nanos());
        }
    }
    nanos.into_values().max().unwrap_or(0)
}

#[cfg(all(test, target_os = "linux"))]
#[expect(unsafe_code, reason = "a fork is what is tested")]
mod tests {
    use super::*;

    #[test]
    fn a_child_goes_on_whoever_had_the_lock_when_it_was_forked() {
        crate::enable();
        let (taken, is_taken) = std::sync::mpsc::channel();
        let (done, is_done) = std::sync::mpsc::channel::<()>();
        let holder = std::thread::spawn(move || {
            let held = TIME_ON.lock();
            taken.send(()).expect("the test waits");
            let _ = is_done.recv();
            drop(held);
        });
        is_taken.recv().expect("it takes the lock");
        // SAFETY: the child looks at a profile, and ends at once.
        let child = unsafe { libc::fork() };
        if child == 0 {
            std::thread::sleep(std::time::Duration::from_millis(10));
            let run = crate::snapshot().runs.remove(0);
            let is_timed = (10_000_000..10_000_000_000).contains(&run.duration_nanos);
            // SAFETY: nothing of the parent is torn down.
            unsafe { libc::_exit(if is_timed { 0 } else { 1 }) };
        }
        let mut status = 0;
        // One that waits does so inside of the fork, where it cannot end itself.
        let has_ended = (0..2_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            // SAFETY: it writes one number.
            unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) == child }
        });
        if !has_ended {
            // SAFETY: the child is this test's own.
            unsafe { libc::kill(child, libc::SIGKILL) };
        }
        drop(done);
        holder.join().expect("it ends");
        assert!(has_ended && status == 0, "the child waits, or has no time");
    }
}
