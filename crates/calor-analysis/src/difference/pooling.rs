//! The spread of each function, helped by that of the others.
//!
//! Ten runs say little about the spread of one function: by luck some look steady, and those are the first to be called
//! changed. But two hundred functions say a lot about what spread is usual for one of that size. Each variance is drawn
//! towards that, the more so the more alike functions are (Smyth, 2004).

use super::shift::Shift;
use crate::distribution::gamma::{digamma, trigamma, trigamma_inverse};

/// With fewer functions than this nothing is known of what is usual.
const FEWEST: usize = 10;
/// A number of degrees of freedom that stands for certainty.
const CERTAIN: f64 = 1e4;

/// Draws the variances of shifts towards what is usual for functions of their size, given as logarithms.
pub(super) fn pool(shifts: &mut [Shift], sizes: &[f64]) {
    // One of no spread is not like the others: it was counted, not timed.
    let logs: Vec<(f64, f64)> = shifts
        .iter()
        .zip(sizes)
        .filter_map(|(shift, size)| {
            let variance = shift.variance.filter(|variance| *variance > 0.0)?;
            let half = shift.degrees / 2.0;
            Some((*size, variance.ln() - digamma(half) + half.ln()))
        })
        .collect();
    if logs.len() < FEWEST {
        return;
    }
    let usual = Line::through(&logs);
    let n = logs.len() as f64;
    let spread = logs.iter().map(|(size, log)| (log - usual.at(*size)).powi(2)).sum::<f64>() / (n - 2.0);
    let by_chance = shifts.iter().filter(|shift| shift.variance.is_some_and(|variance| variance > 0.0));
    let by_chance = by_chance.map(|shift| trigamma(shift.degrees / 2.0)).sum::<f64>() / n;
    let excess = spread - by_chance;
    let degrees = if excess > 0.0 { (2.0 * trigamma_inverse(excess)).min(CERTAIN) } else { CERTAIN };
    for (shift, size) in shifts.iter_mut().zip(sizes) {
        if let Some(variance) = shift.variance.as_mut().filter(|variance| **variance > 0.0) {
            let prior = (usual.at(*size) + digamma(degrees / 2.0) - (degrees / 2.0).ln()).exp();
            *variance = (degrees * prior + shift.degrees * *variance) / (degrees + shift.degrees);
            shift.degrees += degrees;
        }
    }
}

/// The usual logarithm of a variance by size.
struct Line {
    middle: (f64, f64),
    slope: f64,
}

impl Line {
    fn through(points: &[(f64, f64)]) -> Self {
        let n = points.len() as f64;
        let middle = points.iter().fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x / n, sum.1 + y / n));
        let square: f64 = points.iter().map(|(x, _)| (x - middle.0).powi(2)).sum();
        let product: f64 = points.iter().map(|(x, y)| (x - middle.0) * (y - middle.1)).sum();
        Self { middle, slope: if square > 0.0 { product / square } else { 0.0 } }
    }

    fn at(&self, x: f64) -> f64 {
        self.middle.1 + self.slope * (x - self.middle.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::noise::gauss;

    /// Variances of a normal distribution's values, each estimated with five degrees of freedom.
    fn shifts(truths: impl Iterator<Item = f64>) -> Vec<Shift> {
        let mut chance = Chance::new(4);
        truths
            .map(|truth| {
                let variance = (0..5).map(|_| truth * gauss(&mut chance).powi(2)).sum::<f64>() / 5.0;
                Shift { centre: 0.0, variance: Some(variance), degrees: 5.0 }
            })
            .collect()
    }

    #[test]
    fn equal_spreads_become_one_and_sizes_count() {
        let sizes: Vec<f64> = (0..100).map(|at| f64::from(at) / 20.0).collect();
        let mut list = shifts(sizes.iter().map(|size| (-size).exp()));
        pool(&mut list, &sizes);
        assert!(list.iter().all(|shift| shift.degrees > 50.0));
        for (shift, size) in list.iter().zip(&sizes) {
            let ratio = shift.variance.unwrap() / (-size).exp();
            assert!((0.6..1.7).contains(&ratio), "{ratio} at {size}");
        }
    }

    #[test]
    fn spreads_that_differ_stay_apart_and_few_are_left_alone() {
        let mut list = shifts((0..100).map(|at| if at % 2 == 0 { 1.0 } else { 1e4 }));
        pool(&mut list, &[0.0; 100]);
        assert!(list.iter().all(|shift| shift.degrees < 8.0));
        assert!(list[0].variance.unwrap() < list[1].variance.unwrap() / 50.0);
        let mut few = shifts((0..5).map(|_| 1.0));
        let before = few.clone();
        pool(&mut few, &[0.0; 5]);
        assert_eq!(few, before);
    }
}
