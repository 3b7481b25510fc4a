//! The gamma function, which Student's distribution is made of.

/// The logarithm of the gamma function of a positive number, by Lanczos' series (g = 7, nine terms).
pub(crate) fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let below = x - 1.0;
    let series = TERMS
        .iter()
        .zip(1_u8..)
        .fold(0.999_999_999_999_809_9, |sum, (term, number)| sum + term / (below + f64::from(number)));
    let t = below + 7.5;
    0.5 * std::f64::consts::TAU.ln() + (below + 0.5) * t.ln() - t + series.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_tables() {
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-8 * expected.abs().max(1.0), "{found} for {expected}");
        };
        near(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln());
        near(ln_gamma(10.0), 362_880_f64.ln());
    }
}
