//! What each side is seen to do: samples of its CPU time and of its waits, what calls allocate, their page faults and
//! instructions. What the machine does not give is left out and said.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use calor_analysis::WhySide;
use calor_model::{Profile, SampleKind};
use calor_record::counters::simulation::Valgrind;
use calor_record::counters::{Counter, Counting, Streams, pmu};
use calor_record::{Ended, HeapWay, Options, RecordError, Recording};

use super::call::Time;
use super::operation::Operation;
use crate::failure::Interrupted;
use crate::{launch, record};

/// CPU time of a recording, in nanoseconds: about 1,500 samples.
const RECORDED: f64 = 1.5e9;
/// A recording is not made longer than this on the wall.
const LONGEST: f64 = 8e9;
/// A program that cannot be told how often to do its work is run again until there are so many samples,
const ENOUGH_SAMPLES: u64 = 1_000;
/// at most so often and so long.
const MOST_RUNS: u64 = 20;
const PATIENCE: Duration = Duration::from_secs(10);
/// Calls beyond the first by which allocations and instructions of one are counted.
const COUNTED_CALLS: u64 = 10;
const SIMULATED_CALLS: u64 = 2;
const STEP: Duration = Duration::from_millis(100);

/// A recording and how many calls it is of.
pub(super) struct Recorded {
    pub(super) profile: Profile,
    pub(super) calls: f64,
}

/// Samples of one side, each call of which takes so long.
pub(super) fn samples(
    operation: &dyn Operation,
    side: usize,
    size: f64,
    call: Time,
    part: f64,
) -> Result<Recorded> {
    let calls = match operation.has_calls() {
        true => {
            (part * (RECORDED / call.cpu.max(1.0)).min(LONGEST / call.wall.max(1.0))).clamp(1.0, 1e12) as u64
        }
        false => 1,
    };
    let words = operation.command(side, size, calls);
    let began = Instant::now();
    let mut all = Profile::default();
    let mut n_runs = 0;
    loop {
        let options = Options { off_cpu: true, kernel: true, rate: 1_999, ..Options::default() };
        let profile = match recorded(&words, &options) {
            // What the kernel itself does needs a permission that is not always given.
            Err(Failure::Refused(_)) => recorded(&words, &Options { kernel: false, ..options }),
            other => other,
        };
        all.merge(&profile.map_err(Failure::told)?);
        n_runs += 1;
        if operation.has_calls()
            || n_runs >= MOST_RUNS
            || began.elapsed() >= PATIENCE
            || n_samples(&all) >= ENOUGH_SAMPLES
        {
            return Ok(Recorded { profile: all, calls: (calls * n_runs) as f64 });
        }
    }
}

fn n_samples(profile: &Profile) -> u64 {
    let running = profile.samples.iter().filter(|(key, _)| key.kind == SampleKind::Cpu);
    running.map(|(_, weight)| weight.count).sum()
}

/// What calls allocate, as bytes and blocks, and the most that the program held.
pub(super) fn heap(operation: &dyn Operation, side: usize, size: f64) -> Result<([f64; 2], f64)> {
    let options = Options { cpu: false, heap: Some(HeapWay::Exact), ..Options::default() };
    let counted = |calls: u64| -> Result<([f64; 2], f64)> {
        let profile = recorded(&operation.command(side, size, calls), &options).map_err(Failure::told)?;
        let sum = |of: fn(&calor_model::HeapSite) -> u64| {
            profile.heap.iter().map(|(_, site)| of(site)).sum::<u64>() as f64
        };
        let peak = profile.heap.summary.map_or(0.0, |summary| summary.peak_bytes as f64);
        Ok(([sum(|site| site.allocated_bytes), sum(|site| site.allocated_count)], peak))
    };
    if !operation.has_calls() {
        return counted(1);
    }
    let ([bytes, blocks], peak) = counted(1)?;
    let ([more_bytes, more_blocks], _) = counted(1 + COUNTED_CALLS)?;
    let each = |more: f64, once: f64| ((more - once) / COUNTED_CALLS as f64).max(0.0);
    Ok(([each(more_bytes, bytes), each(more_blocks, blocks)], peak))
}

