//! The gamma function and its relatives, which Student's distribution and the pooling of variances are made of.

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

/// The slope of [`ln_gamma`].
pub(crate) fn digamma(x: f64) -> f64 {
    let (mut sum, mut x) = (0.0, x);
    while x < 6.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    sum + x.ln() - 0.5 / x - square * (1.0 / 12.0 - square * (1.0 / 120.0 - square / 252.0))
}

/// The slope of [`digamma`].
pub(crate) fn trigamma(x: f64) -> f64 {
    let (mut sum, mut x) = (0.0, x);
    while x < 6.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    sum + 1.0 / x + square / 2.0 + square / x * (1.0 / 6.0 - square * (1.0 / 30.0 - square / 42.0))
}

/// The number whose [`trigamma`] is `value`, which is positive.
pub(crate) fn trigamma_inverse(value: f64) -> f64 {
    // 1 / trigamma is nearly a straight line, so a bisection by ratio needs few steps.
    let (mut low, mut high) = (1e-4_f64, 1e7_f64);
    for _ in 0..80 {
        let middle = (low * high).sqrt();
        if trigamma(middle) > value {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low * high).sqrt()
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
        near(digamma(1.0), -0.577_215_664_901_532_9);
        near(trigamma(1.0), std::f64::consts::PI.powi(2) / 6.0);
        near(trigamma(20.0), 0.051_270_822_935_203_1);
        for x in [0.3, 2.0, 50.0] {
            near(trigamma_inverse(trigamma(x)), x);
        }
    }
}
