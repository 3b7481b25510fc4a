//! Operations on floating-point numbers by formula: one for each element of an elementwise operation, one for each element of a
//! reduction, twice the product of the sides for products of matrices, and the usual counts of linear algebra and of Fourier
//! transforms. Factorisations that iterate are estimates.

use super::layout::Array;
use super::operation::{Operation, Origin};
use super::work::Arrays;

/// Elementwise operations that only choose, compare or move.
const MOVES: [&str; 14] = [
    "conjugate",
    "copysign",
    "fmax",
    "fmin",
    "maximum",
    "minimum",
    "nextafter",
    "positive",
    "rint",
    "ceil",
    "floor",
    "trunc",
    "frexp",
    "ldexp",
];

/// The operations of a call; 0 where none are known.
pub(super) fn of(operation: &Operation, arrays: &Arrays) -> u64 {
    let name = operation.name.as_str();
    let largest = arrays.inputs.iter().map(|array| array.len()).max().unwrap_or(0);
    let results_len: u64 = arrays.results.iter().map(|array| array.len()).sum();
    let n = largest.max(results_len);
    let is_complex = arrays.inputs.iter().chain(&arrays.results).any(|array| array.kind() == b'c');
    let is_floating =
        is_complex || arrays.inputs.iter().chain(&arrays.results).any(|array| array.kind() == b'f');
    // Operations on integers are none.
    if !is_floating {
        return 0;
    }
    let bare = name.rsplit('.').next().unwrap_or(name);
    let product = |flops: f64| rounded(flops * if is_complex { 4.0 } else { 1.0 });
    match operation.origin {
        Origin::GetItem | Origin::SetItem | Origin::Random => return 0,
        Origin::Generalised { .. } => {
            return product(products(bare, arrays).unwrap_or_else(|| algebra(bare, arrays)));
        }
        Origin::Function | Origin::Method => {
            if let Some(flops) = products(bare, arrays) {
                return product(flops);
            }
            if name.starts_with("linalg.") {
                return product(algebra(bare, arrays));
            }
            if name.starts_with("fft.") {
                return fourier(bare, arrays);
            }
        }
        _ => {}
    }
    let each = match (bare, is_complex) {
        ("multiply", true) => 6,
        ("divide" | "true_divide", true) => 11,
        (_, true) => 2,
        _ => 1,
    };
    let operations = match operation.origin {
        Origin::Ufunc { .. } if MOVES.contains(&bare) || !arrays.results.iter().any(is_float) => 0,
        Origin::Ufunc { .. } => n,
        Origin::UfuncMethod if MOVES.iter().any(|moves| name.starts_with(moves)) => 0,
        Origin::UfuncMethod => n,
        _ => match bare {
            "sum" | "nansum" | "mean" | "nanmean" | "average" | "prod" | "nanprod" | "cumsum" | "cumprod"
            | "trapezoid" | "trapz" | "diff" | "ediff1d" => n,
            "var" | "nanvar" | "std" | "nanstd" => 4 * n,
            "round" | "around" => n,
            "convolve" | "correlate" => 2 * overlaps(arrays),
            "linspace" | "logspace" | "geomspace" => results_len,
            _ => 0,
        },
    };
    operations.saturating_mul(each)
}

/// Products of a convolution: each element of the result has as many as both overlap there. The result lacks the ends that
/// its mode leaves out.
fn overlaps(arrays: &Arrays) -> u64 {
    let ([a, b, ..], [result]) = (&arrays.inputs[..], &arrays.results[..]) else { return 0 };
    let (long, short) = (a.len().max(b.len()), a.len().min(b.len()));
    let n_left_out = (long + short).saturating_sub(1).saturating_sub(result.len());
    let (before, after) = (n_left_out / 2, n_left_out - n_left_out / 2);
    let triangle = |n: u64| n * (n + 1) / 2;
    (long * short).saturating_sub(triangle(before) + triangle(after))
}

fn is_float(array: &Array) -> bool {
    matches!(array.kind(), b'f' | b'c')
}

