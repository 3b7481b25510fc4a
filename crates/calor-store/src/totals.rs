//! The few sums of a profile that a list of runs shows, so that nobody has to read profiles for a list.

use calor_model::{Profile, Recorder, SampleKind};

/// Sums of a profile; what was not recorded is `None`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// How long was recorded.
    pub duration_nanos: Option<u64>,
    /// CPU time of the program.
    pub cpu_nanos: Option<u64>,
    /// Samples of running threads.
    pub samples: Option<u64>,
    /// Calls of scopes.
    pub scopes: Option<u64>,
    /// Bytes that were allocated.
    pub allocated_bytes: Option<u64>,
    /// Bytes that were held at the peak.
    pub peak_bytes: Option<u64>,
    /// Warnings: kinds of things that were not seen.
    pub warnings: u64,
}

impl Totals {
    /// The sums of a profile.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let has = |recorder| profile.runs.iter().any(|run| run.recorders.contains(&recorder));
        let n_samples = profile
            .samples
            .iter()
            .filter(|(key, _)| key.kind == SampleKind::Cpu)
            .fold(0_u64, |sum, (_, weight)| sum.saturating_add(weight.count));
        let n_scopes = profile.scopes.iter().fold(0_u64, |sum, (_, stats)| sum.saturating_add(stats.calls));
        let allocated =
            profile.heap.iter().fold(0_u64, |sum, (_, site)| sum.saturating_add(site.allocated_bytes));
        let cpu: Option<Vec<u64>> = profile.runs.iter().map(|run| run.cpu_nanos).collect();
        Self {
            duration_nanos: Some(profile.duration_nanos()).filter(|nanos| *nanos > 0),
            cpu_nanos: cpu.filter(|all| !all.is_empty()).map(|all| all.iter().sum()),
            samples: (n_samples > 0 || has(Recorder::Cpu)).then_some(n_samples),
            scopes: (n_scopes > 0 || has(Recorder::Scopes)).then_some(n_scopes),
            allocated_bytes: (!profile.heap.is_empty() || has(Recorder::Heap)).then_some(allocated),
            peak_bytes: profile.heap.summary.map(|summary| summary.peak_bytes),
            warnings: profile.warnings.len() as u64,
        }
    }
}
