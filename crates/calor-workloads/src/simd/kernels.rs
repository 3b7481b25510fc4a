//! The kernels but for matrix multiplication, each written once over vectors of any kind. Sums are kept in several vectors,
//! because each addition has to wait for the one before.
//!
//! # Safety
//! As for [`Vector`]: callable only where the processor has the instructions. Slices that belong together have the same
//! length, rows have the length given, and the callers in `table` check both.

#![expect(unsafe_code, reason = "vectors are read and written through pointers")]

use super::number::Number;
use super::vector::Vector;

/// Vectors in which sums are kept: two additions begin in each cycle of today's processors, and take up to four.
const N_SUMS: usize = 8;

/// All numbers together.
#[inline(always)]
pub(crate) unsafe fn sum<V: Vector>(x: &[V::Number]) -> V::Number {
    let (n, from) = (x.len(), x.as_ptr());
    // SAFETY: all that is read lies before `n`; see the opening for the instructions.
    unsafe {
        let mut sums = [V::splat(V::Number::default()); N_SUMS];
        let mut at = 0;
        while at + N_SUMS * V::LANES <= n {
            for (lane, sum) in sums.iter_mut().enumerate() {
                *sum = sum.add(V::load(from.add(at + lane * V::LANES)));
            }
            at += N_SUMS * V::LANES;
        }
        while at + V::LANES <= n {
            sums[0] = sums[0].add(V::load(from.add(at)));
            at += V::LANES;
        }
        if at < n {
            sums[1] = sums[1].add(V::load_part(from.add(at), n - at, V::Number::default()));
        }
        together(sums).fold(V::Number::plus)
    }
}

/// The sum of products.
#[inline(always)]
pub(crate) unsafe fn dot<V: Vector>(x: &[V::Number], y: &[V::Number]) -> V::Number {
    let (n, x, y) = (x.len(), x.as_ptr(), y.as_ptr());
    // SAFETY: all that is read lies before `n`, and both have that length.
    unsafe {
        let zero = V::Number::default();
        let mut sums = [V::splat(zero); N_SUMS];
        let mut at = 0;
        while at + N_SUMS * V::LANES <= n {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let here = at + lane * V::LANES;
                *sum = V::load(x.add(here)).mul_add(V::load(y.add(here)), *sum);
            }
            at += N_SUMS * V::LANES;
        }
        while at + V::LANES <= n {
            sums[0] = V::load(x.add(at)).mul_add(V::load(y.add(at)), sums[0]);
            at += V::LANES;
        }
        if at < n {
            let (x, y) = (V::load_part(x.add(at), n - at, zero), V::load_part(y.add(at), n - at, zero));
            sums[1] = x.mul_add(y, sums[1]);
        }
        together(sums).fold(V::Number::plus)
    }
}

/// Adds a multiple of one vector to another.
#[inline(always)]
pub(crate) unsafe fn axpy<V: Vector>(factor: V::Number, x: &[V::Number], y: &mut [V::Number]) {
    let (n, x, y) = (x.len(), x.as_ptr(), y.as_mut_ptr());
    // SAFETY: all that is read and written lies before `n`, and both have that length.
    unsafe {
        let (factor, zero) = (V::splat(factor), V::Number::default());
        let mut at = 0;
        while at + 4 * V::LANES <= n {
            for lane in 0..4 {
                let here = at + lane * V::LANES;
                factor.mul_add(V::load(x.add(here)), V::load(y.add(here))).store(y.add(here));
            }
            at += 4 * V::LANES;
        }
        while at + V::LANES <= n {
            factor.mul_add(V::load(x.add(at)), V::load(y.add(at))).store(y.add(at));
            at += V::LANES;
        }
        if at < n {
            let part = (V::load_part(x.add(at), n - at, zero), V::load_part(y.add(at), n - at, zero));
            factor.mul_add(part.0, part.1).store_part(y.add(at), n - at);
        }
    }
}

