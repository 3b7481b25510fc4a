//! The compute profiler: how long named operations take, how often they run, and how fast they compute.

use std::cmp::Reverse;
use std::fmt;
use std::time::Duration;

use calor_model::{Profile, Recorder};

use super::begin::Begin;
use super::calls::{CallId, Calls, Work};
pub use super::operation::OperationStats;
use super::outcome::Outcome;

/// Times named operations, on any number of threads.
///
/// ```
/// let profiler = calor::ComputeProfiler::new();
/// profiler.start_with_flops("matmul", 2.0 * 64.0 * 64.0 * 64.0);
/// // ... multiply
/// profiler.stop("matmul");
/// for operation in profiler.top_by_time(5) {
///     println!("{}: {} calls, {:?}", operation.name, operation.call_count, operation.total_time());
/// }
/// ```
pub struct ComputeProfiler {
    calls: Calls,
}

impl Default for ComputeProfiler {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ComputeProfiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComputeProfiler").field("operations", &self.operations()).finish()
    }
}

impl ComputeProfiler {
    /// A profiler with nothing in it. It records at once, whether the recorder of scopes is on or not.
    #[must_use]
    pub fn new() -> Self {
        Self { calls: Calls::new() }
    }

    /// Starts an operation, inside the one that this thread started last and has not stopped.
    pub fn start(&self, name: &str) {
        self.calls.start(name, Work::default());
    }

    /// Starts an operation of so many floating-point operations.
    pub fn start_with_flops(&self, name: &str, flops: f64) {
        self.start_with_work(name, flops, 0);
    }

    /// Starts an operation of so many floating-point operations that reads and writes so many bytes.
    pub fn start_with_work(&self, name: &str, flops: f64, bytes: u64) {
        // The cast takes what is no number, or below zero, as nothing.
        self.calls.start(name, Work { flops: flops as u64, bytes, ..Work::default() });
    }

    /// Stops the innermost start of this name on this thread, or else the oldest on any thread, and tells how
    /// long that took. Without a start nothing is recorded, and the outcome says what to do.
    pub fn stop(&self, name: &str) -> Outcome<Duration> {
        Outcome::new(self.calls.stop(name).map(|finished| finished.duration()))
    }

    pub(super) fn open(&self, name: &str) -> CallId {
        self.calls.start(name, Work::default())
    }

    pub(super) fn close(&self, id: CallId) {
        self.calls.finish(id);
    }

    /// The time of all stopped calls; zero when there is none. A call inside another of the same name is part
    /// of that one.
    #[must_use]
    pub fn total_time(&self, name: &str) -> Duration {
        self.operation(name).map_or(Duration::ZERO, |operation| operation.total_time())
    }

    /// The mean duration of a stopped call; zero when there is none.
    #[must_use]
    pub fn avg_time(&self, name: &str) -> Duration {
        self.operation(name).map_or(Duration::ZERO, |operation| operation.avg_time())
    }

    /// How many calls were stopped.
    #[must_use]
    pub fn call_count(&self, name: &str) -> u64 {
        self.operation(name).map_or(0, |operation| operation.call_count)
    }

    /// Whether a start of this name waits for its stop, on any thread.
    #[must_use]
    pub fn is_running(&self, name: &str) -> bool {
        self.calls.is_open(name)
    }

    /// What is known of one operation; `None` when no call was stopped.
    #[must_use]
    pub fn operation(&self, name: &str) -> Option<OperationStats> {
        self.operations().into_iter().find(|operation| operation.name == name)
    }

    /// What is known of all operations, in the order of their first use.
    #[must_use]
    pub fn operations(&self) -> Vec<OperationStats> {
        self.calls.operations()
    }

    /// The `n` operations that took longest, the longest first.
    #[must_use]
    pub fn top_by_time(&self, n: usize) -> Vec<OperationStats> {
        let mut operations = self.operations();
        operations.sort_by_key(|operation| Reverse(operation.total_time()));
        operations.truncate(n);
        operations
    }

    /// The `n` operations that computed most, by all floating-point operations told; those of which none were
    /// told are left out.
    #[must_use]
    pub fn top_by_flops(&self, n: usize) -> Vec<OperationStats> {
        let mut operations = self.operations();
        operations.retain(|operation| operation.flops > 0.0);
        operations.sort_by(|a, b| b.flops.total_cmp(&a.flops));
        operations.truncate(n);
        operations
    }

    /// Forgets everything. Operations that are running now are not counted when they are stopped.
    pub fn reset(&self) {
        self.calls.reset();
    }

    /// Everything recorded, as a profile: by call path, with percentiles, and with what is still running.
    #[must_use]
    pub fn snapshot(&self) -> Profile {
        let mut profile = Profile::default();
        self.add_to(&mut profile);
        profile.runs.push(self.begin().run([Recorder::Scopes]));
        profile
    }

    pub(super) fn begin(&self) -> Begin {
        self.calls.begin()
    }

    pub(super) fn add_to(&self, profile: &mut Profile) {
        self.calls.add_to(profile);
    }
}
