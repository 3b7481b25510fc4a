//! Memory of processes over time.

use std::time::Duration;

/// One process.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProcessMemory {
    /// Its number.
    pub pid: i32,
    /// Its name.
    pub name: String,
    /// What it has in memory.
    pub resident_bytes: u64,
    /// The most that it had.
    pub peak_bytes: u64,
    /// What of it was put out of memory.
    pub swapped_bytes: u64,
    /// How many threads it has.
    pub n_threads: u64,
    /// Pages that had to be given since its start.
    pub faults: u64,
    /// Those that had to be read.
    pub major_faults: u64,
}

/// All processes together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryUsage {
    /// Since the recording began.
    pub at: Duration,
    /// What it has in memory.
    pub resident_bytes: u64,
    /// What of it was put out of memory.
    pub swapped_bytes: u64,
    /// Pages that had to be given since the start.
    pub faults: u64,
    /// Those that had to be read.
    pub major_faults: u64,
}

impl MemoryUsage {
    /// The sum of the processes, so long after the recording began.
    #[must_use]
    pub fn of(processes: &[ProcessMemory], at: Duration) -> Self {
        let mut sum = Self { at, ..Self::default() };
        for process in processes {
            sum.resident_bytes += process.resident_bytes;
            sum.swapped_bytes += process.swapped_bytes;
            sum.faults += process.faults;
            sum.major_faults += process.major_faults;
        }
        sum
    }
}

/// How much a second was added between two looks.
#[must_use]
pub fn memory_rates(usage: &[MemoryUsage], of: fn(&MemoryUsage) -> u64) -> Vec<u64> {
    let rate = |pair: &[MemoryUsage]| {
        // A process that ended takes its sum along: that is no fault less.
        let grown = of(&pair[1]).saturating_sub(of(&pair[0])) as f64;
        let seconds = pair[1].at.saturating_sub(pair[0].at).as_secs_f64();
        (grown / seconds.max(0.001)).round() as u64
    };
    usage.windows(2).map(rate).collect()
}
