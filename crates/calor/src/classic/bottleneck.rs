//! What stands out in a profiler's figures: a handful of rules, each with a named threshold. A rule that has
//! nothing to judge (no memory told, no floating-point operations told) finds nothing.

use std::fmt;

use calor_analysis::quantity::{bytes, count, duration, percent};

use super::memory::MemoryStats;
use super::operation::OperationStats;

/// From where on something is a bottleneck.
#[derive(Clone, PartialEq, Debug)]
pub struct Thresholds {
    /// The share of all recorded time that an operation may take itself, operations inside it not counted.
    pub slow_operation_share: f64,
    /// How often an operation may be called.
    pub high_call_count: u64,
    /// The share of the peak that one name may hold.
    pub memory_hotspot_share: f64,
    /// The share of a name's allocated bytes that may still be held.
    pub memory_leak_share: f64,
    /// The least thousand millions of floating-point operations a second.
    pub low_throughput_gflops: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            slow_operation_share: 0.20,
            high_call_count: 10_000,
            memory_hotspot_share: 0.30,
            memory_leak_share: 0.05,
            low_throughput_gflops: 1.0,
        }
    }
}

/// What kind of bottleneck it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum BottleneckKind {
    /// An operation takes much of the time.
    SlowOperation,
    /// An operation is called very often.
    HighCallCount,
    /// One name holds much of the memory.
    MemoryHotspot,
    /// What was allocated under a name was not all freed.
    MemoryLeak,
    /// An operation computes slowly.
    LowThroughput,
}

impl BottleneckKind {
    /// The word for it in reports for programs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::SlowOperation => "slow_operation",
            Self::HighCallCount => "high_call_count",
            Self::MemoryHotspot => "memory_hotspot",
            Self::MemoryLeak => "memory_leak",
            Self::LowThroughput => "low_throughput",
        }
    }
}

/// How bad it is: how many times the threshold was passed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Severity {
    /// Up to one and a half times.
    Low,
    /// Up to two and a half times.
    Medium,
    /// Up to four times.
    High,
    /// Four times and more.
    Critical,
}

impl Severity {
    fn of(times_threshold: f64) -> Self {
        match times_threshold {
            times if times < 1.5 => Self::Low,
            times if times < 2.5 => Self::Medium,
            times if times < 4.0 => Self::High,
            _ => Self::Critical,
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        })
    }
}

/// One bottleneck, with what it was judged by.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Bottleneck {
    /// What kind it is.
    pub kind: BottleneckKind,
    /// How bad it is.
    pub severity: Severity,
    /// The operation, or the name of the memory.
    pub name: String,
    /// What was found, with its numbers.
    pub description: String,
    /// What to try.
    pub suggestion: String,
    /// The figure that was judged: a share, a number of calls, or GFLOP/s.
    pub measured: f64,
    /// The threshold that it passed, in the same unit.
    pub threshold: f64,
}

/// Looks for bottlenecks.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BottleneckAnalyzer {
    thresholds: Thresholds,
}

impl BottleneckAnalyzer {
    /// With the usual thresholds.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With other thresholds.
    #[must_use]
    pub fn with_thresholds(thresholds: Thresholds) -> Self {
        Self { thresholds }
    }

    /// What stands out in these figures, the worst first.
    #[must_use]
    pub fn analyze(&self, operations: &[OperationStats], memory: &[MemoryStats]) -> Vec<Bottleneck> {
        let all_nanos: f64 = operations.iter().map(|operation| operation.self_time().as_nanos() as f64).sum();
        let peak: f64 = memory.iter().map(|stats| stats.bytes_at_peak as f64).sum();
        let mut found: Vec<Bottleneck> = operations
            .iter()
            .flat_map(|operation| {
                [
                    self.slow_operation(operation, all_nanos),
                    self.high_call_count(operation),
                    self.low_throughput(operation),
                ]
            })
            .chain(
                memory.iter().flat_map(|stats| [self.memory_hotspot(stats, peak), self.memory_leak(stats)]),
            )
            .flatten()
            .collect();
        found.sort_by(|a, b| (b.severity, a.kind, &a.name).cmp(&(a.severity, b.kind, &b.name)));
        found
    }

