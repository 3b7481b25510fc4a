//! Multiplication as it is written down first, and as a compiler can do something with it.

use super::number::Number;

/// Rows and columns of a block: three of them are below 64 KiB with either size of numbers.
const BLOCK: usize = 48;

/// Row by column, as in the definition.
#[inline(never)]
pub(crate) fn naive<T: Number>(n: usize, a: &[T], b: &[T], c: &mut [T]) {
    for (row, to) in c.chunks_exact_mut(n).enumerate() {
        for (column, to) in to.iter_mut().enumerate() {
            let mut sum = T::default();
            for (at, number) in a[row * n..][..n].iter().enumerate() {
                sum = sum.plus(number.times(b[at * n + column]));
            }
            *to = sum;
        }
    }
}

/// In blocks that stay in the cache, and row by row, so that the innermost loop is one that compilers vectorise.
#[inline(never)]
pub(crate) fn blocked<T: Number>(n: usize, a: &[T], b: &[T], c: &mut [T]) {
    c.fill(T::default());
    for above in (0..n).step_by(BLOCK) {
        for left in (0..n).step_by(4 * BLOCK) {
            let right = (left + 4 * BLOCK).min(n);
            for row in 0..n {
                let to = &mut c[row * n + left..row * n + right];
                for at in above..(above + BLOCK).min(n) {
                    add_multiple(a[row * n + at], &b[at * n + left..at * n + right], to);
                }
            }
        }
    }
}

/// The innermost loop of [`blocked`], where its vectors are looked for.
#[inline(never)]
pub(crate) fn add_multiple<T: Number>(factor: T, from: &[T], to: &mut [T]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = to.plus(factor.times(*from));
    }
}
