//! Saved runs, as a history needs them.

use anyhow::Result;
use calor_analysis::history::{HistoryMetric, HistoryRun, HistorySums, RunSum, ScopeRuns};
use calor_analysis::workload::is_repeated_label;
use calor_store::{Machine, SavedRun, Scope, ScopeSums, Store, Sum, SumKind};

/// What a history has to know of a run.
pub(super) fn run_of(run: &SavedRun) -> HistoryRun {
    HistoryRun {
        id: run.id.to_string(),
        subject: run.command.as_ref().unwrap_or(&run.name).clone(),
        machine: run.machine.as_ref().map(Machine::fingerprint),
        at_unix_nanos: run.started_at_unix_nanos.unwrap_or(run.saved_at_unix_nanos),
        saved_at_unix_nanos: run.saved_at_unix_nanos,
        commit: run.revision.commit.clone(),
        is_dirty: run.revision.is_dirty == Some(true),
        rate: run.settings.get("rate").and_then(|rate| rate.parse().ok()),
        is_repeated: is_repeated_label(&run.labels),
    }
}

/// What the store knows of some runs.
pub(super) struct SavedSums<'s> {
    pub(super) store: &'s Store,
    pub(super) runs: &'s [SavedRun],
}

impl HistorySums for SavedSums<'_> {
    type Error = anyhow::Error;

    fn scopes(&self, metric: HistoryMetric) -> Result<Vec<ScopeRuns>> {
        let scopes = self.store.sums(kind(metric), None, self.runs)?;
        let sum = |sum: Sum| RunSum { calls: sum.calls, own: sum.own, total: sum.total };
        let runs = |ScopeSums { scope: Scope { name, place }, sums }| ScopeRuns {
            name,
            place,
            runs: sums.into_iter().map(|run| run.map(sum)).collect(),
        };
        Ok(scopes.into_iter().map(runs).collect())
    }

    fn program(&self, metric: HistoryMetric) -> Result<Vec<Option<f64>>> {
        let sums = self.store.sums(kind(metric), Some(&Scope::default()), self.runs)?.into_iter().next();
        let sums = sums.map_or_else(|| vec![None; self.runs.len()], |series| series.sums);
        let value = |(run, sum): (&SavedRun, &Option<Sum>)| {
            let exact = match metric {
                HistoryMetric::Cpu => run.totals.cpu_nanos,
                HistoryMetric::Wall => run.totals.duration_nanos,
                HistoryMetric::Allocated => run.totals.allocated_bytes,
                HistoryMetric::Scopes | HistoryMetric::OffCpu => None,
            };
            let value = exact.or(sum.map(|sum| sum.total)).filter(|value| *value > 0);
            value.map(|value| value as f64)
        };
        Ok(self.runs.iter().zip(&sums).map(value).collect())
    }

    fn canaries(&self) -> Result<Vec<Option<f64>>> {
        let canaries = self.store.canaries(self.runs)?;
        Ok(canaries.into_iter().map(|nanos| nanos.map(|nanos| nanos as f64)).collect())
    }
}

fn kind(metric: HistoryMetric) -> SumKind {
    match metric {
        HistoryMetric::Scopes => SumKind::Scopes,
        HistoryMetric::Cpu => SumKind::Cpu,
        HistoryMetric::Wall => SumKind::Wall,
        HistoryMetric::OffCpu => SumKind::OffCpu,
        HistoryMetric::Allocated => SumKind::Allocated,
    }
}
