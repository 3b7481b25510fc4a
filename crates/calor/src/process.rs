//! What is known of this process and machine, for a profile's account of its run.

#![expect(unsafe_code, reason = "CPU time and exit handlers are C interfaces")]

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use calor_model::{Host, Profile, Recorder, Run, RunId, Warning, command_line};

use crate::causal;
use crate::clock::{self, Scale};
use crate::first_value::FirstValue;
use crate::recorder::registry::Losses;
use crate::recorder::{calibrate, state};
use crate::time_on;

pub(crate) type Labels = BTreeMap<String, String>;

static LABELS: Mutex<Labels> = Mutex::new(BTreeMap::new());

/// The lock over the run's labels, to be held during a fork.
pub(crate) fn labels() -> &'static Mutex<Labels> {
    &LABELS
}

/// Labels the run, such as `set_label("model", "small")`; profiles taken from now on carry it.
pub fn set_label(key: impl Into<String>, value: impl Into<String>) {
    LABELS.lock().unwrap_or_else(PoisonError::into_inner).insert(key.into(), value.into());
}

/// CPU time of the process before recording began.
static CPU_BEFORE: AtomicU64 = AtomicU64::new(0);
static READERS_BEFORE: AtomicU64 = AtomicU64::new(0);

/// The commit that the environment names. Read once, and not by the recording's thread: the environment may be
/// changed by parts of the program that are not in Rust, which is no moment to read it.
fn commit() -> &'static Option<String> {
    static COMMIT: FirstValue<Option<String>> = FirstValue::new();
    COMMIT.get_or_make(|| std::env::var("CALOR_COMMIT").ok())
}

/// Notes that recording begins: the first time, or anew after a reset.
pub(crate) fn begin() {
    commit();
    time_on::begin();
    CPU_BEFORE.store(cpu_nanos().unwrap_or(0), Relaxed);
    READERS_BEFORE.store(readers_cpu_nanos(), Relaxed);
}

/// CPU time of threads that read symbols for this process since recording began.
pub(crate) fn readers_nanos() -> u64 {
    readers_cpu_nanos().saturating_sub(READERS_BEFORE.load(Relaxed))
}

fn readers_cpu_nanos() -> u64 {
    #[cfg(all(any(feature = "heap", feature = "sampling"), target_os = "linux", target_arch = "x86_64"))]
    return calor_symbols::own_threads_cpu_nanos();
    #[cfg(not(all(
        any(feature = "heap", feature = "sampling"),
        target_os = "linux",
        target_arch = "x86_64"
    )))]
    return 0;
}

/// This run, as it is now.
pub(crate) fn run(recorders: impl IntoIterator<Item = Recorder>) -> Run {
    let anchor = clock::anchor();
    let scale = Scale::measure();
    let begin = state::settings().reset_at.max(anchor.ticks);
    Run {
        id: run_id(),
        command: Some(command_line(&std::env::args_os().collect::<Vec<_>>()))
            .filter(|command| !command.is_empty()),
        started_at_unix_nanos: anchor.unix_nanos + scale.nanos(begin - anchor.ticks),
        duration_nanos: scale.nanos(clock::ticks().saturating_sub(begin)),
        cpu_nanos: cpu_nanos().map(|nanos| nanos.saturating_sub(CPU_BEFORE.load(Relaxed))),
        host: host().clone(),
        commit: commit().clone(),
        labels: LABELS.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        recorders: recorders.into_iter().collect(),
        cost: calibrate::cost(),
        ..Run::default()
    }
}

