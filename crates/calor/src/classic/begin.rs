//! When a profiler began to record: what its run's duration, CPU time and moments are counted from.

use calor_model::{Cost, Recorder, Run};

use crate::clock::{self, Scale};
use crate::process;

/// The moment, by both clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begin {
    ticks: u64,
    cpu_nanos: Option<u64>,
}

impl Begin {
    pub(super) fn now() -> Self {
        // The anchor comes first, so that no moment is before it.
        clock::anchor();
        Self { ticks: clock::ticks(), cpu_nanos: process::cpu_nanos() }
    }

    /// Ticks from the beginning to a moment.
    pub(super) fn until(self, ticks: u64) -> u64 {
        ticks.saturating_sub(self.ticks)
    }

    /// The run since then.
    pub(super) fn run(self, recorders: impl IntoIterator<Item = Recorder>) -> Run {
        let (anchor, scale) = (clock::anchor(), Scale::measure());
        Run {
            started_at_unix_nanos: anchor.unix_nanos + scale.nanos(self.ticks.saturating_sub(anchor.ticks)),
            duration_nanos: scale.nanos(self.until(clock::ticks())),
            cpu_nanos: process::cpu_nanos()
                .zip(self.cpu_nanos)
                .map(|(now, before)| now.saturating_sub(before)),
            // What a scope costs was measured for scopes, not for starts and stops by name.
            cost: Cost::default(),
            ..process::run(recorders)
        }
    }
}

impl Default for Begin {
    fn default() -> Self {
        Self::now()
    }
}
