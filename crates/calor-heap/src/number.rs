//! Logarithm and exponential, which `core` does not have: they are needed for the distances and the chances of
//! sampled blocks only, so they are short rather than quick.

/// The natural logarithm of a positive, finite number.
pub(crate) fn ln(x: f64) -> f64 {
    // x = m * 2^e with m between sqrt(1/2) and sqrt(2); ln m = 2 atanh((m - 1) / (m + 1)).
    let bits = x.to_bits();
    let mut exponent = ((bits >> 52) & 0x7ff) as i64 - 1023;
    let mut mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    if mantissa > core::f64::consts::SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let square = z * z;
    let mut power = z;
    let mut sum = 0.0;
    let mut divisor = 1.0;
    for _ in 0..12 {
        sum += power / divisor;
        power *= square;
        divisor += 2.0;
    }
    2.0 * sum + exponent as f64 * core::f64::consts::LN_2
}

/// 1 - e^-x for x of 0 and more, without losing the digits of a small one.
pub(crate) fn chance(x: f64) -> f64 {
    if x > 40.0 {
        return 1.0;
    }
    if x < 0.25 {
        // x - x^2/2! + x^3/3! - ...
        let mut term = x;
        let mut sum = 0.0;
        let mut n = 1.0;
        for _ in 0..14 {
            sum += term;
            n += 1.0;
            term *= -x / n;
        }
        return sum;
    }
    // 1 - (1 - p)^2 from the chance of half the distance.
    let half = chance(x * 0.5);
    half * (2.0 - half)
}

#[cfg(test)]
mod tests {
    use super::{chance, ln};

    #[test]
    fn logarithms_agree_with_those_of_the_standard_library() {
        for exponent in -60..60 {
            for step in 0..50 {
                let x = 2f64.powi(exponent) * (1.0 + f64::from(step) / 50.0);
                let (own, theirs) = (ln(x), x.ln());
                assert!((own - theirs).abs() <= 1e-13 * theirs.abs().max(1.0), "ln({x}): {own} {theirs}");
            }
        }
    }

    #[test]
    fn chances_agree_with_the_standard_library_for_tiny_and_huge_blocks() {
        for exponent in -40..12 {
            let x = 2f64.powi(exponent) * 1.3;
            let truth = -(-x).exp_m1();
            assert!((chance(x) - truth).abs() <= 1e-13 * truth, "{x}: {} {truth}", chance(x));
        }
    }
}
