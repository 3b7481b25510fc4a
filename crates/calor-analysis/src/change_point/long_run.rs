//! How much neighbours of a series resemble each other.

/// The most that is allowed for: beyond it a series is a random walk, and any split of it is chance.
const MOST: f64 = 0.9;

/// By which factor standard errors of the means of a series are larger than those of strangers, once it is split: the square
/// root of (1 + r) / (1 - r) for a correlation r of neighbours.
pub(super) fn stretch(values: &[f64], at: usize) -> f64 {
    let n = values.len() as f64;
    let mut residuals = Vec::with_capacity(values.len());
    for side in [&values[..at], &values[at..]] {
        let mean = side.iter().sum::<f64>() / side.len().max(1) as f64;
        residuals.extend(side.iter().map(|value| value - mean));
    }
    let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
    let products: f64 = residuals.windows(2).map(|pair| pair[0] * pair[1]).sum();
    if squares <= 0.0 {
        return 1.0;
    }
    let seen = products / squares;
    // What is seen is too small, since both means, and the best place to split, were taken from the series itself. For one
    // mean it would be (1 + 4 r) / n; these numbers keep series of 8 to 300 points with r from 0 to 0.8 at their level.
    let corrected = (seen + (2.0 + 6.0 * seen) / n + 50.0 / (n * n)).clamp(0.0, MOST);
    ((1.0 + corrected) / (1.0 - corrected)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::noise::Noise;

    #[test]
    fn neighbours_that_resemble_each_other_stretch_errors() {
        let mut chance = Chance::new(6);
        for (degree, expected) in [(0.0, 1.0), (0.5, 3_f64.sqrt()), (0.8, 3.0)] {
            let mut series = Noise::Correlated(degree).series(2_000, 1.0, &mut chance);
            series[700..].iter_mut().for_each(|value| *value += 4.0);
            let found = stretch(&series, 700);
            assert!((found / expected - 1.0).abs() < 0.12, "{found} for {degree}");
        }
        assert_eq!(stretch(&[1.0, 1.0, 2.0, 2.0], 2), 1.0);
    }
}
