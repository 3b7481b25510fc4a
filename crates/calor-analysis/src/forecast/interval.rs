//! The interval of a forecast: curves are drawn by their weights, fitted again to the measurements with their errors dealt
//! anew, and asked. So it holds both what noise does to a curve, and that another curve may be the true one.

use super::candidate::{Candidate, Candidates};
use super::fit;
use super::tier::Tiers;
use crate::chance::Chance;

/// How often is drawn; more do not change the second digit.
const DRAWS: usize = 600;
/// Errors are dealt the same way every time.
const SEED: u64 = 0x5eed_ca10;
/// What lies outside the interval at either end.
const TAIL: f64 = 0.05;

pub(super) struct Drawn {
    pub(super) centre: f64,
    pub(super) interval: [f64; 2],
}

impl Drawn {
    /// How wide the interval is, as the logarithm of the ratio of its ends.
    pub(super) fn width(&self) -> f64 {
        (self.interval[1] / self.interval[0].max(f64::MIN_POSITIVE)).ln()
    }
}

pub(super) fn draw(candidates: &Candidates, at: f64, tiers: &Tiers) -> Drawn {
    drawn(candidates, at, tiers, DRAWS)
}

pub(super) fn drawn(candidates: &Candidates, at: f64, tiers: &Tiers, n_draws: usize) -> Drawn {
    let centre = candidates.mean(at, tiers);
    let columns = candidates.columns_at(at, tiers);
    let mut chance = Chance::new(SEED);
    let mut values = Vec::with_capacity(n_draws);
    // So many draws of each as its weight asks for; the rest of a draw is carried to the next curve.
    let mut owed = 0.0;
    for (candidate, columns) in candidates.all.iter().zip(&columns) {
        owed += candidate.weight * n_draws as f64;
        if owed < 1.0 {
            continue;
        }
        let (fitted, errors) = fitted_and_errors(candidates, candidate);
        while owed >= 1.0 {
            owed -= 1.0;
            let dealt_anew: Vec<f64> =
                fitted.iter().map(|fitted| fitted * (1.0 + dealt(&errors, &mut chance))).collect();
            if let Some((coefficients, _)) = fit::fit(&candidate.rows, &dealt_anew) {
                values.push(fit::value(columns, &coefficients) * (1.0 + dealt(&errors, &mut chance)));
            }
        }
    }
    values.sort_unstable_by(f64::total_cmp);
    let quantile = |share: f64| {
        let place = (share * values.len() as f64) as usize;
        values.get(place.min(values.len().saturating_sub(1))).copied().unwrap_or(centre)
    };
    Drawn { centre, interval: [quantile(TAIL).min(centre), quantile(1.0 - TAIL).max(centre)] }
}

/// What a curve says of each point, and its relative errors there: as large as they would be without having been fitted to,
/// and not smaller than those of all curves.
fn fitted_and_errors(candidates: &Candidates, candidate: &Candidate) -> (Vec<f64>, Vec<f64>) {
    let rows = candidate.rows.iter();
    let fitted: Vec<f64> =
        rows.map(|row| fit::value(row, &candidate.coefficients).max(f64::MIN_POSITIVE)).collect();
    let n = fitted.len() as f64;
    let widened = (n / (n - candidate.curve.n_columns() as f64).max(1.0)).sqrt();
    let points = candidates.points.iter().zip(&fitted);
    let mut errors: Vec<f64> = points.map(|(point, fitted)| (point.value / fitted - 1.0) * widened).collect();
    let spread = (errors.iter().map(|error| error * error).sum::<f64>() / n).sqrt();
    if spread < candidates.noise {
        // Few that agree by chance are not the noise there is.
        let by = |place: usize| if place.is_multiple_of(2) { candidates.noise } else { -candidates.noise };
        errors = (0..errors.len()).map(by).collect();
    }
    (fitted, errors)
}

fn dealt(errors: &[f64], chance: &mut Chance) -> f64 {
    // Of either sign: few errors are not their distribution. Nothing takes less than a tenth of its time.
    let error = errors[chance.below(errors.len())];
    (if chance.below(2) == 0 { error } else { -error }).clamp(-0.9, 9.0)
}
