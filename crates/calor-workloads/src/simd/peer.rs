//! The `gemm` crate: a good multiplication written in Rust, to hold ours against.

#![expect(unsafe_code, reason = "it takes pointers")]

use super::number::Number;

/// `c = a * b` of square matrices, row after row, on this thread.
pub(crate) fn multiply<T: Number>(n: usize, a: &[T], b: &[T], c: &mut [T]) {
    assert!([a.len(), b.len(), c.len()] == [n * n; 3]);
    let rows = isize::try_from(n).expect("sizes are bounded");
    // SAFETY: all three have that many rows and columns, with 1 from column to column and `n` from row to row. What is in
    // `c` is not read.
    unsafe {
        gemm::gemm(
            n,
            n,
            n,
            c.as_mut_ptr(),
            1,
            rows,
            false,
            a.as_ptr(),
            1,
            rows,
            b.as_ptr(),
            1,
            rows,
            T::default(),
            T::ONE,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}
