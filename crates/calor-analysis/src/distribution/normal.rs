//! The normal distribution: density, tails and quantiles.

use std::f64::consts::TAU;

/// The density at `z`.
pub(crate) fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / TAU.sqrt()
}

/// The probability of a value above `z`. By the rational approximation of Hart (1968, number 5666) as West (2005) gives it,
/// which is right to nine digits, also far out.
pub(crate) fn upper_tail(z: f64) -> f64 {
    let far = z.abs();
    let tail = if far > 37.0 {
        0.0
    } else {
        let scale = (-0.5 * far * far).exp();
        if far < 5.0 * std::f64::consts::SQRT_2 {
            const ABOVE: [f64; 7] = [
                3.526_249_659_989_11e-2,
                0.700_383_064_443_688,
                6.373_962_203_531_65,
                33.912_866_078_383,
                112.079_291_497_871,
                221.213_596_169_931,
                220.206_867_912_376,
            ];
            const BELOW: [f64; 8] = [
                8.838_834_764_831_84e-2,
                1.755_667_163_182_64,
                16.064_177_579_207,
                86.780_732_202_946_1,
                296.564_248_779_674,
                637.333_633_378_831,
                793.826_512_519_948,
                440.413_735_824_752,
            ];
            scale * polynomial(&ABOVE, far) / polynomial(&BELOW, far)
        } else {
            let fraction = [4.0, 3.0, 2.0, 1.0].iter().fold(far + 0.65, |rest, step| far + step / rest);
            scale / fraction / TAU.sqrt()
        }
    };
    if z > 0.0 { tail } else { 1.0 - tail }
}

fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// The value above which `tail` of the distribution lies. Infinite for 0 and 1.
pub(crate) fn upper_quantile(tail: f64) -> f64 {
    if tail > 0.5 {
        return -upper_quantile(1.0 - tail);
    }
    if tail.is_nan() || tail <= 0.0 {
        return f64::INFINITY;
    }
    // Abramowitz and Stegun 26.2.23 is right to three digits; the steps behind it double them each time.
    let t = (-2.0 * tail.ln()).sqrt();
    let above = polynomial(&[0.010_328, 0.802_853, 2.515_517], t);
    let below = polynomial(&[0.001_308, 0.189_269, 1.432_788, 1.0], t);
    let mut z = t - above / below;
    for _ in 0..3 {
        let slope = density(z);
        if slope <= 0.0 {
            break;
        }
        let step = (upper_tail(z) - tail) / slope;
        z += step / (1.0 - 0.5 * z * step).max(0.5);
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_and_quantiles_are_those_of_the_tables() {
        for (z, tail) in [
            (0.0, 0.5),
            (1.0, 0.158_655_253_931_457),
            (1.959_963_984_540_05, 0.025),
            (3.0, 1.349_898_031_630_09e-3),
            (6.0, 9.865_876_450_376_98e-10),
            (8.0, 6.220_960_574_271_78e-16),
            (-2.0, 0.977_249_868_051_821),
        ] {
            assert!((upper_tail(z) / tail - 1.0).abs() < 1e-8, "{z}: {}", upper_tail(z));
            assert!((upper_quantile(tail) - z).abs() < 1e-8, "{tail}: {}", upper_quantile(tail));
        }
        assert_eq!((upper_tail(99.0), upper_quantile(0.0)), (0.0, f64::INFINITY));
        assert_eq!(upper_quantile(1.0), f64::NEG_INFINITY);
    }
}
