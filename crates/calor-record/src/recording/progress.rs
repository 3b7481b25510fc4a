//! How far a recording is, and how it ended.

use std::process::ExitStatus;
use std::time::Duration;

/// How a watched program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Ended {
    /// The program that was started for it ended.
    Program(ExitStatus),
    /// The process that was attached to is gone.
    Gone,
    /// Somebody asked for the end; the program goes on.
    Asked,
}

/// How far a recording is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Since it began.
    pub elapsed: Duration,
    /// Samples of running threads.
    pub samples: u64,
    /// Times that a thread began to wait, when that is recorded.
    pub waits: u64,
    /// Records that found no room.
    pub lost: u64,
    /// Threads that were seen running.
    pub threads: usize,
}
