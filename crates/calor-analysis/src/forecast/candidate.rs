//! The curves fitted to what was measured, with their weights: by Akaike's criterion for errors of a known size, which is
//! that of the curve which fits best for its number of parameters. (The criterion that has each curve find its own size of
//! errors needs a correction for few points, and with five that correction outweighs what the points say.)

use super::SizePoint;
use super::curve::{Curve, Scaling};
use super::fit;
use super::tier::{Access, Tiers};

/// A curve with its coefficients.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) curve: Curve,
    pub(super) coefficients: Vec<f64>,
    pub(super) weight: f64,
    /// The values of its columns at each point.
    pub(super) rows: Vec<Vec<f64>>,
    /// The mean square of its relative errors.
    error: f64,
}

/// All curves that could be fitted.
#[derive(Clone, Debug)]
pub(super) struct Candidates {
    pub(super) points: Vec<SizePoint>,
    pub(super) all: Vec<Candidate>,
    pub(super) largest: f64,
    /// The size of errors, as a share.
    pub(super) noise: f64,
}

impl Candidates {
    /// `least_noise` is what measurements differ by at least, however well a curve goes through them.
    /// `can_double` is whether it may grow in steps, as memory does.
    pub(super) fn fitted(points: &[SizePoint], tiers: &Tiers, least_noise: f64, can_double: bool) -> Self {
        let largest = points.iter().fold(0.0, |largest, point| f64::max(largest, point.size));
        let values: Vec<f64> = points.iter().map(|point| point.value).collect();
        let n_points = points.len() as f64;
        let slowness = tiers.slowness_at(points.iter().map(|point| point.size));
        let mut all: Vec<Candidate> = Vec::new();
        // The size of errors that each curve leaves, by what is left to judge it by.
        let mut noise = f64::INFINITY;
        for curve in Curve::all(tiers.accesses(), can_double) {
            let n_columns = curve.n_columns() as f64;
            if n_columns + 2.0 > n_points {
                continue;
            }
            let rows: Vec<Vec<f64>> = points
                .iter()
                .zip(&slowness)
                .map(|(point, slowness)| curve.columns(point.size, largest, slowness[curve.access as usize]))
                .collect();
            let Some((coefficients, error)) = fit::fit(&rows, &values) else { continue };
            noise = noise.min((error * n_points / (n_points - n_columns - 1.0)).sqrt());
            all.push(Candidate { curve, coefficients, weight: 0.0, rows, error });
        }
        let noise = noise.max(least_noise);
        let criterion = |candidate: &Candidate| {
            let n_columns = candidate.curve.n_columns() as f64;
            let prior = tiers.prior(&candidate.curve) * candidate.curve.prior();
            candidate.error * n_points / (noise * noise) + 2.0 * n_columns - 2.0 * prior.ln()
        };
        let least = all.iter().map(criterion).fold(f64::INFINITY, f64::min);
        let total: f64 = all.iter().map(|candidate| ((least - criterion(candidate)) / 2.0).exp()).sum();
        for candidate in &mut all {
            candidate.weight = ((least - criterion(candidate)) / 2.0).exp() / total;
        }
        Self { points: points.to_vec(), all, largest, noise }
    }

    /// The curve with the most weight.
    pub(super) fn best(&self) -> &Candidate {
        let best = self.all.iter().max_by(|a, b| a.weight.total_cmp(&b.weight));
        best.expect("a constant can be fitted to any four points")
    }

    /// The weight of all curves that grow in a way.
    pub(super) fn weight_of_scaling(&self, scaling: &Scaling) -> f64 {
        let same = self.all.iter().filter(|candidate| candidate.curve.scaling() == *scaling);
        same.map(|candidate| candidate.weight).sum()
    }

    /// The columns of each curve at a size.
    pub(super) fn columns_at(&self, size: f64, tiers: &Tiers) -> Vec<Vec<f64>> {
        let slowness = tiers.slowness_at([size])[0];
        let columns = |candidate: &Candidate| {
            candidate.curve.columns(size, self.largest, slowness[candidate.curve.access as usize])
        };
        self.all.iter().map(columns).collect()
    }

    /// What each curve says of a size.
    pub(super) fn values_at(&self, size: f64, tiers: &Tiers) -> Vec<f64> {
        let columns = self.columns_at(size, tiers);
        let value = |(candidate, columns): (&Candidate, &Vec<f64>)| {
            fit::value(columns, &candidate.coefficients).max(f64::MIN_POSITIVE)
        };
        self.all.iter().zip(&columns).map(value).collect()
    }

    /// The mean of what they say, each by its weight. Values that lie far apart are closer by their ratio. Whether the work
    /// is bound by memory is one thing or the other, and nothing between: only curves of the likeliest kind count.
    pub(super) fn mean(&self, size: f64, tiers: &Tiers) -> f64 {
        let weight = |access: Access| -> f64 {
            let same = self.all.iter().filter(|candidate| candidate.curve.access == access);
            same.map(|candidate| candidate.weight).sum()
        };
        let likeliest = tiers.accesses().iter().copied().max_by(|a, b| weight(*a).total_cmp(&weight(*b)));
        let likeliest = likeliest.unwrap_or(Access::Flat);
        let values = self.values_at(size, tiers);
        let (mut sum, mut total) = (0.0, 0.0);
        for (candidate, value) in self.all.iter().zip(values) {
            // What does not depend on the size does not depend on memory either.
            if candidate.curve.access == likeliest || candidate.curve.terms.is_empty() {
                sum += candidate.weight * value.ln();
                total += candidate.weight;
            }
        }
        (sum / total).exp()
    }
}
