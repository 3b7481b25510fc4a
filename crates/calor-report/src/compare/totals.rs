//! The few sums of the runs of a side that say how large they were: how long, how much CPU time, how many allocations and
//! calls.

use calor_analysis::{HeapTotals, ThreadChoice};
use calor_model::Profile;

use super::ComparedRun;

/// Sums of a run, or the mean of several. What was not measured, or not of every run, is `None`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct RunTotals {
    pub(crate) duration_nanos: Option<f64>,
    pub(crate) cpu_nanos: Option<f64>,
    pub(crate) scope_calls: Option<f64>,
    pub(crate) allocated_bytes: Option<f64>,
    pub(crate) allocated_count: Option<f64>,
    pub(crate) peak_bytes: Option<f64>,
}

impl RunTotals {
    fn of(profile: &Profile) -> Self {
        let heap = HeapTotals::of(profile, &ThreadChoice::All);
        let cpu: Option<u64> = profile.runs.iter().map(|run| run.cpu_nanos).sum();
        let calls = profile.scopes.iter().fold(0_u64, |sum, (_, stats)| sum.saturating_add(stats.calls));
        let positive = |value: u64| (value > 0).then_some(value as f64);
        Self {
            duration_nanos: positive(profile.duration_nanos()),
            cpu_nanos: cpu.filter(|_| !profile.runs.is_empty()).map(|nanos| nanos as f64),
            scope_calls: positive(calls),
            allocated_bytes: heap.map(|heap| heap.allocated_bytes as f64),
            allocated_count: heap.map(|heap| heap.allocated_count as f64),
            peak_bytes: heap.map(|heap| heap.peak_bytes as f64),
        }
    }

    /// The mean of a side's runs.
    pub(super) fn of_side(runs: &[ComparedRun]) -> Self {
        let all: Vec<Self> = runs.iter().map(|run| Self::of(&run.profile)).collect();
        let mean = |of: &dyn Fn(&Self) -> Option<f64>| {
            let sum: Option<f64> = all.iter().map(of).sum();
            sum.map(|sum| sum / all.len().max(1) as f64)
        };
        Self {
            duration_nanos: mean(&|run| run.duration_nanos),
            cpu_nanos: mean(&|run| run.cpu_nanos),
            scope_calls: mean(&|run| run.scope_calls),
            allocated_bytes: mean(&|run| run.allocated_bytes),
            allocated_count: mean(&|run| run.allocated_count),
            peak_bytes: mean(&|run| run.peak_bytes),
        }
    }
}
