//! The loops that a model spends its time in, each compiled for what processors have and chosen when the program runs.
//!
//! They are plain loops over running sums, which the compiler turns into vector code: floating-point addition may not be
//! reordered by it, so a plain sum would be one long chain.

#![expect(
    unsafe_code,
    reason = "a function that is compiled for a processor may only be called on such a one"
)]

use std::sync::OnceLock;

/// What the loops are compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// What every processor of the kind has.
    Portable,
    /// AVX2 and fused multiplication and addition.
    Avx2,
    /// AVX-512.
    Avx512,
}

impl Class {
    /// The widest that this processor has.
    #[must_use]
    pub fn widest() -> Self {
        static WIDEST: OnceLock<Class> = OnceLock::new();
        *WIDEST.get_or_init(|| {
            Self::ALL.into_iter().rev().find(|class| class.is_here()).unwrap_or(Self::Portable)
        })
    }

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// Whether this processor has it.
    fn is_here(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.is_here()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512bw")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }
}

/// Makes a function that runs a loop as it was compiled for the widest class that is here.
macro_rules! dispatched {
    ($(#[$note:meta])* $name:ident = $body:ident($($argument:ident: $kind:ty),*)) => {
        $(#[$note])*
        pub(super) fn $name($($argument: $kind),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn avx2($($argument: $kind),*) {
                    $body::<true>($($argument),*);
                }
                #[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512dq,avx512bw")]
                fn avx512($($argument: $kind),*) {
                    $body::<true>($($argument),*);
                }
                match Class::widest() {
                    // SAFETY: this processor was asked for each of these features.
                    Class::Avx512 => return unsafe { avx512($($argument),*) },
                    // SAFETY: the same.
                    Class::Avx2 => return unsafe { avx2($($argument),*) },
                    Class::Portable => {}
                }
            }
            $body::<false>($($argument),*);
        }
    };
}

dispatched! {
    /// `y[i] = scale * (matrix[i] · x)`, each row of the matrix as long as `x`.
    multiply = multiply_body(matrix: &[f32], x: &[f32], scale: f32, y: &mut [f32])
}
dispatched! {
    /// `y[i] = matrix[i] · x + bias[i]`.
    multiply_bias = multiply_bias_body(matrix: &[f32], x: &[f32], bias: &[f32], y: &mut [f32])
}
dispatched! {
    /// `y[i] += matrix[i] · x + bias[i]`.
    multiply_add = multiply_add_body(matrix: &[f32], x: &[f32], bias: &[f32], y: &mut [f32])
}
dispatched! {
    /// `out = Σ shares[i] * rows[i]`, each row as long as `out`.
    mix = mix_body(shares: &[f32], rows: &[f32], out: &mut [f32])
}
dispatched! {
    /// Shifts and scales a row to mean 0 and variance 1, then by what was learnt.
    normalise = normalise_body(x: &[f32], gain: &[f32], bias: &[f32], y: &mut [f32])
}
dispatched! {
    /// Turns a row of scores into shares that add up to one.
    softmax = softmax_body(row: &mut [f32])
}
dispatched! {
    /// The Gaussian error linear unit, in the form with a hyperbolic tangent that GPT-2 uses.
    gelu = gelu_body(values: &mut [f32])
}

/// Keeps a row of equal numbers from being divided by zero; the value GPT-2 uses.
pub(super) const EPSILON: f32 = 1e-5;

/// Numbers that are summed side by side: one vector of the widest class, two or four of narrower ones.
const LANES: usize = 16;
/// Rows of a matrix that are multiplied together, so that each number of `x` is fetched once for all of them.
const ROWS: usize = 4;

type Lanes = [f32; LANES];

#[inline(always)]
fn fused<const FUSED: bool>(a: f32, b: f32, sum: f32) -> f32 {
    // Where there is no such instruction it would be a call.
    if FUSED { a.mul_add(b, sum) } else { a * b + sum }
}

#[inline(always)]
fn multiply_body<const FUSED: bool>(matrix: &[f32], x: &[f32], scale: f32, y: &mut [f32]) {
    each_product::<FUSED>(matrix, x, y, |_, product, y| *y = scale * product);
}

#[inline(always)]
fn multiply_bias_body<const FUSED: bool>(matrix: &[f32], x: &[f32], bias: &[f32], y: &mut [f32]) {
    each_product::<FUSED>(matrix, x, y, |index, product, y| *y = product + bias[index]);
}

#[inline(always)]
fn multiply_add_body<const FUSED: bool>(matrix: &[f32], x: &[f32], bias: &[f32], y: &mut [f32]) {
    each_product::<FUSED>(matrix, x, y, |index, product, y| *y += product + bias[index]);
}

#[inline(always)]
fn each_product<const FUSED: bool>(
    matrix: &[f32],
    x: &[f32],
    y: &mut [f32],
    mut tell: impl FnMut(usize, f32, &mut f32),
) {
    let width = x.len();
    let (fours, rest) = y.as_chunks_mut::<ROWS>();
    let n_fours = fours.len();
    for (index, four) in fours.iter_mut().enumerate() {
        let rows = &matrix[index * ROWS * width..][..ROWS * width];
        let (first, second) = rows.split_at(2 * width);
        let ((a, b), (c, d)) = (first.split_at(width), second.split_at(width));
        for (row, (product, y)) in dots::<FUSED>([a, b, c, d], x).into_iter().zip(four).enumerate() {
            tell(index * ROWS + row, product, y);
        }
    }
    for (index, y) in rest.iter_mut().enumerate() {
        let index = n_fours * ROWS + index;
        tell(index, dot::<FUSED>(&matrix[index * width..][..width], x), y);
    }
}

#[inline(always)]
fn dots<const FUSED: bool>(rows: [&[f32]; ROWS], x: &[f32]) -> [f32; ROWS] {
    let (x_chunks, x_rest) = x.as_chunks::<LANES>();
    let chunks = rows.map(|row| &row.as_chunks::<LANES>().0[..x_chunks.len()]);
    let mut sums = [[0.0; LANES]; ROWS];
    for (at, x) in x_chunks.iter().enumerate() {
        for row in 0..ROWS {
            add_products::<FUSED>(&mut sums[row], &chunks[row][at], x);
        }
    }
    let mut products = sums.map(total);
    let rest = x.len() - x_rest.len();
    for (row, product) in rows.iter().zip(&mut products) {
        for (weight, x) in row[rest..].iter().zip(x_rest) {
            *product = fused::<FUSED>(*weight, *x, *product);
        }
    }
    products
}

#[inline(always)]
fn dot<const FUSED: bool>(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        add_products::<FUSED>(&mut sums, a, b);
    }
    let mut product = total(sums);
    for (a, b) in a_rest.iter().zip(b_rest) {
        product = fused::<FUSED>(*a, *b, product);
    }
    product
}

#[inline(always)]
fn add_products<const FUSED: bool>(sums: &mut Lanes, a: &Lanes, b: &Lanes) {
    for lane in 0..LANES {
        sums[lane] = fused::<FUSED>(a[lane], b[lane], sums[lane]);
    }
}

/// The sum of all lanes, halves upon each other.
#[inline(always)]
fn total(mut sums: Lanes) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
        half /= 2;
    }
    sums[0]
}

