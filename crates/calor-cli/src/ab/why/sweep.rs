//! Times of both sides at all sizes, in turns. A size is left when its gap is known well enough, or its part of the time is
//! used up.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use calor_analysis::{Experiment, ExperimentOptions, WhyClock, WhyPoint, paired_change};

use super::super::rounds::Plan;
use super::call::{Time, Turn, middle};
use super::operation::Operation;
use super::size::shown;
use crate::{failure, news};

/// As many as a verdict needs at least; more than the others at one size make the curve no better.
const FEWEST_PAIRS: usize = 8;
const MOST_PAIRS: usize = 16;
/// The gap is known well enough when its interval is as wide as this, as a logarithm.
const NARROW: f64 = 0.06;
/// What took no time that could be measured, in nanoseconds: ratios need some.
pub(super) const LEAST: f64 = 1e-3;
/// A call that takes less than this, in nanoseconds, is none: a processor needs longer for one instruction.
const NO_TIME: f64 = 0.05;
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
    /// Whether somebody asked for the end before all sizes were measured.
    pub(super) is_interrupted: bool,
}

pub(super) fn sweep(
    operation: &mut dyn Operation,
    sizes: &[f64],
    plan: &Plan,
    checks: bool,
) -> Result<Sweep> {
    let began = Instant::now();
    let mut sweep = Sweep { sizes: Vec::new(), unchecked: None, is_interrupted: false };
    for (at, &size) in sizes.iter().enumerate() {
        let mut measured = || {
            let unchecked = if checks { operation.check(size)? } else { None };
            let left = plan.of.max_time.saturating_sub(began.elapsed());
            let share = left / u32::try_from(sizes.len() - at).unwrap_or(u32::MAX);
            Ok((unchecked, at_size(operation, size, plan, share)?))
        };
        let (unchecked, sized) = match measured() {
            // The sizes before it are whole.
            Err(error) if failure::is_interrupted(&error) && at > 0 => {
                sweep.is_interrupted = true;
                return Ok(sweep);
            }
            measured => measured?,
        };
        sweep.unchecked = unchecked.or(sweep.unchecked);
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
    let options = ExperimentOptions { seed: plan.of.seed, n_looks: 1, ..ExperimentOptions::default() };
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
        let is_over = began.elapsed() >= share || pairs.len() >= MOST_PAIRS.min(plan.of.max_pairs);
        if pairs.len() >= FEWEST_PAIRS && (is_over || is_narrow(&pairs)) || is_over && pairs.len() > 2 {
            break;
        }
    }
    if operation.has_calls()
        && let Some(side) = (0..2).find(|side| takes_no_time(&pairs, *side))
    {
        bail!(
            "a call of {} takes no measurable time at size {}: its work was probably removed by the compiler, since nothing \
             uses the result; use it, as with std::hint::black_box, or print a checksum of it",
            ['A', 'B'][side],
            shown(size)
        );
    }
    Ok(Sized { size, bytes: operation.bytes(size)?, pairs })
}

/// Whether what a side does is gone, by every clock.
fn takes_no_time(pairs: &[[Time; 2]], side: usize) -> bool {
    let of = |of: fn(&Time) -> f64| middle(pairs, |pair| of(&pair[side]));
    of(|time| time.cpu) < NO_TIME && of(|time| time.wall) < NO_TIME
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_is_gone_takes_no_time() {
        let pairs = |a: f64| vec![[Time { cpu: a, wall: a }, Time { cpu: 40.0, wall: 41.0 }]; 5];
        assert!(takes_no_time(&pairs(3e-11), 0) && !takes_no_time(&pairs(3e-11), 1));
        // A cycle for a call is some.
        assert!(!takes_no_time(&pairs(0.25), 0));
        // Who sleeps takes time on the wall.
        assert!(!takes_no_time(&[[Time { cpu: 0.0, wall: 1e6 }; 2]], 0));
    }
}
