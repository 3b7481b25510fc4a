//! A tile of the result, in registers: the innermost part of a multiplication, where all of its arithmetic is.

#![expect(unsafe_code, reason = "vector instructions, which a processor may not have, read through pointers")]

use super::pack::{pack_columns, pack_rows};
use crate::simd::number::Number;
use crate::simd::vector::Vector;

/// Numbers of the largest tile.
const MOST: usize = 8 * 32;

/// Adds the product of packed `a` (`k` times a column) and packed `b` (`k` times a row) to a tile of `c`, whose rows are
/// `stride` apart.
type Run<T> = unsafe fn(k: usize, a: *const T, b: *const T, c: *mut T, stride: usize);
/// Copies a part of a matrix, whose rows are `stride` apart: so many rows of so many columns.
type Pack<T> = fn(from: &[T], stride: usize, rows: usize, columns: usize, to: &mut [T]);

/// The innermost part of a multiplication, and how it wants its input.
pub(crate) struct Tile<T> {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    run: Run<T>,
    pub(super) pack_rows: Pack<T>,
    pub(super) pack_columns: Pack<T>,
}

impl<T: Number> Tile<T> {
    /// `run` works on tiles of that size.
    pub(crate) const fn new<const ROWS: usize, const COLUMNS: usize>(run: Run<T>) -> Self {
        assert!(ROWS * COLUMNS <= MOST);
        let (pack_rows, pack_columns) = (pack_rows::<T, ROWS>, pack_columns::<T, COLUMNS>);
        Self { rows: ROWS, columns: COLUMNS, run, pack_rows, pack_columns }
    }

    pub(crate) fn address(&self) -> usize {
        self.run as usize
    }

    /// Adds to the upper left `rows` and `columns` of `c`, at most a whole tile.
    pub(super) fn add(
        &self,
        k: usize,
        [a, b]: [&[T]; 2],
        c: &mut [T],
        stride: usize,
        [rows, columns]: [usize; 2],
    ) {
        assert!(a.len() >= k * self.rows && b.len() >= k * self.columns);
        if rows == self.rows && columns == self.columns {
            assert!(columns <= stride && c.len() >= (rows - 1) * stride + columns);
            // SAFETY: all that is read and written is there, as was just checked; tiles are given out only where the
            // processor has their instructions.
            unsafe { (self.run)(k, a.as_ptr(), b.as_ptr(), c.as_mut_ptr(), stride) };
            return;
        }
        let mut whole = [T::default(); MOST];
        // SAFETY: the same; there is room for the largest tile.
        unsafe { (self.run)(k, a.as_ptr(), b.as_ptr(), whole.as_mut_ptr(), self.columns) };
        for (row, from) in whole.chunks_exact(self.columns).take(rows).enumerate() {
            for (to, from) in c[row * stride..][..columns].iter_mut().zip(from) {
                *to = to.plus(*from);
            }
        }
    }
}

/// A tile of so many rows and so many vectors across.
///
/// # Safety
/// As for [`Vector`]; `a` has `k * ROWS` numbers, `b` has `k` times `VECTORS` vectors, and `c` has all rows.
#[inline(always)]
pub(crate) unsafe fn tile<V: Vector, const ROWS: usize, const VECTORS: usize>(
    k: usize,
    mut a: *const V::Number,
    mut b: *const V::Number,
    c: *mut V::Number,
    stride: usize,
) {
    // SAFETY: see above.
    unsafe {
        // Rows of the result lie far apart, and nobody foresees them: they come while the tile is computed.
        for row in 0..ROWS {
            V::soon(c.add(row * stride));
        }
        let mut sums = [[V::splat(V::Number::default()); VECTORS]; ROWS];
        for _ in 0..k {
            let mut row = [V::splat(V::Number::default()); VECTORS];
            for (at, vector) in row.iter_mut().enumerate() {
                *vector = V::load(b.add(at * V::LANES));
            }
            for (at, sums) in sums.iter_mut().enumerate() {
                let number = V::splat(*a.add(at));
                for (sum, vector) in sums.iter_mut().zip(row) {
                    *sum = number.mul_add(vector, *sum);
                }
            }
            a = a.add(ROWS);
            b = b.add(VECTORS * V::LANES);
        }
        for (row, sums) in sums.iter().enumerate() {
            for (at, sum) in sums.iter().enumerate() {
                let to = c.add(row * stride + at * V::LANES);
                V::load(to).add(*sum).store(to);
            }
        }
    }
}
