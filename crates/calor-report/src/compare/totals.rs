//! The few sums of the runs of a side that say how large they were: how long, how much CPU time, how many allocations and
//! calls. Each is judged by itself: one of them may decide where what was compared does not.

use calor_analysis::quantity::percent;
use calor_analysis::{
    CommonFactor, Difference, DifferenceOptions, FigureDifference, HeapTotals, ThreadChoice,
    figure_differences,
};
use calor_model::{Profile, Warning};

use super::metric::Unit;
use super::{CompareMetric, CompareOptions, ComparedRun};

/// Changes that are smaller say nothing beside each other.
const OTHER_WAY: f64 = 0.05;

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

/// One of these sums, before and after.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Whole {
    pub(super) of: Sum,
    /// Means of the runs of either side.
    pub(super) means: [f64; 2],
    /// What it came to; `None` where it is nothing in some run.
    pub(super) judged: Option<FigureDifference>,
}

/// One of the sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sum {
    Duration,
    Cpu,
    Peak,
    Allocated,
    ScopeCalls,
    Allocations,
}

impl Sum {
    const ALL: [Self; 6] =
        [Self::Duration, Self::Cpu, Self::Peak, Self::Allocated, Self::ScopeCalls, Self::Allocations];

    /// What people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Duration => "recorded time",
            Self::Cpu => "CPU time of the program",
            Self::Peak => "peak of the heap",
            Self::Allocated => "bytes allocated",
            Self::ScopeCalls => "calls of scopes",
            Self::Allocations => "allocations",
        }
    }

    /// The word for it in files.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Duration => "duration",
            Self::Cpu => "program_cpu",
            Self::Peak => "peak",
            Self::Allocated => "allocated",
            Self::ScopeCalls => "scope_calls",
            Self::Allocations => "allocations",
        }
    }

    pub(super) fn unit(self) -> Unit {
        match self {
            Self::Duration | Self::Cpu => Unit::Nanos,
            Self::Peak | Self::Allocated => Unit::Bytes,
            Self::ScopeCalls | Self::Allocations => Unit::Count,
        }
    }

    fn of(self, run: &RunTotals) -> Option<f64> {
        match self {
            Self::Duration => run.duration_nanos,
            Self::Cpu => run.cpu_nanos,
            Self::Peak => run.peak_bytes,
            Self::Allocated => run.allocated_bytes,
            Self::ScopeCalls => run.scope_calls,
            Self::Allocations => run.allocated_count,
        }
    }
}

/// Said where time in scopes and the CPU time of the program moved in opposite ways: time on the wall is then that of waiting.
pub(super) fn other_way(of_runs: &[Vec<RunTotals>; 2], difference: &Difference) -> Option<Warning> {
    let [before, after] = of_runs.each_ref().map(|runs| RunTotals::mean(runs).cpu_nanos);
    let cpu = after? / before? - 1.0;
    let scopes = difference.after / difference.before - 1.0;
    let is_other = scopes.signum() != cpu.signum() && scopes.abs().min(cpu.abs()) >= OTHER_WAY;
    is_other.then(|| {
        let way = |change: f64| if change < 0.0 { "fell" } else { "rose" };
        let message = format!(
            "time in scopes, which is by the wall, {} by {}, and the CPU time of the program {} by {}: what changed is how long it \
             waited, such as for processors that other programs had; compare runs of a quiet machine, or runs that took turns",
            way(scopes),
            percent(scopes.abs()),
            way(cpu),
            percent(cpu.abs())
        );
        Warning::new("cpu_moved_the_other_way", message)
    })
}

impl RunTotals {
    pub(super) fn of(profile: &Profile) -> Self {
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
    pub(super) fn mean(runs: &[Self]) -> Self {
        let mean = |sum: Sum| {
            let all: Option<f64> = runs.iter().map(|run| sum.of(run)).sum();
            all.map(|all| all / runs.len().max(1) as f64)
        };
        Self {
            duration_nanos: mean(Sum::Duration),
            cpu_nanos: mean(Sum::Cpu),
            scope_calls: mean(Sum::ScopeCalls),
            allocated_bytes: mean(Sum::Allocated),
            allocated_count: mean(Sum::Allocations),
            peak_bytes: mean(Sum::Peak),
        }
    }
}

/// The sums of each run of both sides.
pub(super) fn of_runs(sides: [&[ComparedRun]; 2]) -> [Vec<RunTotals>; 2] {
    sides.map(|side| side.iter().map(|run| RunTotals::of(&run.profile)).collect())
}

/// The sums that all runs have, judged; `judged` are the numbers that are on the page already.
pub(super) fn wholes(
    runs: &[Vec<RunTotals>; 2],
    judged: &[&CompareMetric],
    common: &CommonFactor,
    options: &CompareOptions,
) -> Vec<Whole> {
    let is_told = |sum: &Sum| *sum == Sum::Allocated && judged.contains(&&CompareMetric::Allocated);
    let sums = Sum::ALL.into_iter().filter(|sum| !is_told(sum));
    let of_sum = |sum: Sum| {
        let of_side =
            |side: &Vec<RunTotals>| side.iter().map(|run| sum.of(run)).collect::<Option<Vec<f64>>>();
        let sides = [of_side(&runs[0])?, of_side(&runs[1])?];
        let means = sides.each_ref().map(|side| side.iter().sum::<f64>() / side.len().max(1) as f64);
        let options = DifferenceOptions {
            is_interleaved: options.is_interleaved,
            margin: options.margin,
            ..DifferenceOptions::default()
        };
        // A slow machine takes longer and allocates no more.
        let machine = (sum.unit() == Unit::Nanos).then_some(common);
        let judged = figure_differences(std::slice::from_ref(&sides), machine, &options);
        Some(Whole { of: sum, means, judged: judged.into_iter().next().flatten() })
    };
    sums.filter_map(of_sum).collect()
}
