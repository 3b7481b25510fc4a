//! When an experiment may stop. Whoever looks after every pair and stops at the first difference that seems certain finds
//! one in three experiments without any. So there are few looks, and each is given a part of the allowed errors: hardly any
//! of them early, nearly all at the end (O'Brien and Fleming's boundaries in the form of Lan and DeMets, 1983, for which
//! looks need not be evenly spaced).

use crate::distribution::normal;

/// How many points a density is kept at: enough for boundaries that are right to three digits. Odd.
const N_POINTS: usize = 65;
/// Beyond so many deviations nothing is kept.
const REACH: f64 = 6.0;

/// The looks so far at a sum that drifts by chance, with one boundary above and one below, mirrored.
#[derive(Clone, Debug)]
pub(super) struct Looks {
    /// The probability of ever crossing one of the two boundaries without any effect.
    allowed: f64,
    spent: f64,
    taken: Vec<Look>,
}

/// One look, and where the sum may be after it if it crossed no boundary.
#[derive(Clone, Debug)]
pub(super) struct Look {
    /// How many pairs had been seen, which is the variance of the sum.
    pub(super) n: f64,
    /// How many standard deviations the sum must be from 0 to cross.
    pub(super) boundary: f64,
    /// Places of the sum, and the probability around each, if there is no effect.
    pub(super) inside: Vec<(f64, f64)>,
}

impl Looks {
    /// Looks that cross the boundary above in `allowed` of all experiments without effect, and that below in as many.
    pub(super) fn new(allowed: f64) -> Self {
        Self { allowed, spent: 0.0, taken: Vec::new() }
    }

    pub(super) fn taken(&self) -> &[Look] {
        &self.taken
    }

    /// Looks at the sum of `n` pairs, more than at the last look, when `progress` of the budget is gone, and tells the
    /// boundary.
    pub(super) fn look(&mut self, n: usize, progress: f64) -> f64 {
        let n = n as f64;
        let progress = progress.clamp(0.0, 1.0);
        let scale = normal::upper_quantile(self.allowed / 2.0);
        let spent =
            if progress < 1.0 { 2.0 * normal::upper_tail(scale / progress.sqrt()) } else { self.allowed };
        let now = (spent - self.spent).max(0.0);
        self.spent += now;
        let boundary = self.boundary(n, now);
        let inside = self.inside(n, boundary);
        self.taken.push(Look { n, boundary, inside });
        boundary
    }

    /// The boundary that is crossed now, and was not before, with this probability.
    fn boundary(&self, n: f64, probability: f64) -> f64 {
        let Some(last) = self.taken.last() else { return normal::upper_quantile(probability) };
        if probability <= 1e-12 {
            return f64::INFINITY;
        }
        let (mut low, mut high) = (0.0, 2.0 * REACH);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if last.crossing(n, middle * n.sqrt(), 0.0) > probability {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    fn inside(&self, n: f64, boundary: f64) -> Vec<(f64, f64)> {
        let reach = boundary.min(REACH) * n.sqrt();
        let step = 2.0 * reach / (N_POINTS - 1) as f64;
        (0..N_POINTS)
            .map(|point| {
                let place = -reach + step * point as f64;
                // Simpson's rule.
                let weight = match point {
                    0 => 1.0,
                    point if point == N_POINTS - 1 => 1.0,
                    point if point % 2 == 1 => 4.0,
                    _ => 2.0,
                };
                (place, weight * step / 3.0 * self.density(n, place))
            })
            .collect()
    }

    /// The density of the sum at a place, if no boundary was crossed before.
    fn density(&self, n: f64, place: f64) -> f64 {
        let Some(last) = self.taken.last() else { return normal::density(place / n.sqrt()) / n.sqrt() };
        let deviation = last.deviation_to(n);
        let from = |(before, weight): &(f64, f64)| weight * normal::density((place - before) / deviation);
        last.inside.iter().map(from).sum::<f64>() / deviation
    }
}

impl Look {
    /// By how much the sum moves by chance until there are `n` pairs. Steps smaller than the distance of the places that are
    /// kept would fall between them; they count as that.
    fn deviation_to(&self, n: f64) -> f64 {
        let step = self.inside.get(..2).map_or(0.0, |places| places[1].0 - places[0].0);
        (n - self.n).sqrt().max(step)
    }

    /// The probability that no boundary was crossed up to this look, and that the sum of `n` pairs is above `place`, if each
    /// pair moves it by `drift`.
    pub(super) fn crossing(&self, n: f64, place: f64, drift: f64) -> f64 {
        let more = n - self.n;
        let deviation = self.deviation_to(n);
        let above = |(before, weight): &(f64, f64)| {
            // What the drift makes of a probability without it.
            let tilt = (drift * before - 0.5 * drift * drift * self.n).exp();
            weight * tilt * normal::upper_tail((place - before - drift * more) / deviation)
        };
        self.inside.iter().map(above).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_are_those_of_the_tables() {
        // Five looks, 5 % in all: DeMets and Lan, 1994, table 1.
        let mut looks = Looks::new(0.025);
        let boundaries: Vec<f64> = (1..=5).map(|look| looks.look(20 * look, look as f64 / 5.0)).collect();
        let expected = [4.877, 3.357, 2.680, 2.290, 2.031];
        for (found, expected) in boundaries.iter().zip(expected) {
            assert!((found - expected).abs() < 0.01, "{boundaries:?}");
        }
    }

    #[test]
    fn one_look_is_the_usual_test() {
        assert!((Looks::new(0.025).look(30, 1.0) - 1.959_964).abs() < 1e-6);
    }

    #[test]
    fn looks_that_come_when_they_come_spend_what_is_allowed() {
        let plans: [&[(usize, f64)]; 2] = [
            &[(7, 0.12), (19, 0.41), (20, 0.43), (55, 0.97), (57, 1.0)],
            &[(300, 0.3), (600, 0.6), (999, 0.999), (1_000, 1.0)],
        ];
        for plan in plans {
            let mut looks = Looks::new(0.025);
            plan.iter().for_each(|(n, progress)| {
                looks.look(*n, *progress);
            });
            let last = looks.taken().last().unwrap();
            let stayed: f64 = last.inside.iter().map(|(_, weight)| weight).sum();
            assert!((stayed - 0.95).abs() < 4e-3, "{stayed} of {plan:?}");
        }
    }
}
