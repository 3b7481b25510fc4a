//! The rules by which peers call two blocks of runs, or a place in a history, a change: written anew from their documentation.

pub(crate) mod asv;
pub(crate) mod criterion;
pub(crate) mod hyperfine;
pub(crate) mod otava;
pub(crate) mod rank_sum;
pub(crate) mod sign;

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub(crate) fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

/// The two-sided p-value of a normal deviate (Abramowitz and Stegun 26.2.17, good to seven digits).
pub(crate) fn normal_p(z: f64) -> f64 {
    let z = z.abs();
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let series = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_530];
    let sum = series.iter().fold(0.0, |sum, term| (sum + term) * t);
    2.0 * sum * (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt()
}

/// Welch's test; the two-sided p-value, with Student's distribution by Wallace's approximation.
pub(crate) fn welch_p(a: &[f64], b: &[f64]) -> f64 {
    let [(na, va), (nb, vb)] = [a, b].map(|side| (side.len() as f64, variance(side)));
    let parts = [va / na, vb / nb];
    let sum = parts[0] + parts[1];
    if sum <= 0.0 {
        return if mean(a) == mean(b) { 1.0 } else { 0.0 };
    }
    let degrees = sum * sum / (parts[0].powi(2) / (na - 1.0) + parts[1].powi(2) / (nb - 1.0));
    let t = (mean(b) - mean(a)) / sum.sqrt();
    normal_p((8.0 * degrees + 1.0) / (8.0 * degrees + 3.0) * (degrees * (t * t / degrees).ln_1p()).sqrt())
}
