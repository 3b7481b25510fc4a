//! A forecast of a program from runs of several sizes: of the whole, and of its scopes.

use std::collections::BTreeSet;

use calor_model::Warning;

use super::SizedRun;
use crate::quantity::bytes;
use crate::{
    Crossing, Error, Forecast, ForecastOptions, MemoryTier, NextSize, SizePoint, forecast, next_size,
};

/// Scopes that are forecast: those with the most time at the largest size.
const MOST_SCOPES: usize = 40;
/// The warning that runs are of different commands.
const SEVERAL_COMMANDS: &str = "several_commands";
/// What counts of bytes differ by at least: exact ones, and those of the kernel.
const EXACT_NOISE: f64 = 0.001;
const RESIDENT_NOISE: f64 = 0.005;

/// A run that was at work for less of its time by the wall waited, or was kept from running.
const BUSY: f64 = 0.5;

/// Something that was forecast.
pub struct SizedForecast {
    /// What it will be.
    pub forecast: Forecast,
    /// What it was at the largest size, the mean where there are several runs.
    pub largest: f64,
}

/// What a program that was run at several sizes will take at another.
pub struct Forecasts {
    /// How many runs it is from.
    pub n_runs: usize,
    /// The sizes that were measured.
    pub sizes: Vec<f64>,
    /// Time by the wall, where it was measured.
    pub wall: Option<SizedForecast>,
    /// CPU time, where it was measured.
    pub cpu: Option<SizedForecast>,
    /// The most memory held, where that is known.
    pub peak: Option<SizedForecast>,
    /// Those with the most expected time first.
    pub scopes: Vec<(String, SizedForecast)>,
    /// Whether those are functions: no run has scopes.
    pub is_of_functions: bool,
    /// The size that would tell most if it were run next.
    pub next: Option<NextSize>,
    /// Whether the runs are of different commands, and may not be of one program.
    pub has_several_commands: bool,
    /// What has to be known of it.
    pub warnings: Vec<Warning>,
}

impl Forecasts {
    /// The forecast at a size; tiers are of the machine's memory.
    ///
    /// # Errors
    /// When there are too few sizes, or nothing was measured at all of them.
    pub fn new(runs: &[SizedRun], at: f64, tiers: &[MemoryTier]) -> Result<Self, Error> {
        let mut sizes: Vec<f64> = runs.iter().map(|run| run.size).collect();
        sizes.sort_unstable_by(f64::total_cmp);
        sizes.dedup();
        let largest = sizes.last().copied().unwrap_or(0.0);
        let peaks = points(runs, |run| run.peak_bytes);
        let is_exact = runs.iter().all(|run| run.is_peak_exact);
        let of_memory = ForecastOptions {
            least_noise: if is_exact { EXACT_NOISE } else { RESIDENT_NOISE },
            can_double: true,
            ..ForecastOptions::default()
        };
        let of_time = ForecastOptions {
            tiers: tiers.to_vec(),
            footprint: peaks.clone().unwrap_or_default(),
            ..ForecastOptions::default()
        };
        let tell = |points: &[SizePoint], options: &ForecastOptions| -> Result<SizedForecast, Error> {
            let forecast = forecast(points, at, options)?;
            let at_largest = points.iter().filter(|point| point.size == largest);
            let (sum, count) =
                at_largest.fold((0.0, 0.0), |(sum, count), point| (sum + point.value, count + 1.0));
            Ok(SizedForecast { forecast, largest: sum / f64::max(count, 1.0) })
        };
        let told = |points: Option<&Vec<SizePoint>>, options: &ForecastOptions| {
            points.map(|points| tell(points, options)).transpose()
        };
        let walls = points(runs, |run| Some(run.wall_nanos).filter(|nanos| *nanos > 0));
        let wall = told(walls.as_ref(), &of_time)?;
        let cpu = told(points(runs, |run| run.cpu_nanos).as_ref(), &of_time)?;
        let peak = told(peaks.as_ref(), &of_memory)?;
        if wall.is_none() && cpu.is_none() && peak.is_none() {
            return Err(Error::NothingTimed);
        }
        let next = match &walls {
            Some(walls) => next_size(walls, at, &of_time)?,
            None => None,
        };
        let mut scopes = Vec::new();
        for name in hottest(runs, largest) {
            let scope = points(runs, |run| run.scopes.get(&name).copied().filter(|nanos| *nanos > 0));
            if let Some(scope) = scope {
                scopes.push((name, tell(&scope, &of_time)?));
            }
        }
        scopes.sort_by(|a, b| b.1.forecast.value.total_cmp(&a.1.forecast.value));
        let mut warnings = remarks(runs);
        warnings.extend(crossings(wall.as_ref().or(cpu.as_ref()), peak.is_none()));
        let has_several_commands = warnings.iter().any(|warning| warning.code == SEVERAL_COMMANDS);
        let is_of_functions = runs.iter().all(|run| run.is_of_functions);
        Ok(Self {
            n_runs: runs.len(),
            sizes,
            wall,
            cpu,
            peak,
            scopes,
            is_of_functions,
            next,
            has_several_commands,
            warnings,
        })
    }
}

