//! Copies parts of matrices into the order in which tiles read them. What is missing in the last panel is 0, so that tiles
//! are always whole.

use crate::simd::number::Number;

/// Numbers of a row that are copied before the next row's: those of a line of the cache. Rows that lie a power of two apart
/// have their lines in the same places of the first cache, and one by one they would push each other out.
const LINE: usize = 16;

/// Panels of `ROWS` rows, each column by column.
pub(super) fn pack_rows<T: Number, const ROWS: usize>(
    from: &[T],
    stride: usize,
    rows: usize,
    columns: usize,
    to: &mut [T],
) {
    for (panel, to) in to.chunks_exact_mut(ROWS * columns).take(rows.div_ceil(ROWS)).enumerate() {
        let first = panel * ROWS;
        let n = ROWS.min(rows - first);
        let (columns_of_panel, _) = to.as_chunks_mut::<ROWS>();
        for (part, to) in columns_of_panel.chunks_mut(LINE).enumerate() {
            for row in 0..n {
                let line = &from[(first + row) * stride + part * LINE..][..to.len()];
                for (to, number) in to.iter_mut().zip(line) {
                    to[row] = *number;
                }
            }
            to.iter_mut().for_each(|column| column[n..].fill(T::default()));
        }
    }
}

/// Panels of `COLUMNS` columns, each row by row.
pub(super) fn pack_columns<T: Number, const COLUMNS: usize>(
    from: &[T],
    stride: usize,
    rows: usize,
    columns: usize,
    to: &mut [T],
) {
    for (panel, to) in to.chunks_exact_mut(COLUMNS * rows).take(columns.div_ceil(COLUMNS)).enumerate() {
        let first = panel * COLUMNS;
        let n = COLUMNS.min(columns - first);
        let (rows_of_panel, _) = to.as_chunks_mut::<COLUMNS>();
        for (row, to) in rows_of_panel.iter_mut().enumerate() {
            let from = &from[row * stride + first..][..n];
            match from.first_chunk::<COLUMNS>() {
                Some(whole) => *to = *whole,
                None => {
                    to[..n].copy_from_slice(from);
                    to[n..].fill(T::default());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_are_in_the_order_of_use_and_filled_up_with_zeros() {
        // 3 rows of 5, of which 4 columns are taken.
        let from: Vec<f32> = (1..=15_u8).map(f32::from).collect();
        let mut to = [9.0; 16];
        pack_rows::<f32, 2>(&from, 5, 3, 4, &mut to);
        assert_eq!(to, [1., 6., 2., 7., 3., 8., 4., 9., 11., 0., 12., 0., 13., 0., 14., 0.]);
        let mut to = [9.0; 18];
        pack_columns::<f32, 3>(&from, 5, 3, 4, &mut to);
        assert_eq!(to, [1., 2., 3., 6., 7., 8., 11., 12., 13., 4., 0., 0., 9., 0., 0., 14., 0., 0.]);
    }
}
