//! Runs whose cases are repeated until their time is over, as most of `calor bench` are. What all repetitions of a case took then
//! says how long it was given: a slower one is repeated less often. What is compared is what as many calls as before take.

use std::collections::BTreeMap;

use calor_analysis::{FunctionFigures, FunctionName, RunFigures};
use calor_model::Warning;

use super::{CompareMetric, ComparedRun};

/// The label of such runs, and its value.
pub const REPEATED_BY_TIME: (&str, &str) = ("repetitions", "by time");

/// Whether all runs are such.
pub(super) fn are_repeated(sides: [&[ComparedRun]; 2], metric: &CompareMetric) -> bool {
    let (key, value) = REPEATED_BY_TIME;
    let is_repeated = |run: &ComparedRun| {
        let runs = &run.profile().runs;
        !runs.is_empty() && runs.iter().all(|run| run.labels.get(key).is_some_and(|told| told == value))
    };
    *metric == CompareMetric::Scopes && sides.into_iter().flatten().all(is_repeated)
}

/// What the reader has to know of it.
pub(super) fn remark() -> Warning {
    Warning::new(
        "repeated_by_time",
        "cases of these runs are repeated until their time is over: what is compared is the time of as many calls as before",
    )
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
