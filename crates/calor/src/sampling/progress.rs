//! How far sampling is, and how near it comes to what was asked for.

use std::time::Duration;

/// What takes the samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Source {
    /// The kernel's perf events: no signals, any rate.
    PerfEvents,
    /// Timers and a signal: no faster than the kernel's tick, and blind for threads that block the signal.
    Timers,
}

/// How far sampling is.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Progress {
    /// What takes the samples.
    pub source: Source,
    /// Since it began.
    pub elapsed: Duration,
    /// CPU time of the sampled threads meanwhile.
    pub cpu: Duration,
    /// Samples taken.
    pub samples: u64,
    /// Samples that found no room.
    pub lost: u64,
    /// Threads that were seen running.
    pub threads: usize,
    /// Samples a second of CPU time that were asked for.
    pub rate_asked: u32,
}

impl Progress {
    /// Samples a second of CPU time that were reached; `None` before there is a tenth of a second to tell from.
    #[must_use]
    pub fn rate_reached(&self) -> Option<f64> {
        let seconds = self.cpu.as_secs_f64();
        (seconds >= 0.1).then(|| self.samples as f64 / seconds)
    }
}
