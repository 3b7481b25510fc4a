//! Rows times a matrix, which is where a model spends most of its time.
//!
//! One row, as when a token is written, reads every weight once and uses it once: a loop of our own, on one thread or on
//! several that share the outputs. Several rows, as when a prompt is read, are what the `gemm` crate is for, which candle
//! multiplies with too.

#![expect(unsafe_code, reason = "the gemm crate takes pointers")]

use gemm::Parallelism;

use super::vector;
use super::workers::Workers;

/// What becomes of a product.
#[derive(Clone, Copy)]
pub(super) enum After<'a> {
    Nothing,
    /// The bias is added to it.
    Bias(&'a [f32]),
    /// The same, and both are added to what was there.
    Add(&'a [f32]),
}

impl<'a> After<'a> {
    /// What becomes of some of the outputs.
    fn part(self, first: usize, n: usize) -> Self {
        let part = |bias: &'a [f32]| &bias[first..first + n];
        match self {
            Self::Nothing => Self::Nothing,
            Self::Bias(bias) => Self::Bias(part(bias)),
            Self::Add(bias) => Self::Add(part(bias)),
        }
    }
}

/// Multiplies every row of `x` by a matrix of outputs × inputs, which tells the number of rows.
pub(super) fn multiply(
    matrix: &[f32],
    inputs: usize,
    x: &[f32],
    after: After<'_>,
    y: &mut [f32],
    workers: &Workers,
) {
    let (outputs, rows) = (matrix.len() / inputs, x.len() / inputs);
    assert!(x.len() == rows * inputs && y.len() == rows * outputs, "rows are as long as the matrix says");
    match rows {
        0 => {}
        1 => one_row(matrix, x, after, y, workers),
        _ => many_rows(matrix, [rows, inputs, outputs], x, after, y, workers),
    }
}

fn one_row(matrix: &[f32], x: &[f32], after: After<'_>, y: &mut [f32], workers: &Workers) {
    workers.share_out(y, size_of_val(matrix), |first, y| {
        let matrix = &matrix[first * x.len()..][..y.len() * x.len()];
        match after.part(first, y.len()) {
            After::Nothing => vector::multiply(matrix, x, 1.0, y),
            After::Bias(bias) => vector::multiply_bias(matrix, x, bias, y),
            After::Add(bias) => vector::multiply_add(matrix, x, bias, y),
        }
    });
}

fn many_rows(
    matrix: &[f32],
    [rows, inputs, outputs]: [usize; 3],
    x: &[f32],
    after: After<'_>,
    y: &mut [f32],
    workers: &Workers,
) {
    let is_added = matches!(after, After::Add(_));
    let parallelism = match workers.threads() {
        1 => Parallelism::None,
        threads => Parallelism::Rayon(threads),
    };
    // SAFETY: the caller has seen to it that x has rows × inputs numbers, y rows × outputs and the matrix outputs × inputs;
    // the steps below stay within those, and y is borrowed alone.
    unsafe {
        gemm::gemm(
            rows,
            outputs,
            inputs,
            y.as_mut_ptr(),
            1,
            outputs as isize,
            is_added,
            x.as_ptr(),
            1,
            inputs as isize,
            matrix.as_ptr(),
            inputs as isize,
            1,
            1.0,
            1.0,
            false,
            false,
            false,
            parallelism,
        );
    }
    if let After::Bias(bias) | After::Add(bias) = after {
        for row in y.chunks_exact_mut(outputs) {
            for (value, bias) in row.iter_mut().zip(bias) {
                *value += bias;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    fn check(workers: &Workers, [rows, inputs, outputs]: [usize; 3]) {
        let mut random = Random::new(5);
        let mut numbers = |n: usize| (0..n).map(|_| random.normal(1.0)).collect::<Vec<f32>>();
        let (matrix, x, bias, before) =
            (numbers(outputs * inputs), numbers(rows * inputs), numbers(outputs), numbers(rows * outputs));
        let whole = |after: After<'_>| {
            let mut y = before.clone();
            multiply(&matrix, inputs, &x, after, &mut y, workers);
            y
        };
        let (plain, biased, added) =
            (whole(After::Nothing), whole(After::Bias(&bias)), whole(After::Add(&bias)));
        for row in 0..rows {
            for output in 0..outputs {
                let weights = &matrix[output * inputs..][..inputs];
                let products = x[row * inputs..][..inputs].iter().zip(weights);
                let product: f64 = products.map(|(x, weight)| f64::from(*x) * f64::from(*weight)).sum();
                let at = row * outputs + output;
                let bias = f64::from(bias[output]);
                for (found, expected) in [
                    (plain[at], product),
                    (biased[at], product + bias),
                    (added[at], product + bias + f64::from(before[at])),
                ] {
                    assert!(
                        (f64::from(found) - expected).abs() < 1e-4,
                        "{rows}x{inputs}x{outputs}: {found} {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn products_are_right_for_any_sizes_on_one_thread_and_on_several() {
        for threads in [1, 3] {
            let workers = Workers::new(threads).expect("threads can be started");
            for sizes in [[1, 1, 1], [1, 7, 5], [2, 16, 16], [3, 9, 33], [5, 32, 48], [1, 300, 500]] {
                check(&workers, sizes);
            }
        }
    }
}
