//! The loops around the tiles, for one thread and for several.

use rayon::ThreadPool;
use rayon::prelude::*;

use super::room::Room;
use super::{Blocks, Tile};
use crate::simd::number::Number;

/// Rows of the first matrix and the result, what both share, columns of the second and the result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) rows: usize,
    pub(crate) depth: usize,
    pub(crate) columns: usize,
}

/// A multiplication of some shape, with the memory that it needs on the way, so that repetitions allocate nothing.
pub(crate) struct Product<T: 'static> {
    tile: &'static Tile<T>,
    shape: Shape,
    blocks: Blocks,
    first: Room<T>,
    second: Room<T>,
}

impl<T: Number> Product<T> {
    /// For so many threads.
    pub(crate) fn new(
        tile: &'static Tile<T>,
        shape: Shape,
        caches: [Option<u64>; 3],
        threads: usize,
    ) -> Self {
        let mut blocks = Blocks::new([tile.rows, tile.columns], size_of::<T>(), caches);
        // Every thread has a block of rows, as equal as tiles allow.
        let share = shape.rows.div_ceil(threads.max(1)).next_multiple_of(tile.rows).max(tile.rows);
        blocks.rows = even(share, blocks.rows, tile.rows);
        blocks.depth = even(shape.depth, blocks.depth, 1);
        blocks.columns = blocks.columns.min(shape.columns.next_multiple_of(tile.columns).max(tile.columns));
        let n_blocks = if threads > 1 { shape.rows.div_ceil(blocks.rows) } else { 1 };
        let first = Room::new(n_blocks * blocks.rows * blocks.depth);
        let second = Room::new(blocks.depth * blocks.columns);
        Self { tile, shape, blocks, first, second }
    }

    /// `c = a * b`, by this thread.
    pub(crate) fn multiply(&mut self, a: &[T], b: &[T], c: &mut [T]) {
        self.check(a, b, c);
        c.fill(T::default());
        for part in parts(self.shape, self.blocks) {
            let panel = part.depth * self.tile.columns;
            let from = &b[part.above * self.shape.columns + part.left..];
            (self.tile.pack_columns)(
                from,
                self.shape.columns,
                part.depth,
                part.columns,
                self.second.numbers(),
            );
            let bands = c.chunks_mut(self.blocks.rows * self.shape.columns);
            for (band, c) in bands.enumerate() {
                let block = Block { tile: self.tile, shape: self.shape, part, panel };
                block.add(band * self.blocks.rows, a, self.second.numbers(), c, self.first.numbers());
            }
        }
    }

    /// The same by all threads of a pool.
    pub(crate) fn multiply_together(&mut self, pool: &ThreadPool, a: &[T], b: &[T], c: &mut [T]) {
        self.check(a, b, c);
        let Self { tile, shape, blocks, first, second } = self;
        let (first, second) = (first.numbers(), second.numbers());
        pool.install(|| {
            c.par_chunks_mut(blocks.rows * shape.columns).for_each(|c| c.fill(T::default()));
            for part in parts(*shape, *blocks) {
                let panel = part.depth * tile.columns;
                let n_panels = part.columns.div_ceil(tile.columns);
                second[..n_panels * panel].par_chunks_mut(panel).enumerate().for_each(|(at, to)| {
                    let left = at * tile.columns;
                    let from = &b[part.above * shape.columns + part.left + left..];
                    let columns = tile.columns.min(part.columns - left);
                    (tile.pack_columns)(from, shape.columns, part.depth, columns, to);
                });
                let second = &*second;
                let bands = c.par_chunks_mut(blocks.rows * shape.columns);
                let room = first.par_chunks_mut(blocks.rows * blocks.depth);
                bands.zip(room).enumerate().for_each(|(band, (c, room))| {
                    let block = Block { tile, shape: *shape, part, panel };
                    block.add(band * blocks.rows, a, second, c, room);
                });
            }
        });
    }

    fn check(&self, a: &[T], b: &[T], c: &[T]) {
        let Shape { rows, depth, columns } = self.shape;
        assert_eq!([a.len(), b.len(), c.len()], [rows * depth, depth * columns, rows * columns]);
    }
}

/// As many equal parts as there have to be of at most `most`, each a multiple of `of`.
fn even(n: usize, most: usize, of: usize) -> usize {
    n.div_ceil(n.div_ceil(most).max(1)).next_multiple_of(of).clamp(of, most.max(of))
}

/// A block of the second matrix.
#[derive(Clone, Copy)]
struct Part {
    above: usize,
    left: usize,
    depth: usize,
    columns: usize,
}

fn parts(shape: Shape, blocks: Blocks) -> impl Iterator<Item = Part> {
    (0..shape.columns).step_by(blocks.columns).flat_map(move |left| {
        (0..shape.depth).step_by(blocks.depth).map(move |above| Part {
            above,
            left,
            depth: blocks.depth.min(shape.depth - above),
            columns: blocks.columns.min(shape.columns - left),
        })
    })
}

/// A block of the first matrix times one of the second.
struct Block<T: 'static> {
    tile: &'static Tile<T>,
    shape: Shape,
    part: Part,
    /// Numbers of a panel of the second.
    panel: usize,
}

impl<T: Number> Block<T> {
    /// Adds to `c`, which are the rows of the result from `above` on; `second` is packed, and `room` is for the first.
    fn add(&self, above: usize, a: &[T], second: &[T], c: &mut [T], room: &mut [T]) {
        let Self { tile, shape, part, panel } = self;
        let rows = c.len() / shape.columns;
        let from = &a[above * shape.depth + part.above..];
        (tile.pack_rows)(from, shape.depth, rows, part.depth, room);
        for (at, b) in (0..part.columns).step_by(tile.columns).zip(second.chunks_exact(*panel)) {
            let columns = tile.columns.min(part.columns - at);
            for (row, a) in (0..rows).step_by(tile.rows).zip(room.chunks_exact(part.depth * tile.rows)) {
                let c = &mut c[row * shape.columns + part.left + at..];
                let size = [tile.rows.min(rows - row), columns];
                tile.add(part.depth, [a, b], c, shape.columns, size);
            }
        }
    }
}
