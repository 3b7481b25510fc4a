//! How large the parts are that are worked on at a time: a panel of the second matrix stays in the first cache, a block of the
//! first one in the second, and a block of the second one in the last.

/// Bytes of the caches of one core where the system does not tell: what small processors of today have.
const USUAL: [u64; 3] = [32 << 10, 512 << 10, 4 << 20];
/// Larger blocks do not help, and take memory.
const MOST_COLUMNS: usize = 4096;
const MOST_ROWS: usize = 768;

/// Numbers of a block in each direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Blocks {
    /// Rows of the first matrix.
    pub(crate) rows: usize,
    /// Of the first one's columns, and the second one's rows.
    pub(crate) depth: usize,
    /// Columns of the second matrix.
    pub(crate) columns: usize,
}

impl Blocks {
    /// For tiles of a size, numbers of so many bytes, and caches of so many bytes each.
    pub(crate) fn new([rows, columns]: [usize; 2], number: usize, caches: [Option<u64>; 3]) -> Self {
        let room = |level: usize| (caches[level].unwrap_or(USUAL[level]) / 2) as usize;
        let whole = |n: usize, of: usize, most: usize| (n.min(most) / of).max(1) * of;
        let depth = whole(room(0) / (columns * number), 8, 512).max(64);
        Self {
            rows: whole(room(1) / (depth * number), rows, MOST_ROWS),
            depth,
            columns: whole(room(2) / (depth * number), columns, MOST_COLUMNS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_fit_into_half_of_their_cache_and_are_whole_tiles() {
        let caches = [Some(32 << 10), Some(1 << 20), Some(32 << 20)];
        assert_eq!(Blocks::new([6, 16], 4, caches), Blocks { rows: 510, depth: 256, columns: 4096 });
        assert_eq!(Blocks::new([6, 8], 8, caches), Blocks { rows: 252, depth: 256, columns: 4096 });
        let tiny = Blocks::new([6, 16], 4, [Some(1), Some(1), Some(1)]);
        assert_eq!(tiny, Blocks { rows: 6, depth: 64, columns: 16 });
        assert_eq!(Blocks::new([4, 2], 4, [None; 3]).depth, 512);
    }
}