/// Products of matrices and vectors; `None` for anything else.
fn products(name: &str, arrays: &Arrays) -> Option<f64> {
    let len = |at: usize| arrays.inputs.get(at).map_or(1.0, |array| array.len() as f64);
    let last = |at: usize, back: usize| {
        let axes = arrays.inputs.get(at).map_or(&[][..], |array| array.dimensions());
        axes.len().checked_sub(back).and_then(|at| axes.get(at)).map_or(1.0, |n| *n as f64)
    };
    let result: f64 = arrays.results.iter().map(|array| array.len() as f64).sum::<f64>().max(1.0);
    match name {
        "matmul" | "dot" | "inner" | "matvec" | "vecmat" => Some(2.0 * result * last(0, 1)),
        "vdot" | "vecdot" => Some(2.0 * len(0)),
        "outer" => Some(result),
        "kron" => Some(result),
        // Summed over every index that the result has not: the square root of what both have and it has not.
        "tensordot" => Some(2.0 * (len(0) * len(1) * result).sqrt()),
        _ => None,
    }
}

/// Linear algebra on the last two axes.
fn algebra(name: &str, arrays: &Arrays) -> f64 {
    let Some(matrix) = arrays.inputs.first() else { return 0.0 };
    let [.., m, n] = matrix.dimensions() else {
        return if name.starts_with("norm") { 2.0 * matrix.len() as f64 } else { 0.0 };
    };
    let (m, n) = (*m as f64, *n as f64);
    let batch = matrix.len() as f64 / (m * n).max(1.0);
    let (long, short) = (m.max(n), m.min(n));
    let right_sides =
        arrays.inputs.get(1).map_or(0.0, |other| other.len() as f64 / n.max(1.0) / batch.max(1.0));
    let each = match name {
        "solve" | "solve1" => 2.0 / 3.0 * n.powi(3) + 2.0 * n * n * right_sides,
        "inv" => 2.0 * n.powi(3),
        "det" | "slogdet" => 2.0 / 3.0 * n.powi(3),
        "cholesky" | "cholesky_lo" | "cholesky_up" => n.powi(3) / 3.0,
        "qr" | "qr_r_raw" | "qr_reduced" | "qr_complete" => {
            2.0 * long * short * short - 2.0 / 3.0 * short.powi(3)
        }
        "lstsq" => 2.0 * long * short * short,
        // Estimates: these iterate.
        "svd" | "svd_f" | "svd_s" | "pinv" => 4.0 * long * short * short + 8.0 * short.powi(3),
        "svdvals" | "svd_n" | "matrix_rank" | "cond" => {
            4.0 * long * short * short - 4.0 / 3.0 * short.powi(3)
        }
        "eig" => 25.0 * n.powi(3),
        "eigvals" => 10.0 * n.powi(3),
        "eigh" | "eigh_lo" | "eigh_up" => 9.0 * n.powi(3),
        "eigvalsh" | "eigvalsh_lo" | "eigvalsh_up" => 4.0 / 3.0 * n.powi(3),
        "norm" => 2.0 * m * n,
        _ => 0.0,
    };
    each * batch
}

/// Fourier transforms along the last axis, or over all of those of several dimensions: 5 n log2 n, half of it for real numbers.
fn fourier(name: &str, arrays: &Arrays) -> u64 {
    let transformed = |array: &Array| -> f64 {
        let len = array.len() as f64;
        let along = match name {
            "fft2" | "ifft2" | "rfft2" | "irfft2" => {
                array.dimensions().iter().rev().take(2).product::<i64>() as f64
            }
            _ if name.ends_with('n') => len,
            _ => array.dimensions().last().map_or(1.0, |n| *n as f64),
        };
        5.0 * len * along.max(1.0).log2()
    };
    let is_real = name.starts_with(['r', 'h']) || name.starts_with("ir") || name.starts_with("ih");
    let is_transform = name.trim_end_matches(['2', 'n']).ends_with("fft");
    let longest = arrays.inputs.iter().take(1).chain(&arrays.results).max_by_key(|array| array.len());
    match longest {
        Some(array) if is_transform => rounded(transformed(array) * if is_real { 0.5 } else { 1.0 }),
        _ => 0,
    }
}

fn rounded(flops: f64) -> u64 {
    flops.max(0.0).round() as u64
}
