//! What a program will take at a size that nobody ran yet, from runs at smaller ones.
//!
//! A handful of sizes cannot tell one curve from another for certain. So a small set of curves is fitted, each has a weight
//! by how well it fits for its number of parameters (Akaike's criterion), and the forecast is
//! their mean with an interval that holds the noise of the measurements and the disagreement of the curves. What curves
//! through small sizes cannot know is that the working set leaves a cache: where the sizes of the memory tiers are known,
//! curves that slow down with the tier are among the candidates, and every crossing is told.

mod answer;
mod candidate;
mod curve;
mod fit;
mod interval;
mod next_size;
mod sized_run;
mod tier;

#[cfg(test)]
mod tests;

use crate::Error;

pub use answer::{Forecasts, SizedForecast};
pub use curve::{Scaling, Term};
pub use next_size::next_size;
pub use sized_run::SizedRun;
pub use tier::{Crossing, MemoryTier};

use candidate::Candidates;
use tier::Tiers;

/// The fewest different sizes that a forecast is made from: with fewer, no curve can be told from another.
pub const FEWEST_SIZES: usize = 4;

/// One measurement at one size.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SizePoint {
    /// The size, such as a number of tokens.
    pub size: f64,
    /// What was measured: nanoseconds or bytes, above 0.
    pub value: f64,
}

/// What else is known.
#[derive(Clone, PartialEq, Debug)]
pub struct ForecastOptions {
    /// What measurements of the same differ by at least, as a share.
    pub least_noise: f64,
    /// Whether it may grow in steps that double, as memory does.
    pub can_double: bool,
    /// The memory tiers of the machine, the smallest first.
    pub tiers: Vec<MemoryTier>,
    /// How much memory the program works on, by size; the peak of the heap, or of the process. Empty if not known.
    pub footprint: Vec<SizePoint>,
}

impl Default for ForecastOptions {
    /// Of times; sizes of memory agree better, to 0.003 or so.
    fn default() -> Self {
        Self { least_noise: 0.01, can_double: false, tiers: Vec::new(), footprint: Vec::new() }
    }
}

/// What is expected at a size.
#[derive(Clone, PartialEq, Debug)]
pub struct Forecast {
    /// The size.
    pub size: f64,
    /// What is expected.
    pub value: f64,
    /// Between which it is expected to lie with 90 % certainty, as far as the curves that were considered go.
    pub interval: [f64; 2],
    /// How it grows: the curve with the most weight, and its weight among all.
    pub scaling: Scaling,
    /// The share of the curve's weight among all.
    pub weight: f64,
    /// Tiers of memory that the program's working set leaves between the largest size measured and this one.
    pub crossings: Vec<Crossing>,
}

/// A size to measure next.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NextSize {
    /// The size.
    pub size: f64,
    /// What the interval's width would be expected to become, as a share of what it is.
    pub narrower: f64,
}

/// A forecast of what was measured at several sizes.
///
/// # Errors
/// If there are fewer than [`FEWEST_SIZES`] different sizes, or a size or a value is not above 0.
pub fn forecast(measured: &[SizePoint], at: f64, options: &ForecastOptions) -> Result<Forecast, Error> {
    check(measured, at)?;
    let tiers = Tiers::of(options, measured, at)?;
    let candidates = Candidates::fitted(measured, &tiers, options.least_noise, options.can_double);
    let drawn = interval::draw(&candidates, at, &tiers);
    let best = candidates.best();
    Ok(Forecast {
        size: at,
        value: drawn.centre,
        interval: drawn.interval,
        scaling: best.curve.scaling(),
        weight: candidates.weight_of_scaling(&best.curve.scaling()),
        crossings: tiers.crossings(measured, at),
    })
}

fn check(measured: &[SizePoint], at: f64) -> Result<(), Error> {
    let is_sound = |value: f64| value.is_finite() && value > 0.0;
    for point in measured {
        for found in [point.size, point.value] {
            if !is_sound(found) {
                return Err(Error::ForecastPoint { found });
            }
        }
    }
    if !is_sound(at) {
        return Err(Error::ForecastPoint { found: at });
    }
    let mut sizes: Vec<f64> = measured.iter().map(|point| point.size).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    sizes.dedup();
    if sizes.len() < FEWEST_SIZES {
        return Err(Error::TooFewSizes { expected: FEWEST_SIZES, found: sizes.len() });
    }
    Ok(())
}