/// The activation of GPT-2 with the hyperbolic tangent (Hendrycks and Gimpel, 2016), which is `x` times a sigmoid.
#[inline(always)]
pub(crate) unsafe fn gelu<V: Vector>(x: &[V::Number], y: &mut [V::Number]) {
    let (n, x, y) = (x.len(), x.as_ptr(), y.as_mut_ptr());
    // SAFETY: all that is read and written lies before `n`, and both have that length.
    unsafe {
        let mut at = 0;
        while at + V::LANES <= n {
            gelu_of(V::load(x.add(at))).store(y.add(at));
            at += V::LANES;
        }
        if at < n {
            let part = V::load_part(x.add(at), n - at, V::Number::default());
            gelu_of(part).store_part(y.add(at), n - at);
        }
    }
}

#[inline(always)]
unsafe fn gelu_of<V: Vector>(x: V) -> V {
    // SAFETY: nothing is read or written; see the opening for the instructions.
    unsafe {
        // -2 * sqrt(2 / pi) * (x + 0.044715 x^3)
        let cubic = V::splat(V::Number::of(-2.0 * GELU_CUBIC * GELU_SCALE));
        let cubic = x.mul(x).mul_add(cubic, V::splat(V::Number::of(-2.0 * GELU_SCALE)));
        x.div(exp(cubic.mul(x)).add(V::splat(V::Number::ONE)))
    }
}

/// `sqrt(2 / pi)`, and what the cube counts.
pub(crate) const GELU_SCALE: f64 = 0.797_884_560_802_865_4;
pub(crate) const GELU_CUBIC: f64 = 0.044_715;

/// Each row as parts of its whole: the exponential function of each number over the sum of all.
#[inline(always)]
pub(crate) unsafe fn softmax<V: Vector>(x: &[V::Number], y: &mut [V::Number], width: usize) {
    for (x, y) in x.chunks_exact(width).zip(y.chunks_exact_mut(width)) {
        // SAFETY: both rows have the same length; see the opening for the instructions.
        unsafe { softmax_row::<V>(x, y) };
    }
}

#[inline(always)]
unsafe fn softmax_row<V: Vector>(x: &[V::Number], y: &mut [V::Number]) {
    let (n, x, y) = (x.len(), x.as_ptr(), y.as_mut_ptr());
    // SAFETY: all that is read and written lies before `n`, and both have that length.
    unsafe {
        let whole = n - n % V::LANES;
        let least = x.read();
        let mut most = [V::splat(least); 4];
        let mut at = 0;
        while at + 4 * V::LANES <= n {
            for (lane, most) in most.iter_mut().enumerate() {
                *most = most.max(V::load(x.add(at + lane * V::LANES)));
            }
            at += 4 * V::LANES;
        }
        while at < whole {
            most[0] = most[0].max(V::load(x.add(at)));
            at += V::LANES;
        }
        if whole < n {
            most[1] = most[1].max(V::load_part(x.add(whole), n - whole, least));
        }
        let most = most[0].max(most[1]).max(most[2].max(most[3]));
        let most = V::splat(most.fold(|a, b| if a > b { a } else { b }));

        let mut sum = V::splat(V::Number::default());
        let mut at = 0;
        while at < whole {
            let part = exp(V::load(x.add(at)).sub(most));
            part.store(y.add(at));
            sum = sum.add(part);
            at += V::LANES;
        }
        let mut rest = V::Number::default();
        if whole < n {
            exp(V::load_part(x.add(whole), n - whole, least).sub(most)).store_part(y.add(whole), n - whole);
            for at in whole..n {
                rest = rest.plus(y.add(at).read());
            }
        }
        let all = V::splat(sum.fold(V::Number::plus).plus(rest));
        let scale = V::splat(V::Number::ONE).div(all);
        let mut at = 0;
        while at < whole {
            V::load(y.add(at)).mul(scale).store(y.add(at));
            at += V::LANES;
        }
        if whole < n {
            let part = V::load_part(y.add(whole), n - whole, V::Number::default());
            part.mul(scale).store_part(y.add(whole), n - whole);
        }
    }
}

/// Added to the variance, so that a row of equal numbers has one to divide by.
pub(crate) const LAYER_NORM_FLOOR: f64 = 1e-5;

