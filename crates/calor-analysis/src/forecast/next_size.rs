//! Which single size would narrow the forecast most, if it were measured: for each that comes into question and each curve
//! that may be the true one, the forecast is made with what that curve would have measured there.

use super::candidate::Candidates;
use super::interval::{draw, drawn};
use super::tier::Tiers;
use super::{ForecastOptions, NextSize, SizePoint, check};
use crate::Error;

/// Sizes that come into question, between the largest measured and that of the forecast, by the ratio of the two. To run
/// at the size itself is no forecast, and near it costs nearly as much.
const STEPS: [f64; 4] = [0.2, 0.4, 0.6, 0.75];
/// Curves that are taken for true, by their weights.
const MOST_CURVES: usize = 5;
const DRAWS: usize = 80;
/// Less is not worth a run.
const WORTH: f64 = 0.9;

/// The size whose measurement would narrow the interval of a forecast most; `None` where none would by a tenth.
///
/// # Errors
/// As [`forecast`](super::forecast).
pub fn next_size(
    measured: &[SizePoint],
    at: f64,
    options: &ForecastOptions,
) -> Result<Option<NextSize>, Error> {
    check(measured, at)?;
    let tiers = Tiers::of(options, measured, at)?;
    let candidates = Candidates::fitted(measured, &tiers, options.least_noise, options.can_double);
    if at <= candidates.largest {
        return Ok(None);
    }
    let before = draw(&candidates, at, &tiers).width();
    let mut likely: Vec<usize> = (0..candidates.all.len()).collect();
    likely.sort_by(|a, b| candidates.all[*b].weight.total_cmp(&candidates.all[*a].weight));
    likely.truncate(MOST_CURVES);
    let total: f64 = likely.iter().map(|place| candidates.all[*place].weight).sum();
    let steps = STEPS.iter().map(|step| {
        let size = round(candidates.largest * (at / candidates.largest).powf(*step));
        let values = candidates.values_at(size, &tiers);
        let mut points = candidates.points.clone();
        points.push(SizePoint { size, value: 0.0 });
        let expected = likely.iter().map(|&place| {
            points[measured.len()].value = values[place];
            let known = Candidates::fitted(&points, &tiers, options.least_noise, options.can_double);
            candidates.all[place].weight / total * drawn(&known, at, &tiers, DRAWS).width()
        });
        NextSize { size, narrower: expected.sum::<f64>() / before }
    });
    let best = steps.min_by(|a, b| a.narrower.total_cmp(&b.narrower));
    Ok(best.filter(|best| best.narrower < WORTH && best.size > candidates.largest && best.size < at))
}

/// A size that somebody would type: two digits, or a whole number.
fn round(size: f64) -> f64 {
    let digit = 10_f64.powf(size.log10().floor() - 1.0);
    let rounded = (size / digit).round() * digit;
    if rounded >= 1.0 { rounded.round() } else { rounded }
}