#[inline(always)]
fn sum(numbers: &[f32]) -> f32 {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for lane in 0..LANES {
            sums[lane] += chunk[lane];
        }
    }
    total(sums) + rest.iter().sum::<f32>()
}

#[inline(always)]
fn mix_body<const FUSED: bool>(shares: &[f32], rows: &[f32], out: &mut [f32]) {
    let width = out.len();
    let (chunks, rest) = out.as_chunks_mut::<LANES>();
    let n_chunks = chunks.len();
    for (index, out) in chunks.iter_mut().enumerate() {
        let mut sums = [0.0; LANES];
        for (share, row) in shares.iter().zip(rows.chunks_exact(width)) {
            let row = &row[index * LANES..][..LANES];
            for lane in 0..LANES {
                sums[lane] = fused::<FUSED>(*share, row[lane], sums[lane]);
            }
        }
        *out = sums;
    }
    for (index, out) in rest.iter_mut().enumerate() {
        let column = rows.iter().skip(n_chunks * LANES + index).step_by(width);
        *out = shares.iter().zip(column).fold(0.0, |sum, (share, value)| fused::<FUSED>(*share, *value, sum));
    }
}

#[inline(always)]
fn normalise_body<const FUSED: bool>(x: &[f32], gain: &[f32], bias: &[f32], y: &mut [f32]) {
    let mean = sum(x) / x.len() as f32;
    for (y, x) in y.iter_mut().zip(x) {
        *y = x - mean;
    }
    let variance = dot::<FUSED>(y, y) / x.len() as f32;
    let scale = 1.0 / (variance + EPSILON).sqrt();
    for ((y, gain), bias) in y.iter_mut().zip(gain).zip(bias) {
        *y = fused::<FUSED>(*y * scale, *gain, *bias);
    }
}

