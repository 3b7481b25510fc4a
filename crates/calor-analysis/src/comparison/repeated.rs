//! Runs whose cases are repeated until their time is over are compared by what as many calls as before take, and by CPU time where
//! they tell it.

use std::collections::BTreeMap;

use super::{CompareMetric, ComparedRun};
use crate::workload::{cpu_parts, is_repeated_by_time};
use crate::{FunctionFigures, FunctionName, RunFigures};

/// Whether all runs are such.
pub(super) fn are_repeated(sides: [&[ComparedRun]; 2], metric: &CompareMetric) -> bool {
    let mut runs = sides.into_iter().flatten();
    *metric == CompareMetric::Scopes && runs.all(|run| is_repeated_by_time(run.profile()))
}

/// Whether some case of every run tells its CPU time.
pub(super) fn is_by_cpu(sides: [&[ComparedRun]; 2]) -> bool {
    sides.into_iter().flatten().all(|run| cpu_parts(run.profile()).values().any(Option::is_some))
}

/// CPU time as a part of time on the wall, of the scopes of which every run that has them tells it.
pub(super) struct CpuParts([Vec<BTreeMap<String, Option<f64>>>; 2]);

impl CpuParts {
    pub(super) fn of(sides: [&[ComparedRun]; 2]) -> Self {
        Self(sides.map(|side| side.iter().map(|run| cpu_parts(run.profile())).collect()))
    }

    /// That of a scope in a run of a side.
    pub(super) fn get(&self, [side, run]: [usize; 2], name: &str) -> Option<f64> {
        let is_told = self.0.iter().flatten().all(|run| run.get(name).is_none_or(Option::is_some));
        self.0[side][run].get(name).copied().flatten().filter(|_| is_told)
    }
}

/// Puts CPU time in the place of time on the wall, for functions of which every run that has them tells it.
pub(super) fn by_cpu(sides: [&[ComparedRun]; 2], figures: &mut [Vec<RunFigures>; 2]) {
    let parts = CpuParts::of(sides);
    for (side, runs) in figures.iter_mut().enumerate() {
        for (at, run) in runs.iter_mut().enumerate() {
            for figures in run.functions.iter_mut().chain(run.own.iter_mut().flatten()) {
                if let Some(part) = parts.get([side, at], &figures.function.name) {
                    figures.value *= part;
                }
            }
        }
    }
}

/// What each function would have taken with the calls that it has in the runs before, on average; in those after, where it is new.
pub(super) fn as_often(sides: &mut [Vec<RunFigures>; 2]) {
    let [before, after] = [calls(&sides[0]), calls(&sides[1])];
    let usual = |name: &FunctionName| before.get(name).or_else(|| after.get(name)).copied();
    let scale = |figures: &mut FunctionFigures| {
        if let Some((calls, usual)) = figures.calls.filter(|calls| *calls > 0).zip(usual(&figures.function)) {
            figures.value *= usual / calls as f64;
            figures.calls = Some(usual.round() as u64);
        }
    };
    for run in sides.iter_mut().flatten() {
        run.functions.iter_mut().for_each(scale);
        run.own.iter_mut().flatten().for_each(scale);
    }
}

/// How often functions are called in a run, on average of those that call them.
fn calls(runs: &[RunFigures]) -> BTreeMap<FunctionName, f64> {
    let mut sums: BTreeMap<FunctionName, (u64, u64)> = BTreeMap::new();
    for figures in runs.iter().flat_map(|run| &run.functions) {
        if let Some(calls) = figures.calls.filter(|calls| *calls > 0) {
            let (sum, n) = sums.entry(figures.function.clone()).or_default();
            *sum = sum.saturating_add(calls);
            *n += 1;
        }
    }
    sums.into_iter().map(|(name, (sum, n))| (name, sum as f64 / n as f64)).collect()
}
