//! The programs. Each is a function of a size, written as somebody would write it who does not think of forecasts, and does
//! so much at each size that it takes milliseconds.

mod grid;
mod table;
mod text;
mod vector;

/// A program.
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Runs it and returns something that depends on all that it did.
    pub(crate) run: fn(usize) -> u64,
    /// The sizes that are measured.
    pub(crate) sizes: [usize; 5],
}

impl Kernel {
    pub(crate) fn largest(&self) -> usize {
        self.sizes[4]
    }
}

const fn kernel(name: &'static str, about: &'static str, run: fn(usize) -> u64, sizes: [usize; 5]) -> Kernel {
    Kernel { name, about, run, sizes }
}

const K: usize = 1_000;

pub(crate) const KERNELS: [Kernel; 18] = [
    kernel("axpy", "y += a x, 3,000 passes", vector::axpy, [20 * K, 40 * K, 60 * K, 80 * K, 120 * K]),
    kernel(
        "axpy-large",
        "the same, 30 passes over far more",
        vector::axpy_large,
        [400 * K, 800 * K, 1_200 * K, 2_000 * K, 3_000 * K],
    ),
    kernel(
        "gather",
        "a table read in random order, 100 passes",
        vector::gather,
        [20 * K, 40 * K, 60 * K, 80 * K, 100 * K],
    ),
    kernel(
        "fft",
        "a Fourier transform, 40 times",
        vector::fft,
        [1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14],
    ),
    kernel(
        "all-pairs",
        "forces between all pairs of bodies",
        vector::all_pairs,
        [400, 700, 1_000, 1_300, 1_600],
    ),
    kernel("transpose", "a square matrix turned, 160 times", grid::transpose, [128, 192, 256, 384, 448]),
    kernel("gemm", "a product of square matrices, twice", grid::gemm, [64, 96, 128, 192, 256]),
    kernel("matvec", "a square matrix times a vector, 400 times", grid::matvec, [128, 192, 256, 384, 512]),
    kernel(
        "attention",
        "softmax(Q K) V with 64 channels, 4 times",
        grid::attention,
        [96, 128, 192, 256, 320],
    ),
    kernel(
        "edit-distance",
        "between two texts, by two rows",
        grid::edit_distance,
        [800, 1_200, 1_600, 2_400, 3_200],
    ),
    kernel(
        "sort",
        "random numbers sorted, 4 times",
        table::sort,
        [50 * K, 100 * K, 150 * K, 200 * K, 300 * K],
    ),
    kernel(
        "hash-map",
        "random keys put into a map and looked up",
        table::hash_map,
        [40 * K, 60 * K, 80 * K, 120 * K, 160 * K],
    ),
    kernel(
        "b-tree",
        "random keys put into an ordered map and walked through",
        table::b_tree,
        [40 * K, 60 * K, 80 * K, 120 * K, 160 * K],
    ),
    kernel(
        "warm-start",
        "a sieve of fixed size, then so many questions to it",
        table::warm_start,
        [100 * K, 200 * K, 400 * K, 600 * K, 800 * K],
    ),
    kernel(
        "strings",
        "lines formatted one after the other",
        text::strings,
        [40 * K, 60 * K, 80 * K, 120 * K, 160 * K],
    ),
    kernel(
        "tokenizer",
        "text cut into words, words into numbers",
        text::tokenizer,
        [200 * K, 400 * K, 600 * K, 800 * K, 1_200 * K],
    ),
    kernel(
        "compressor",
        "repetitions found by hashes of four bytes",
        text::compressor,
        [400 * K, 800 * K, 1_200 * K, 1_600 * K, 2_400 * K],
    ),
    kernel(
        "log-lines",
        "lines parsed and summed up by key",
        text::log_lines,
        [10 * K, 20 * K, 30 * K, 40 * K, 60 * K],
    ),
];