/// What has to be known of the runs.
fn remarks(runs: &[SizedRun]) -> Vec<Warning> {
    let mut remarks = Vec::new();
    if runs.iter().any(|run| run.is_peak_unsure) {
        remarks.push(Warning::new(
            "peak_unsure",
            "peak memory is not forecast from the heap: it was sampled too seldom for as little as some runs held; watch every \
             block with `calor record --heap -- PROGRAM`",
        ));
    }
    let busy = |run: &SizedRun| Some(run.cpu_nanos? as f64 / run.wall_nanos.max(1) as f64);
    let least = runs.iter().filter_map(busy).fold(f64::INFINITY, f64::min);
    if least < BUSY {
        remarks.push(Warning::new(
            "wall_beyond_cpu",
            format!(
                "a run was at work for {:.0} % of its time by the wall: unless it waits for something the machine was busy, and \
                 CPU time tells more",
                100.0 * least
            ),
        ));
    }
    let commands: BTreeSet<&str> = runs.iter().filter_map(|run| run.command.as_deref()).collect();
    if commands.len() > 1 {
        let named: Vec<String> = commands.into_iter().take(3).map(|command| format!("`{command}`")).collect();
        remarks.push(Warning::new(
            SEVERAL_COMMANDS,
            format!(
                "runs of different commands are taken for one program at several sizes: {}",
                named.join(", ")
            ),
        ));
    }
    remarks
}

/// A figure of all runs; `None` unless all have it.
fn points(runs: &[SizedRun], of: impl Fn(&SizedRun) -> Option<u64>) -> Option<Vec<SizePoint>> {
    let point = |run: &SizedRun| Some(SizePoint { size: run.size, value: of(run)? as f64 });
    runs.iter().map(point).collect()
}

/// The scopes with the most time at the largest size.
fn hottest(runs: &[SizedRun], largest: f64) -> BTreeSet<String> {
    let mut all: Vec<(&String, u64)> = runs
        .iter()
        .filter(|run| run.size == largest)
        .flat_map(|run| &run.scopes)
        .map(|(name, nanos)| (name, *nanos))
        .collect();
    all.sort_by_key(|(name, nanos)| (std::cmp::Reverse(*nanos), *name));
    all.into_iter().take(MOST_SCOPES).map(|(name, _)| name.clone()).collect()
}

/// What has to be known of memory.
fn crossings(time: Option<&SizedForecast>, is_memory_unknown: bool) -> Vec<Warning> {
    if is_memory_unknown {
        return vec![Warning::new(
            "memory_unknown",
            "the runs do not tell how much memory they held, so that it is not known whether a cache is left: record with \
             --heap",
        )];
    }
    let Some(time) = time else { return Vec::new() };
    let crossing = |crossing: &Crossing| {
        let [before, after] = crossing.bytes;
        let message = match &crossing.to {
            Some(to) => format!(
                "the working set leaves {} for {to} ({} at the largest size measured, {} then): times may grow faster than \
                 those measured, and the interval is wider for it",
                crossing.from,
                bytes(before),
                bytes(after)
            ),
            None => format!(
                "the working set no longer fits {} ({} at the largest size measured, {} then): it will not run as it did",
                crossing.from,
                bytes(before),
                bytes(after)
            ),
        };
        Warning::new("tier_crossed", message)
    };
    time.forecast.crossings.iter().map(crossing).collect()
}
