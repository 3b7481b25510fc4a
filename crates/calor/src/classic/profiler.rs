//! The profiler as one object: times and memory of named operations, what stands out in them, and a report.

use std::time::Duration;

use calor_model::{Profile, Recorder};

use super::bottleneck::{Bottleneck, BottleneckAnalyzer, Thresholds};
use super::compute::ComputeProfiler;
use super::memory::MemoryProfiler;
use super::outcome::Outcome;
use super::report::Report;

/// Times named operations and keeps account of named allocations, on any number of threads.
///
/// Each profiler is a world of its own and records from the moment it is made, whether the recorder of
/// scopes is on or not. A start and its stop take locks and look up a name, 0.1 to 0.4 µs together, about
/// ten times the cost of [`scope!`](crate::scope): for operations of many microseconds, not for inner loops.
///
/// ```
/// let profiler = calor::Profiler::new();
/// profiler.start("forward");
/// // ... work
/// profiler.stop("forward");
/// println!("{:?} in {} calls", profiler.total_time("forward"), profiler.call_count("forward"));
/// println!("{}", profiler.summary());
/// ```
#[derive(Debug, Default)]
pub struct Profiler {
    compute: ComputeProfiler,
    memory: MemoryProfiler,
    thresholds: Thresholds,
}

impl Profiler {
    /// A profiler with nothing in it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A profiler that has its own idea of what a bottleneck is.
    #[must_use]
    pub fn with_thresholds(thresholds: Thresholds) -> Self {
        Self { thresholds, ..Self::default() }
    }

    /// Starts an operation, inside the one that this thread started last and has not stopped.
    pub fn start(&self, name: &str) {
        self.compute.start(name);
    }

    /// Starts an operation of so many floating-point operations.
    pub fn start_with_flops(&self, name: &str, flops: f64) {
        self.compute.start_with_flops(name, flops);
    }

    /// Stops the innermost start of this name on this thread, or else the oldest on any thread, and tells how
    /// long that took. Without a start nothing is recorded, and the outcome says what to do.
    pub fn stop(&self, name: &str) -> Outcome<Duration> {
        self.compute.stop(name)
    }

    /// The time of all stopped calls; zero when there is none. A call inside another of the same name is part
    /// of that one.
    #[must_use]
    pub fn total_time(&self, name: &str) -> Duration {
        self.compute.total_time(name)
    }

    /// The mean duration of a stopped call; zero when there is none.
    #[must_use]
    pub fn avg_time(&self, name: &str) -> Duration {
        self.compute.avg_time(name)
    }

    /// How many calls were stopped.
    #[must_use]
    pub fn call_count(&self, name: &str) -> u64 {
        self.compute.call_count(name)
    }

    /// Whether a start of this name waits for its stop, on any thread.
    #[must_use]
    pub fn is_running(&self, name: &str) -> bool {
        self.compute.is_running(name)
    }

    /// Tells that `bytes` were allocated under a name.
    pub fn record_alloc(&self, name: &str, bytes: usize) {
        self.memory.record_alloc(name, bytes);
    }

    /// Tells that `bytes` of a name were freed. When it did not hold as much, what it held is taken off, and
    /// the outcome says what to do.
    pub fn record_free(&self, name: &str, bytes: usize) -> Outcome<()> {
        self.memory.record_free(name, bytes)
    }

    /// Bytes held now, as told.
    #[must_use]
    pub fn current_memory(&self) -> usize {
        self.memory.current()
    }

    /// The most bytes that were held at once, as told.
    #[must_use]
    pub fn peak_memory(&self) -> usize {
        self.memory.peak()
    }

    /// The part that times operations.
    #[must_use]
    pub fn compute(&self) -> &ComputeProfiler {
        &self.compute
    }

    /// The part that keeps account of memory.
    #[must_use]
    pub fn memory(&self) -> &MemoryProfiler {
        &self.memory
    }

    /// What stands out so far, the worst first.
    #[must_use]
    pub fn analyze_bottlenecks(&self) -> Vec<Bottleneck> {
        BottleneckAnalyzer::with_thresholds(self.thresholds.clone())
            .analyze(&self.compute.operations(), &self.memory.all())
    }

    /// Everything so far, to be printed or exported.
    #[must_use]
    pub fn summary(&self) -> Report {
        Report::new(self.snapshot(), self.analyze_bottlenecks())
    }

    /// Prints the summary to standard output.
    pub fn print_summary(&self) {
        println!("{}", self.summary());
    }

    /// Everything recorded, as a profile: call paths with percentiles, what is still running, and the memory.
    #[must_use]
    pub fn snapshot(&self) -> Profile {
        let mut profile = Profile::default();
        self.compute.add_to(&mut profile);
        let has_heap = self.memory.add_to(&mut profile);
        let recorders = [Recorder::Scopes].into_iter().chain(has_heap.then_some(Recorder::Heap));
        profile.runs.push(self.compute.begin().run(recorders));
        profile
    }

    /// Forgets everything. Operations that are running now are not counted when they are stopped.
    pub fn reset(&self) {
        self.compute.reset();
        self.memory.reset();
    }
}
