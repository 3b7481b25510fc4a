//! How large the parts are that are worked on at a time: a panel of the second matrix stays in the first cache where that is
//! large enough, a block of the first one in the second, and a block of the second one in the last.

/// Bytes of the caches of one core where the system does not tell: what small processors of today have.
const USUAL: [u64; 3] = [32 << 10, 512 << 10, 4 << 20];
/// Larger blocks do not help, and take memory.
const MOST_COLUMNS: usize = 4096;
const MOST_ROWS: usize = 768;
const MOST_DEPTH: usize = 512;
/// Each part of the depth reads and writes all of the result once more, far apart. Of 1024 rows with vectors of 512 bits on a
/// processor with 32 KiB of first cache (AMD EPYC, Zen 4), parts of 384 gave 98 GFLOP/s, 256 gave 92 and 128, which fit into
/// half of that cache, 87: panels that come from the second cache cost less.
const LEAST_DEPTH: usize = 384;

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
        let depth = whole(room(0) / (columns * number), 8, MOST_DEPTH).max(LEAST_DEPTH);
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
    fn blocks_fit_into_half_of_their_cache_are_whole_tiles_and_never_shallow() {
        let caches = [Some(64 << 10), Some(1 << 20), Some(32 << 20)];
        assert_eq!(Blocks::new([6, 16], 4, caches), Blocks { rows: 252, depth: 512, columns: 4096 });
        let caches = [Some(48 << 10), Some(1 << 20), Some(8 << 20)];
        assert_eq!(Blocks::new([6, 8], 8, caches), Blocks { rows: 168, depth: 384, columns: 1360 });
        assert_eq!(Blocks::new([8, 32], 4, caches), Blocks { rows: 336, depth: 384, columns: 2720 });
        let tiny = Blocks::new([6, 16], 4, [Some(1), Some(1), Some(1)]);
        assert_eq!(tiny, Blocks { rows: 6, depth: 384, columns: 16 });
        assert_eq!(Blocks::new([4, 2], 4, [None; 3]).depth, 512);
    }
}
