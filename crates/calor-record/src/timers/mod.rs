//! Sampling of the own process where perf events are refused: a timer on each thread's CPU clock sends that thread a
//! signal, and its handler copies registers and stack into memory that was set aside before. Everything that takes
//! thought happens later, on a thread of the reader's. Nothing here knows what a profile is.

mod handler;
mod signal;
mod slots;
mod timer;

use std::io;
use std::time::Duration;

pub(crate) use handler::{Session, start_afresh};
pub(crate) use slots::Caught;
pub(crate) use timer::{Timer, thread_cpu_nanos};

/// Why threads cannot be sampled by timers.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TimerError {
    /// The handler and the walk know the registers of x86-64 only.
    #[error("sampling by timers is written for x86-64 only")]
    Architecture,
    /// The program uses every real-time signal itself.
    #[error(
        "no real-time signal is free: the program handles, ignores or blocks all of them; leave one of {first} to \
         {last} at its default for calor"
    )]
    NoFreeSignal {
        /// The first real-time signal.
        first: i32,
        /// The last.
        last: i32,
    },
    /// The process may not copy its own stack in a way that survives a wrong address.
    #[error(
        "process_vm_readv is refused here ({0}), and stacks are copied with it: allow it in the seccomp profile"
    )]
    NoCopy(#[source] io::Error),
    /// Another sampling has the handler.
    #[error("another sampling of this process uses timers already: stop it first")]
    InUse,
    /// The system failed otherwise.
    #[error("timers cannot be set up: {0}")]
    System(#[source] io::Error),
}

/// The time between two samples of a busy thread.
pub(crate) fn period(rate: u32) -> Duration {
    Duration::from_nanos(1_000_000_000 / u64::from(rate.max(1)))
}