/// Adds page faults, and instructions where the processor counts them or valgrind is asked to.
pub(super) fn count(
    operation: &dyn Operation,
    side: usize,
    size: f64,
    simulates: bool,
    into: &mut WhySide,
) -> Result<()> {
    let has_pmu = pmu().is_ok_and(|pmu| pmu.offered.contains(&"instructions"));
    let names = if has_pmu { &["page-faults", "instructions"][..] } else { &["page-faults"] };
    let counters: Result<Vec<Counter>, _> = names.iter().map(|name| Counter::named(name)).collect();
    let mut counting = Counting::new(counters?).map_err(|error| launch::failed(error, "calor ab"))?;
    let mut counted = |calls: u64| -> Result<Vec<Option<f64>>> {
        let ran = counting.run(&operation.command(side, size, calls), Streams::discarded());
        let ran = ran.map_err(|error| launch::failed(error, "calor ab"))?;
        if ran.was_interrupted {
            return Err(not_recorded());
        }
        Ok(ran.amounts.into_iter().map(|amount| amount.ok().map(|amount| amount.value as f64)).collect())
    };
    let calls = if operation.has_calls() { 1 + COUNTED_CALLS } else { 1 };
    let (once, many) = (if calls > 1 { counted(1)? } else { vec![Some(0.0); names.len()] }, counted(calls)?);
    let each = |at: usize| {
        let (once, many) = (once.get(at).copied().flatten()?, many.get(at).copied().flatten()?);
        Some(((many - once) / (calls - 1).max(1) as f64).max(0.0))
    };
    into.page_faults = each(0);
    into.instructions = each(1).filter(|count| *count > 0.0);
    if simulates && into.instructions.is_none() {
        into.instructions = Some(simulated(operation, side, size)?);
    }
    Ok(())
}

fn simulated(operation: &dyn Operation, side: usize, size: f64) -> Result<f64> {
    let valgrind = Valgrind::find()?;
    let mut counting = Counting::new(Vec::new()).map_err(|error| launch::failed(error, "calor ab"))?;
    let mut counted = |calls: u64| -> Result<f64> {
        let simulation = valgrind.prepare(&operation.command(side, size, calls))?;
        let ran = counting.run(&simulation.command, Streams::discarded());
        let ran = ran.map_err(|error| launch::failed(error, "calor ab"))?;
        if ran.was_interrupted {
            return Err(not_recorded());
        }
        Ok(simulation.read(ran.status)?.totals.instructions as f64)
    };
    match operation.has_calls() {
        false => counted(1),
        true => {
            let once = counted(1)?;
            Ok(((counted(1 + SIMULATED_CALLS)? - once) / SIMULATED_CALLS as f64).max(0.0))
        }
    }
}

fn not_recorded() -> anyhow::Error {
    Interrupted("before everything was recorded: nothing is explained").into()
}

enum Failure {
    Refused(RecordError),
    Other(anyhow::Error),
}

impl Failure {
    fn told(self) -> anyhow::Error {
        match self {
            Self::Refused(error) => record::explained(error),
            Self::Other(error) => error,
        }
    }
}

/// Records a command to its end.
fn recorded(words: &[std::ffi::OsString], options: &Options) -> Result<Profile, Failure> {
    let target = record::target_of(None, words, "ab").map_err(Failure::Other)?;
    let options = Options { streams: Streams::discarded(), ..options.clone() };
    let mut recording = Recording::start(target, &options).map_err(Failure::Refused)?;
    let mut profile = Profile::default();
    let ended = loop {
        match recording.step(STEP) {
            Ok(Some(ended)) => break ended,
            Ok(None) if recording.is_large() => profile.merge(&recording.take()),
            Ok(None) => {}
            Err(error) => return Err(Failure::Other(record::explained(error))),
        }
    };
    recording.stop();
    let outcome = || -> Result<()> {
        if recording.is_asked() {
            return Err(not_recorded());
        }
        match ended {
            Ended::Program(status) if !status.success() => {
                bail!("a command failed while it was recorded: it {}", launch::ending(status))
            }
            Ended::Program(_) => Ok(()),
            _ => bail!("a recording ended before its program did"),
        }
    };
    outcome().map_err(Failure::Other)?;
    profile.merge(&recording.take());
    Ok(profile)
}