/// Each row with mean 0 and variance 1, times `gain` plus `bias`, each of which is as long as a row.
#[inline(always)]
pub(crate) unsafe fn layer_norm<V: Vector>(
    x: &[V::Number],
    gain: &[V::Number],
    bias: &[V::Number],
    y: &mut [V::Number],
) {
    let width = gain.len();
    for (x, y) in x.chunks_exact(width).zip(y.chunks_exact_mut(width)) {
        // SAFETY: all four have the same length; see the opening for the instructions.
        unsafe { layer_norm_row::<V>(x, gain.as_ptr(), bias.as_ptr(), y) };
    }
}

#[inline(always)]
unsafe fn layer_norm_row<V: Vector>(
    x: &[V::Number],
    gain: *const V::Number,
    bias: *const V::Number,
    y: &mut [V::Number],
) {
    // SAFETY: see the opening for the instructions.
    let total = unsafe { sum::<V>(x) };
    let (n, x, y) = (x.len(), x.as_ptr(), y.as_mut_ptr());
    let (whole, zero) = (n - n % V::LANES, V::Number::default());
    let mean = total.wide() / n as f64;
    // SAFETY: all that is read and written lies before `n`, and all four have that length.
    unsafe {
        let middle = V::splat(V::Number::of(mean));
        let mut squares = [V::splat(zero); 4];
        let mut at = 0;
        while at + 4 * V::LANES <= n {
            for (lane, squares) in squares.iter_mut().enumerate() {
                let off = V::load(x.add(at + lane * V::LANES)).sub(middle);
                *squares = off.mul_add(off, *squares);
            }
            at += 4 * V::LANES;
        }
        while at < whole {
            let off = V::load(x.add(at)).sub(middle);
            squares[0] = off.mul_add(off, squares[0]);
            at += V::LANES;
        }
        if whole < n {
            let off = V::load_part(x.add(whole), n - whole, V::Number::of(mean)).sub(middle);
            squares[1] = off.mul_add(off, squares[1]);
        }
        let squares = squares[0].add(squares[1]).add(squares[2].add(squares[3])).fold(V::Number::plus);
        let scale = 1.0 / (squares.wide() / n as f64 + LAYER_NORM_FLOOR).sqrt();
        let scale = V::splat(V::Number::of(scale));
        let mut at = 0;
        while at < whole {
            let off = V::load(x.add(at)).sub(middle).mul(scale);
            off.mul_add(V::load(gain.add(at)), V::load(bias.add(at))).store(y.add(at));
            at += V::LANES;
        }
        if whole < n {
            let off = V::load_part(x.add(whole), n - whole, zero).sub(middle).mul(scale);
            let gain = V::load_part(gain.add(whole), n - whole, zero);
            let bias = V::load_part(bias.add(whole), n - whole, zero);
            off.mul_add(gain, bias).store_part(y.add(whole), n - whole);
        }
    }
}

/// The exponential function: the nearest power of two is an exponent, and the rest is so near to 0 that few terms of
/// Taylor's series are exact. Beyond what the numbers can hold it stays at the least and at the most; no number stays none.
#[inline(always)]
pub(crate) unsafe fn exp<V: Vector>(x: V) -> V {
    // SAFETY: nothing is read or written; see the opening for the instructions.
    unsafe {
        let x = V::splat(V::Number::LEAST_EXPONENT).max(x);
        let x = V::splat(V::Number::MOST_EXPONENT).min(x);
        let rounding = V::splat(V::Number::ROUNDING);
        let shifted = x.mul_add(V::splat(V::Number::of(std::f64::consts::LOG2_E)), rounding);
        let powers = shifted.sub(rounding);
        let [high, low] = V::Number::LN_2;
        let [high, low] = [V::splat(V::Number::of(-high.wide())), V::splat(V::Number::of(-low.wide()))];
        let rest = powers.mul_add(low, powers.mul_add(high, x));
        let mut series = V::splat(V::Number::TAYLOR[0]);
        for term in &V::Number::TAYLOR[1..] {
            series = series.mul_add(rest, V::splat(*term));
        }
        series.mul(shifted.power_of_two())
    }
}

#[inline(always)]
unsafe fn together<V: Vector>(sums: [V; N_SUMS]) -> V {
    // SAFETY: nothing is read or written; see the opening for the instructions.
    unsafe {
        let [a, b, c, d, e, f, g, h] = sums;
        a.add(b).add(c.add(d)).add(e.add(f).add(g.add(h)))
    }
}