#[inline(always)]
fn softmax_body<const FUSED: bool>(row: &mut [f32]) {
    // Shifted by the largest, so that no exponential is too large for a float.
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, |a, b| if b > a { b } else { a });
    for score in row.iter_mut() {
        *score = exponential::<FUSED>(*score - largest);
    }
    let scale = 1.0 / sum(row);
    for share in row {
        *share *= scale;
    }
}

/// `x (1 + tanh u) / 2` is `x / (1 + e^-2u)`, which needs one exponential and no tangent.
#[inline(always)]
fn gelu_body<const FUSED: bool>(values: &mut [f32]) {
    /// Twice the square root of 2/π.
    const SLOPE: f32 = 2.0 * 0.797_884_6;
    const CUBIC: f32 = 0.044_715;
    for value in values {
        let x = *value;
        *value = x / (1.0 + exponential::<FUSED>(-SLOPE * x * (1.0 + CUBIC * x * x)));
    }
}

/// `e^x` to within three units of the last place: `2^n e^r` with `r` within ±ln 2 / 2, `e^r` by its series. Without a
/// branch or a call, so that it is computed for a vector at once. Beyond what a normal float holds, the nearest that does.
#[inline(always)]
fn exponential<const FUSED: bool>(x: f32) -> f32 {
    /// Adding it to a small number leaves that number, rounded, in the lowest bits.
    const ROUNDING: f32 = 12_582_912.0;
    /// ln 2 in two parts, of which the first has few bits: its product with `n` is exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    /// Exponents of normal floats are from -126 to 127.
    const LEAST: f32 = -87.3;
    const MOST: f32 = 88.0;
    let x = if x < LEAST { LEAST } else { x };
    let x = if x > MOST { MOST } else { x };
    let shifted = fused::<FUSED>(x, std::f32::consts::LOG2_E, ROUNDING);
    let n = shifted - ROUNDING;
    let r = fused::<FUSED>(n, -LN_2_LOW, fused::<FUSED>(n, -LN_2_HIGH, x));
    let mut series = 1.0 / 720.0;
    for factor in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = fused::<FUSED>(series, r, factor);
    }
    let exponent = shifted.to_bits().wrapping_sub(ROUNDING.to_bits()).wrapping_add(127);
    series * f32::from_bits(exponent << 23)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    fn numbers(n: usize, seed: u64) -> Vec<f32> {
        let mut random = Random::new(seed);
        (0..n).map(|_| random.normal(1.0)).collect()
    }

    fn product(a: &[f32], b: &[f32]) -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    }

    fn near(found: f32, expected: f64) {
        assert!((f64::from(found) - expected).abs() < 2e-5 * expected.abs().max(1.0), "{found} {expected}");
    }

    #[test]
    fn products_are_right_for_any_sizes_with_a_bias_a_scale_and_a_sum() {
        for (rows, width) in [(1, 1), (3, 7), (4, 16), (5, 33), (9, 64), (16, 100)] {
            let (matrix, x) = (numbers(rows * width, 1), numbers(width, 2));
            let bias = numbers(rows, 3);
            let before = numbers(rows, 4);
            let mut scaled = vec![f32::NAN; rows];
            multiply(&matrix, &x, 0.5, &mut scaled);
            let mut biased = vec![f32::NAN; rows];
            multiply_bias(&matrix, &x, &bias, &mut biased);
            let mut added = before.clone();
            multiply_add(&matrix, &x, &bias, &mut added);
            for row in 0..rows {
                let product = product(&matrix[row * width..][..width], &x);
                near(scaled[row], product / 2.0);
                near(biased[row], product + f64::from(bias[row]));
                near(added[row], product + f64::from(bias[row]) + f64::from(before[row]));
            }
        }
    }

    #[test]
    fn rows_are_mixed_in_proportion_to_their_shares() {
        for (rows, width) in [(1, 3), (5, 16), (7, 37)] {
            let (shares, matrix) = (numbers(rows, 5), numbers(rows * width, 6));
            let mut out = vec![f32::NAN; width];
            mix(&shares, &matrix, &mut out);
            for (column, found) in out.iter().enumerate() {
                let column: Vec<f32> = matrix.iter().skip(column).step_by(width).copied().collect();
                near(*found, product(&shares, &column));
            }
        }
    }

    #[test]
    fn every_row_comes_out_with_the_mean_and_variance_that_were_learnt() {
        let x: Vec<f32> = (0..37).map(|n| (n * n) as f32).collect();
        let mut y = vec![0.0; 37];
        normalise(&x, &[3.0; 37], &[2.0; 37], &mut y);
        let mean = y.iter().sum::<f32>() / 37.0;
        let variance = y.iter().map(|y| (y - mean).powi(2)).sum::<f32>() / 37.0;
        assert!((mean - 2.0).abs() < 1e-4 && (variance - 9.0).abs() < 1e-3, "{mean} {variance}");
        let mut y = [0.0; 8];
        normalise(&[4.0; 8], &[1.0; 8], &[0.5; 8], &mut y);
        assert_eq!(y, [0.5; 8], "a row of equal numbers becomes the bias");
    }

    #[test]
    fn shares_add_up_to_one_keep_the_order_of_scores_and_grow_by_e() {
        for scores in [&[0.0][..], &[1.0, 2.0, 3.0], &[-1e4, 0.0, 1e4], &[3e38, 3e38], &[-0.5; 33]] {
            let mut shares = scores.to_vec();
            softmax(&mut shares);
            assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{shares:?}");
            assert!(shares.is_sorted() && shares.iter().all(|s| (0.0..=1.0).contains(s)), "{shares:?}");
        }
        let mut shares = [4.0, 5.0];
        softmax(&mut shares);
        assert!((shares[1] / shares[0] - std::f32::consts::E).abs() < 1e-5);
    }

    #[test]
    fn exponentials_are_within_three_units_of_the_last_place() {
        for step in -8700..8800 {
            let x = step as f32 / 100.0;
            let expected = f64::from(x).exp();
            for found in [exponential::<true>(x), exponential::<false>(x)] {
                let error = (f64::from(found) - expected).abs() / expected;
                assert!(error < 3.0 * f64::from(f32::EPSILON), "{x}: {found} {expected} {error:e}");
            }
        }
        assert!(exponential::<true>(-1e30) < 2e-38 && exponential::<true>(1e30) > 1e38);
    }

    #[test]
    fn the_unit_is_that_of_its_definition() {
        for step in -100..100_i16 {
            let x = f64::from(step) / 10.0;
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
            let mut values = [x as f32];
            gelu(&mut values);
            assert!(
                (f64::from(values[0]) - 0.5 * x * (1.0 + inner.tanh())).abs() < 2e-6,
                "{x}: {}",
                values[0]
            );
        }
    }
}
