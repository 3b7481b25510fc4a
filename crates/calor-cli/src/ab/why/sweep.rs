//! Times of both sides at all sizes, in turns. A size is left when its gap is known well enough, or its part of the time is
//! used up.

use std::time::{Duration, Instant};

use anyhow::Result;
use calor_analysis::{Experiment, ExperimentOptions, WhyClock, WhyPoint, paired_change};

use super::super::rounds::Plan;
use super::call::{Time, Turn, middle};
use super::operation::Operation;
use super::size::shown;
use crate::news;

/// As many as a verdict needs at least; more than the others at one size make the curve no better.
const FEWEST_PAIRS: usize = 8;
const MOST_PAIRS: usize = 16;
/// The gap is known well enough when its interval is as wide as this, as a logarithm.
const NARROW: f64 = 0.06;
/// What took no time that could be measured, in nanoseconds: ratios need some.
pub(super) const LEAST: f64 = 1e-3;
/// What is over by then needs no news.
const SILENCE: Duration = Duration::from_secs(2);

/// One size.
pub(super) struct Sized {
    pub(super) size: f64,
    pub(super) bytes: Option<f64>,
    /// What a call took, by pair.
    pub(super) pairs: Vec<[Time; 2]>,
}

/// All sizes.
pub(super) struct Sweep {
    /// The smallest first.
    pub(super) sizes: Vec<Sized>,
    /// Why it is not known whether both come to the same.
    pub(super) unchecked: Option<String>,
}

pub(super) fn sweep(
    operation: &mut dyn Operation,
    sizes: &[f64],
    plan: &Plan,
    checks: bool,
) -> Result<Sweep> {
    let began = Instant::now();
    let mut sweep = Sweep { sizes: Vec::new(), unchecked: None };
    for (at, &size) in sizes.iter().enumerate() {
        if checks && let Some(why) = operation.check(size)? {
            sweep.unchecked = Some(why);
        }
        let left = plan.max_time.saturating_sub(began.elapsed());
        let share = left / u32::try_from(sizes.len() - at).unwrap_or(u32::MAX);
        let sized = at_size(operation, size, plan, share)?;
        if began.elapsed() >= SILENCE && sizes.len() > 1 {
            let of_sizes = format!("{} of {} sizes", at + 1, sizes.len());
            news::say(format!("measured at size {} ({of_sizes})", shown(size)));
        }
        sweep.sizes.push(sized);
    }
    Ok(sweep)
}

fn at_size(operation: &mut dyn Operation, size: f64, plan: &Plan, share: Duration) -> Result<Sized> {
    let began = Instant::now();
    let turns = [Turn::calibrate(operation, 0, size)?, Turn::calibrate(operation, 1, size)?];
    // It keeps the order of the turns, which chance decides.
    let options = ExperimentOptions { seed: plan.seed, n_looks: 1, ..ExperimentOptions::default() };
    let mut order = Experiment::new(options)?;
    let mut pairs: Vec<[Time; 2]> = Vec::new();
    loop {
        let mut pair = [Time::default(); 2];
        for &side in &order.order().to_vec() {
            pair[side] = turns[side].time(operation, side, size)?;
        }
        // When to stop is not its business here.
        let _ = order.add(&pair.map(|time| time.cpu.max(LEAST)), 0.0)?;
        pairs.push(pair);
        let is_over = began.elapsed() >= share || pairs.len() >= MOST_PAIRS.min(plan.max_pairs);
        if pairs.len() >= FEWEST_PAIRS && (is_over || is_narrow(&pairs)) || is_over && pairs.len() > 2 {
            break;
        }
    }
    Ok(Sized { size, bytes: operation.bytes(size)?, pairs })
}

fn is_narrow(pairs: &[[Time; 2]]) -> bool {
    interval(pairs, WhyClock::Cpu).is_some_and(|[low, high]| high - low < NARROW)
}

/// The interval of the logarithm of B's time by A's.
fn interval(pairs: &[[Time; 2]], clock: WhyClock) -> Option<[f64; 2]> {
    let side = |side: usize| -> Vec<f64> { pairs.iter().map(|pair| pair[side].by(clock)).collect() };
    let change = paired_change(&side(0), &side(1))?;
    Some(change.interval.map(|end| (1.0 + end).max(1e-9).ln()))
}

impl Time {
    pub(super) fn by(self, clock: WhyClock) -> f64 {
        match clock {
            WhyClock::Cpu => self.cpu,
            WhyClock::Wall => self.wall,
        }
    }
}

impl Sized {
    /// As a point of the curve; the interval is by one clock.
    pub(super) fn point(&self, clock: WhyClock) -> WhyPoint {
        let middles =
            |of: fn(&Time) -> f64| [0, 1].map(|side: usize| middle(&self.pairs, |pair| of(&pair[side])));
        WhyPoint {
            size: self.size,
            bytes: self.bytes,
            cpu: middles(|time| time.cpu),
            wall: middles(|time| time.wall),
            interval: interval(&self.pairs, clock),
        }
    }
}
