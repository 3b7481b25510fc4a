//! criterion compares a run with a saved baseline: a bootstrap of the t statistic below 5 %, and the whole 95 % interval of
//! the relative change of means outside the noise threshold of 1 %. 300 resamples here, where it takes 100,000.

use super::{mean, variance};
use crate::noise::Chance;

const N_RESAMPLES: usize = 300;

pub(crate) fn differs(a: &[f64], b: &[f64], chance: &mut Chance) -> bool {
    let statistic = |a: &[f64], b: &[f64]| {
        (mean(b) - mean(a)) / (variance(a) / a.len() as f64 + variance(b) / b.len() as f64).sqrt()
    };
    let seen = statistic(a, b).abs();
    let both: Vec<f64> = a.iter().chain(b).copied().collect();
    let mut n_beyond = 0;
    let mut changes: Vec<f64> = Vec::with_capacity(N_RESAMPLES);
    for _ in 0..N_RESAMPLES {
        let mut draw =
            |from: &[f64], n: usize| (0..n).map(|_| from[chance.below(from.len())]).collect::<Vec<f64>>();
        let mixed = [draw(&both, a.len()), draw(&both, b.len())];
        n_beyond += usize::from(statistic(&mixed[0], &mixed[1]).abs() >= seen);
        changes.push(mean(&draw(b, b.len())) / mean(&draw(a, a.len())) - 1.0);
    }
    changes.sort_unstable_by(f64::total_cmp);
    let [low, high] = [0.025, 0.975].map(|share| changes[(share * N_RESAMPLES as f64) as usize]);
    (n_beyond as f64) < 0.05 * N_RESAMPLES as f64 && (low > 0.01 || high < -0.01)
}
