//! Runs whose cases are repeated until their time is over, as most of `calor bench` are. What all repetitions of a case took then
//! says how long it was given: a slower one is repeated less often. What is compared is what as many calls as before take.

use std::collections::BTreeMap;

use calor_analysis::{CPU_NANOS, FunctionFigures, FunctionName, RunFigures, is_repeated_by_time};
use calor_model::{Profile, Warning};

use super::{CompareMetric, ComparedRun};

/// What would tell such runs apart, and what would not.
pub(super) const SETTLED: &str = "`calor ab` does not help: it times whole commands, and these repeat each case until its time is over. \
     Several runs a side that wrote their profiles in turns do, with `calor compare --interleaved A1 A2 ... -- B1 B2 ...`.";

/// Whether all runs are such.
pub(super) fn are_repeated(sides: [&[ComparedRun]; 2], metric: &CompareMetric) -> bool {
    let mut runs = sides.into_iter().flatten();
    *metric == CompareMetric::Scopes && runs.all(|run| is_repeated_by_time(run.profile()))
}

/// What the reader has to know of it.
pub(super) fn remark() -> Warning {
    Warning::new(
        "repeated_by_time",
        "cases of these runs are repeated until their time is over: what is compared is the time of as many calls as before",
    )
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

/// What the reader has to know of that.
pub(super) fn cpu_remark() -> Warning {
    Warning::new(
        "by_cpu_time",
        "cases that one thread does are compared by the CPU time that these runs tell of them, all others by time on the wall",
    )
}

/// CPU time as a part of the time on the wall, of scopes by name; `None` where some calls do not tell it.
fn cpu_parts(profile: &Profile) -> BTreeMap<String, Option<f64>> {
    let mut sums: BTreeMap<&str, (f64, f64, bool)> = BTreeMap::new();
    for (key, stats) in profile.scopes.iter() {
        let cpu = stats.work.counters.iter().find(|(name, _)| profile.strings.get(*name) == CPU_NANOS);
        let (wall_sum, cpu_sum, is_whole) =
            sums.entry(profile.stack_name(key.stack)).or_insert((0.0, 0.0, true));
        *wall_sum += stats.inclusive_nanos() as f64;
        *cpu_sum += cpu.map_or(0.0, |(_, nanos)| *nanos as f64);
        *is_whole &= cpu.is_some_and(|(_, nanos)| *nanos > 0);
    }
    let part = |(wall, cpu, is_whole): (f64, f64, bool)| (is_whole && wall > 0.0).then(|| cpu / wall);
    sums.into_iter().map(|(name, sums)| (name.to_owned(), part(sums))).collect()
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
