//! The two sizes of numbers that kernels are written for.

use super::Dtype;

/// A floating-point number that kernels compute with.
pub(crate) trait Number: Copy + PartialOrd + Default + Send + Sync + 'static {
    const DTYPE: Dtype;
    const ONE: Self;
    /// The distance from 1 to the next number.
    const EPSILON: f64;
    /// Added to a number it leaves the nearest whole one in the lowest bits, as long as that is small.
    const ROUNDING: Self;
    /// Below and above these, the exponential function is no number of full precision any more.
    const LEAST_EXPONENT: Self;
    const MOST_EXPONENT: Self;
    /// The logarithm of 2 as the sum of two: the first has so many zeros at its end that multiples of it are exact.
    const LN_2: [Self; 2];
    /// One over the factorials, from the last to the first: of as many terms as this precision needs between half the
    /// logarithm of 2 on either side of 0.
    const TAYLOR: &'static [Self];

    fn of(number: f64) -> Self;
    fn wide(self) -> f64;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

impl Number for f32 {
    const DTYPE: Dtype = Dtype::F32;
    const ONE: Self = 1.0;
    const EPSILON: f64 = f32::EPSILON as f64;
    const ROUNDING: Self = 12_582_912.0; // 1.5 * 2^23
    const LEAST_EXPONENT: Self = -87.0;
    const MOST_EXPONENT: Self = 88.0;
    const LN_2: [Self; 2] = [0.693_359_4, -0.000_212_194_44];
    // 0.3466^8 / 8! is 5e-9.
    const TAYLOR: &'static [Self] =
        &[1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];

    fn of(number: f64) -> Self {
        number as Self
    }

    fn wide(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self * other
    }
}

impl Number for f64 {
    const DTYPE: Dtype = Dtype::F64;
    const ONE: Self = 1.0;
    const EPSILON: f64 = f64::EPSILON;
    const ROUNDING: Self = 6_755_399_441_055_744.0; // 1.5 * 2^52
    const LEAST_EXPONENT: Self = -708.0;
    const MOST_EXPONENT: Self = 709.0;
    const LN_2: [Self; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];
    // 0.3466^14 / 14! is 4e-18.
    const TAYLOR: &'static [Self] = &[
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ];

    fn of(number: f64) -> Self {
        number
    }

    fn wide(self) -> f64 {
        self
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self * other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Number>() {
        let sum: f64 = T::LN_2.iter().map(|part| part.wide()).sum();
        assert!((sum - std::f64::consts::LN_2).abs() < T::EPSILON * T::EPSILON.sqrt(), "{sum}");
        // Multiples of up to ten bits are exact.
        let unused = 52 - (-T::EPSILON.log2()) as u32;
        let zeros = T::LN_2[0].wide().to_bits().trailing_zeros();
        assert!(zeros >= unused + 10, "{zeros} zeros, {unused} of them unused");
        let next = T::TAYLOR[0].wide() / T::TAYLOR.len() as f64 * (0.5 * sum).powi(T::TAYLOR.len() as i32);
        assert!(next < 0.5 * T::EPSILON, "the first term that is left out is {next}");
    }

    #[test]
    fn constants_are_as_exact_as_their_precision_needs() {
        check::<f32>();
        check::<f64>();
    }
}
