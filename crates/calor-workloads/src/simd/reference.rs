//! What the results should be, computed plainly with numbers of 64 bits, and how far off a kernel may be.
//!
//! Inputs lie between -1 and 1 (for the activation between -4 and 4) and can be written with 32 bits, so that both sizes of
//! numbers begin with the same. The tolerances are multiples of the distance from 1 to the next number: those of sums grow
//! with the number of summands, those of functions are constant. Of large inputs some rows are checked, the last one included.

use super::Kernel;
use super::kernels::{GELU_CUBIC, GELU_SCALE, LAYER_NORM_FLOOR};
use super::number::Number;

/// Up to so many numbers every row is checked, and beyond so many of them.
const ALL_NUMBERS: usize = 1 << 20;
const SOME_ROWS: usize = 64;

/// The most that a result may be off, as a multiple of the precision.
pub(crate) fn tolerance(kernel: Kernel, size: usize) -> f64 {
    let n = size as f64;
    match kernel {
        Kernel::Matmul => n,
        Kernel::Dot | Kernel::Sum => n * n,
        Kernel::Saxpy => 4.0,
        Kernel::Gelu => 64.0,
        // Relative to the result; a row is summed up on the way.
        Kernel::Softmax => 32.0 + 4.0 * n.sqrt(),
        Kernel::LayerNorm => 64.0 + 8.0 * n.sqrt(),
    }
}

/// The rows that are checked.
pub(crate) fn rows(size: usize) -> Vec<usize> {
    if size * size <= ALL_NUMBERS {
        return (0..size).collect();
    }
    let n = SOME_ROWS.min(size);
    (0..n).map(|at| at * (size - 1) / (n - 1)).collect()
}

/// Rows of the product of two square matrices.
pub(crate) fn product<T: Number>(size: usize, rows: &[usize], a: &[T], b: &[T]) -> Vec<f64> {
    let b: Vec<f64> = b.iter().map(|number| number.wide()).collect();
    let mut found = vec![0.0; rows.len() * size];
    for (row, to) in rows.iter().zip(found.chunks_exact_mut(size)) {
        for (number, from) in a[row * size..][..size].iter().zip(b.chunks_exact(size)) {
            let factor = number.wide();
            to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
        }
    }
    found
}

pub(crate) fn dot<T: Number>(x: &[T], y: &[T]) -> f64 {
    sum_of(x.iter().zip(y).map(|(x, y)| x.wide() * y.wide()))
}

pub(crate) fn sum<T: Number>(x: &[T]) -> f64 {
    sum_of(x.iter().map(|x| x.wide()))
}

/// With what each addition loses (Kahan, 1965): there may be many millions.
fn sum_of(numbers: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0, 0.0);
    for number in numbers {
        let next: f64 = number - lost;
        let total: f64 = sum + next;
        lost = (total - sum) - next;
        sum = total;
    }
    sum
}

pub(crate) fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + (GELU_SCALE * (x + GELU_CUBIC * x.powi(3))).tanh())
}

pub(crate) fn softmax<T: Number>(row: &[T]) -> Vec<f64> {
    let most = row.iter().map(|x| x.wide()).fold(f64::NEG_INFINITY, f64::max);
    let parts: Vec<f64> = row.iter().map(|x| (x.wide() - most).exp()).collect();
    let whole = sum_of(parts.iter().copied());
    parts.into_iter().map(|part| part / whole).collect()
}

pub(crate) fn layer_norm<T: Number>(row: &[T], gain: &[T], bias: &[T]) -> Vec<f64> {
    let n = row.len() as f64;
    let mean = sum(row) / n;
    let variance = sum_of(row.iter().map(|x| (x.wide() - mean).powi(2))) / n;
    let scale = 1.0 / (variance + LAYER_NORM_FLOOR).sqrt();
    let each = row.iter().zip(gain.iter().zip(bias));
    each.map(|(x, (gain, bias))| (x.wide() - mean) * scale * gain.wide() + bias.wide()).collect()
}

/// Whether a number is as near as it has to be; one that is none is not.
pub(crate) fn is_near<T: Number>(got: T, want: f64, tolerance: f64, is_relative: bool) -> bool {
    let scale = if is_relative { want.abs().max(f64::MIN_POSITIVE) } else { 1.0 };
    (got.wide() - want).abs() <= tolerance * T::EPSILON * scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_what_they_are_called() {
        assert_eq!(
            product(2, &[0, 1], &[1.0_f32, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0]),
            [19., 22., 43., 50.]
        );
        assert_eq!((dot(&[1.0_f32, 2.0], &[3.0, 4.0]), sum(&[1.0_f64, 2.5])), (11.0, 3.5));
        // Of PyTorch: gelu(tensor([1., -2.]), approximate="tanh").
        assert!((gelu(1.0) - 0.841_192).abs() < 1e-6 && (gelu(-2.0) + 0.045_402).abs() < 1e-6);
        let parts = softmax(&[0.0_f64, std::f64::consts::LN_2]);
        assert!((parts[0] - 1.0 / 3.0).abs() < 1e-15 && (parts[1] - 2.0 / 3.0).abs() < 1e-15);
        let row = layer_norm(&[1.0_f64, 3.0], &[2.0, 2.0], &[0.5, 0.5]);
        assert!((row[0] + 1.5).abs() < 1e-4 && (row[1] - 2.5).abs() < 1e-4, "{row:?}");
    }

    #[test]
    fn rows_that_are_checked_reach_from_the_first_to_the_last() {
        assert_eq!(rows(3), [0, 1, 2]);
        let some = rows(4096);
        assert_eq!((some.len(), some[0], some[63]), (64, 0, 4095));
    }

    #[test]
    fn near_is_by_precision_and_never_what_is_no_number() {
        assert!(is_near(1.0_f32 + f32::EPSILON, 1.0, 1.0, false));
        assert!(!is_near(1.0_f32 + 2.0 * f32::EPSILON, 1.0, 1.0, false));
        assert!(!is_near(f32::NAN, 1.0, 1e9, false));
        assert!(!is_near(1.1e-20_f64, 1e-20, 4.0, true) && is_near(1e-20_f64, 1e-20, 4.0, true));
    }
}
