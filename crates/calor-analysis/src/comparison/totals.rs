//! The few sums of the runs of a side that say how large they were: how long, how much CPU time, how many allocations and
//! calls. Each is judged by itself: one of them may decide where what was compared does not.

use calor_model::Profile;

use super::{ComparedRun, ComparedUnit, ComparisonOptions, parts};
use crate::{
    Change, CommonFactor, DifferenceOptions, FigureDifference, Given, HeapTotals, ThreadChoice,
    figure_differences,
};

/// Sums of a run, or the mean of several. What was not measured, or not of every run, is `None`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct RunTotals {
    /// How long they were recorded.
    pub duration_nanos: Option<f64>,
    /// Time on processors.
    pub cpu_nanos: Option<f64>,
    /// Calls of scopes.
    pub scope_calls: Option<f64>,
    /// Bytes allocated.
    pub allocated_bytes: Option<f64>,
    /// Allocations.
    pub allocated_count: Option<f64>,
    /// The most bytes that were held.
    pub peak_bytes: Option<f64>,
}

/// One of these sums, before and after.
#[derive(Clone, PartialEq, Debug)]
pub struct Whole {
    /// Which.
    pub of: WholeSum,
    /// Means of the runs of either side.
    pub means: [f64; 2],
    /// What it came to; `None` where it is nothing in some run.
    pub judged: Option<FigureDifference>,
}

/// One of the sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WholeSum {
    /// How long it was recorded.
    Duration,
    /// Time on processors.
    Cpu,
    /// The most bytes that were held.
    Peak,
    /// Bytes allocated.
    Allocated,
    /// Calls of scopes.
    ScopeCalls,
    /// Allocations.
    Allocations,
}

impl WholeSum {
    const ALL: [Self; 6] =
        [Self::Duration, Self::Cpu, Self::Peak, Self::Allocated, Self::ScopeCalls, Self::Allocations];

    /// What people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
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
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Duration => "duration",
            Self::Cpu => "program_cpu",
            Self::Peak => "peak",
            Self::Allocated => "allocated",
            Self::ScopeCalls => "scope_calls",
            Self::Allocations => "allocations",
        }
    }

    /// What it is counted in.
    #[must_use]
    pub fn unit(self) -> ComparedUnit {
        match self {
            Self::Duration | Self::Cpu => ComparedUnit::Nanos,
            Self::Peak | Self::Allocated => ComparedUnit::Bytes,
            Self::ScopeCalls | Self::Allocations => ComparedUnit::Count,
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

impl Whole {
    /// By how much it differs, as far as that is known.
    #[must_use]
    pub fn known_effect(&self) -> Option<f64> {
        let change = self.judged.as_ref().and_then(|judged| judged.change);
        Change::known_effect(change.as_ref(), self.means)
    }
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
        let mean = |sum: WholeSum| {
            let all: Option<f64> = runs.iter().map(|run| sum.of(run)).sum();
            all.map(|all| all / runs.len().max(1) as f64)
        };
        Self {
            duration_nanos: mean(WholeSum::Duration),
            cpu_nanos: mean(WholeSum::Cpu),
            scope_calls: mean(WholeSum::ScopeCalls),
            allocated_bytes: mean(WholeSum::Allocated),
            allocated_count: mean(WholeSum::Allocations),
            peak_bytes: mean(WholeSum::Peak),
        }
    }
}

/// The sums of each run of both sides.
pub(super) fn of_runs(sides: [&[ComparedRun]; 2]) -> [Vec<RunTotals>; 2] {
    sides.map(|side| side.iter().map(|run| RunTotals::of(&run.profile)).collect())
}

/// The sums that all runs have, judged; bytes allocated are left out where they are compared function by function.
pub(super) fn wholes(
    runs: &[Vec<RunTotals>; 2],
    has_allocated: bool,
    common: &CommonFactor,
    options: &ComparisonOptions,
) -> Vec<Whole> {
    let sums = WholeSum::ALL.into_iter().filter(|sum| *sum != WholeSum::Allocated || !has_allocated);
    let of_sum = |sum: WholeSum| {
        let of_side =
            |side: &Vec<RunTotals>| side.iter().map(|run| sum.of(run)).collect::<Option<Vec<f64>>>();
        let sides = [of_side(&runs[0])?, of_side(&runs[1])?];
        let means = sides.each_ref().map(|side| side.iter().sum::<f64>() / side.len().max(1) as f64);
        let options = DifferenceOptions {
            is_interleaved: options.is_interleaved,
            margin: options.margin.unwrap_or(parts::usual_margin(Given::Runs)),
            ..DifferenceOptions::default()
        };
        // A slow machine takes longer and allocates no more.
        let machine = (sum.unit() == ComparedUnit::Nanos).then_some(common);
        let judged = figure_differences(std::slice::from_ref(&sides), machine, &options);
        Some(Whole { of: sum, means, judged: judged.into_iter().next().flatten() })
    };
    sums.filter_map(of_sum).collect()
}