    fn slow_operation(&self, operation: &OperationStats, all_nanos: f64) -> Option<Bottleneck> {
        let nanos = operation.self_time().as_nanos() as f64;
        let (share, threshold) = (nanos / all_nanos, self.thresholds.slow_operation_share);
        (share > threshold).then(|| Bottleneck {
            kind: BottleneckKind::SlowOperation,
            severity: Severity::of(share / threshold),
            name: operation.name.clone(),
            description: format!(
                "takes {} of the recorded time ({} in {} calls)",
                percent(share),
                duration(nanos),
                count(operation.call_count)
            ),
            suggestion: String::from("Look inside it first: time its parts, or record CPU samples"),
            measured: share,
            threshold,
        })
    }

    fn high_call_count(&self, operation: &OperationStats) -> Option<Bottleneck> {
        let threshold = self.thresholds.high_call_count;
        (operation.call_count > threshold).then(|| Bottleneck {
            kind: BottleneckKind::HighCallCount,
            severity: Severity::of(operation.call_count as f64 / threshold.max(1) as f64),
            name: operation.name.clone(),
            description: format!(
                "was called {} times, for {} each",
                count(operation.call_count),
                duration(operation.avg_time().as_nanos() as f64)
            ),
            suggestion: String::from(
                "Do more in each call: batch the work, or time it one level further out",
            ),
            measured: operation.call_count as f64,
            threshold: threshold as f64,
        })
    }

    fn low_throughput(&self, operation: &OperationStats) -> Option<Bottleneck> {
        let threshold = self.thresholds.low_throughput_gflops;
        let rate = operation.gflops_per_second().filter(|rate| *rate < threshold)?;
        Some(Bottleneck {
            kind: BottleneckKind::LowThroughput,
            severity: Severity::of(threshold / rate),
            name: operation.name.clone(),
            description: format!("computes at {rate:.3} GFLOP/s, below {threshold} GFLOP/s"),
            suggestion: String::from(
                "Check that it is vectorised, works on whole batches and does not wait for memory",
            ),
            measured: rate,
            threshold,
        })
    }

    fn memory_hotspot(&self, stats: &MemoryStats, peak: f64) -> Option<Bottleneck> {
        let (share, threshold) = (stats.bytes_at_peak as f64 / peak, self.thresholds.memory_hotspot_share);
        (share > threshold).then(|| Bottleneck {
            kind: BottleneckKind::MemoryHotspot,
            severity: Severity::of(share / threshold),
            name: stats.name.clone(),
            description: format!(
                "holds {} of the peak ({} of {})",
                percent(share),
                bytes(stats.bytes_at_peak as u64),
                bytes(peak as u64)
            ),
            suggestion: String::from(
                "Free it earlier, reuse its buffers, or keep it in a smaller number format",
            ),
            measured: share,
            threshold,
        })
    }

    fn memory_leak(&self, stats: &MemoryStats) -> Option<Bottleneck> {
        let threshold = self.thresholds.memory_leak_share;
        let share = stats.current_bytes as f64 / stats.allocated_bytes as f64;
        // What was never freed may well be in use for as long as the program runs; only what is freed in part
        // shows that it should have been.
        let is_freed_in_part = stats.free_count > 0;
        (share > threshold).then(|| Bottleneck {
            kind: BottleneckKind::MemoryLeak,
            severity: if is_freed_in_part { Severity::of(share / threshold) } else { Severity::Low },
            name: stats.name.clone(),
            description: format!(
                "still holds {} of the {} allocated ({} allocations, {} frees)",
                bytes(stats.current_bytes as u64),
                bytes(stats.allocated_bytes),
                count(stats.alloc_count),
                count(stats.free_count)
            ),
            suggestion: String::from(if is_freed_in_part {
                "Find the allocations without a free, or tell of the frees with record_free"
            } else {
                "A leak if the program is done with it: free it, or tell of the free with record_free"
            }),
            measured: share,
            threshold,
        })
    }
}