/// Says what was lost outside of any thread's block.
pub(crate) fn warn_of_losses(profile: &mut Profile, losses: Losses) {
    let Losses { late, stray, unlabelled } = losses;
    if unlabelled > 0 {
        profile.warn(Warning::counted(
            "labels_over_limit",
            "calls with further labels than the 128 sets of a scope, or the 1,024 of all, were recorded without labels; \
             label with values that repeat, such as a size rounded to a power of two",
            unlabelled,
        ));
    }
    if late > 0 {
        profile.warn(Warning::counted(
            "scopes_late",
            "scopes opened while their thread was being torn down, or by an allocator or signal handler while the \
             recorder was at work, were not recorded",
            late,
        ));
    }
    if stray > 0 {
        profile.warn(Warning::counted(
            "scopes_stray",
            "scopes closed on another thread than the one that opened them were not recorded",
            stray,
        ));
    }
}

/// Says what has to be known about the clock.
pub(crate) fn warn_of_clock(profile: &mut Profile) {
    if !clock::is_steady() {
        profile.warn(Warning::new(
            "clock_unsteady",
            "this processor does not promise a counter of constant rate: times may be off",
        ));
    }
}

/// Says that times are not those of the program as it is.
pub(crate) fn warn_of_experiments(profile: &mut Profile) {
    if causal::was_under_way() {
        profile.warn(Warning::new(
            "slowed_by_experiments",
            "threads were paused on purpose by calor::causal while this was recorded: scopes around pauses took longer \
             than they do otherwise",
        ));
    }
}

/// Runs a function when the program ends in an orderly way.
pub(crate) fn at_exit(function: extern "C" fn()) {
    // SAFETY: the function takes nothing, returns nothing and does not unwind.
    unsafe { libc::atexit(function) };
}

/// Keeps signals from the calling thread: they are for the program's own threads, and a file limit or a closed
/// pipe shall be an error of the write, not the program's end.
pub(crate) fn block_signals() {
    // SAFETY: the set is filled in before it is used, and the old one is not asked for.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
    }
}

/// Claims a file for this process; `false` if another process has. It is released when the file is closed.
pub(crate) fn claim(file: &File) -> bool {
    // SAFETY: the descriptor is open.
    let outcome = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) };
    // Where files cannot be claimed at all, nobody is kept from writing.
    outcome == 0 || std::io::Error::last_os_error().kind() != std::io::ErrorKind::WouldBlock
}

/// Gives up a claim, even if a forked child still has the file open.
pub(crate) fn release(file: &File) {
    // SAFETY: the descriptor is open.
    unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_UN) };
}

/// Different for each process, a forked child included.
fn run_id() -> RunId {
    static BASE: FirstValue<RandomState> = FirstValue::new();
    let base = BASE.get_or_make(RandomState::new);
    let half = |salt: u64| {
        let mut hasher = base.build_hasher();
        hasher.write_u32(std::process::id());
        hasher.write_u64(salt);
        u128::from(hasher.finish())
    };
    RunId(half(1) << 64 | half(2))
}

/// CPU time of the process so far.
pub(crate) fn cpu_nanos() -> Option<u64> {
    clock_nanos(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// CPU time of the calling thread so far.
pub(crate) fn thread_cpu_nanos() -> Option<u64> {
    clock_nanos(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn clock_nanos(clock: libc::clockid_t) -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local of the right type.
    let outcome = unsafe { libc::clock_gettime(clock, &raw mut time) };
    let (seconds, nanos) = (u64::try_from(time.tv_sec).ok()?, u64::try_from(time.tv_nsec).ok()?);
    (outcome == 0).then(|| seconds.saturating_mul(1_000_000_000).saturating_add(nanos))
}

/// What recording the scopes of a profile cost, by the measured cost of an empty one.
pub(crate) fn cost_of_scopes(profile: &Profile) -> Option<u64> {
    let (mut timed, mut untimed) = (0, 0);
    for (_, stats) in profile.scopes.iter() {
        timed += stats.timed.count;
        untimed += stats.calls.saturating_sub(stats.timed.count);
    }
    calibrate::cost_of(timed, untimed)
}

fn host() -> &'static Host {
    static HOST: FirstValue<Host> = FirstValue::new();
    HOST.get_or_make(calor_host::host)
}
