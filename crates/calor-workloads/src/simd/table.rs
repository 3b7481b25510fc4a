//! The kernels of one set of instructions, as a table of functions: chosen once at run time, and callable without further
//! care, because a table is given out only where the processor has its instructions.

#![expect(unsafe_code, reason = "functions of instructions that a processor may not have")]

use super::gemm::Tile;
use super::number::Number;
use super::{Kernel, Level, kernels};

type Layers<T> = unsafe fn(&[T], &[T], &[T], &mut [T]);

/// Functions of one level for numbers of one size.
pub(crate) struct Table<T: 'static> {
    pub(crate) level: Level,
    sum: unsafe fn(&[T]) -> T,
    dot: unsafe fn(&[T], &[T]) -> T,
    axpy: unsafe fn(T, &[T], &mut [T]),
    gelu: unsafe fn(&[T], &mut [T]),
    softmax: unsafe fn(&[T], &mut [T], usize),
    layer_norm: Layers<T>,
    pub(crate) tile: Tile<T>,
    /// The kernels that are made of this level's instructions; others are those of the level below.
    own: &'static [Kernel],
}

/// Numbers that have tables.
pub(crate) trait Tabled: Number {
    fn tables() -> &'static [Table<Self>];
}

impl<T: Tabled> Table<T> {
    /// The functions of a level; `None` where the processor does not have it.
    pub(crate) fn at(level: Level) -> Option<&'static Self> {
        T::tables().iter().find(|table| table.level == level && level.is_here())
    }

    /// The widest vectors that this processor has for a kernel, which need not be the quickest.
    pub(crate) fn widest(kernel: Kernel) -> &'static Self {
        let fits = |table: &&Self| table.level.is_here() && table.own.contains(&kernel);
        T::tables().iter().rev().find(fits).expect("plain functions are everywhere")
    }

    /// Whether a kernel is made of this level's instructions.
    pub(crate) fn has(&self, kernel: Kernel) -> bool {
        self.own.contains(&kernel)
    }

    /// Where the code of a kernel begins; of a multiplication, that of its innermost part.
    pub(crate) fn address(&self, kernel: Kernel) -> usize {
        match kernel {
            Kernel::Matmul => self.tile.address(),
            Kernel::Softmax => self.softmax as usize,
            Kernel::Gelu => self.gelu as usize,
            Kernel::LayerNorm => self.layer_norm as usize,
            Kernel::Dot => self.dot as usize,
            Kernel::Saxpy => self.axpy as usize,
            Kernel::Sum => self.sum as usize,
        }
    }

    pub(crate) fn sum(&self, x: &[T]) -> T {
        // SAFETY: the processor has the instructions: `at` and `widest` have asked it.
        unsafe { (self.sum)(x) }
    }

    pub(crate) fn dot(&self, x: &[T], y: &[T]) -> T {
        assert_eq!(x.len(), y.len());
        // SAFETY: the processor has the instructions, and both have the same length.
        unsafe { (self.dot)(x, y) }
    }

    pub(crate) fn axpy(&self, factor: T, x: &[T], y: &mut [T]) {
        assert_eq!(x.len(), y.len());
        // SAFETY: the processor has the instructions, and both have the same length.
        unsafe { (self.axpy)(factor, x, y) }
    }

    pub(crate) fn gelu(&self, x: &[T], y: &mut [T]) {
        assert_eq!(x.len(), y.len());
        // SAFETY: the processor has the instructions, and both have the same length.
        unsafe { (self.gelu)(x, y) }
    }

    pub(crate) fn softmax(&self, x: &[T], y: &mut [T], width: usize) {
        assert!(width > 0 && x.len() == y.len());
        // SAFETY: the processor has the instructions, and both have the same length.
        unsafe { (self.softmax)(x, y, width) }
    }

    pub(crate) fn layer_norm(&self, x: &[T], gain: &[T], bias: &[T], y: &mut [T]) {
        assert!(!gain.is_empty() && gain.len() == bias.len() && x.len() == y.len());
        // SAFETY: the processor has the instructions, and those that belong together have the same length.
        unsafe { (self.layer_norm)(x, gain, bias, y) }
    }
}

/// A module of functions with some instructions switched on, and their table.
macro_rules! level {
    ($module:ident, $(#[$features:meta])?, $number:ty, $vector:ty, $level:expr, $rows:literal, $vectors:literal) => {
        mod $module {
            use super::*;
            use crate::simd::gemm::tile;
            #[allow(unused_imports, reason = "plain numbers are vectors of one")]
            use crate::simd::vector::*;

            pub(super) const TABLE: Table<$number> = Table {
                level: $level,
                sum,
                dot,
                axpy,
                gelu,
                softmax,
                layer_norm,
                tile: Tile::new::<$rows, { $vectors * <$vector as Vector>::LANES }>(product),
                own: &Kernel::ALL,
            };

            $(#[$features])?
            unsafe fn sum(x: &[$number]) -> $number {
                // SAFETY: the instructions are switched on here, and whoever calls knows that they are there.
                unsafe { kernels::sum::<$vector>(x) }
            }
            $(#[$features])?
            unsafe fn dot(x: &[$number], y: &[$number]) -> $number {
                // SAFETY: the same, and both have the same length.
                unsafe { kernels::dot::<$vector>(x, y) }
            }
            $(#[$features])?
            unsafe fn axpy(factor: $number, x: &[$number], y: &mut [$number]) {
                // SAFETY: the same, and both have the same length.
                unsafe { kernels::axpy::<$vector>(factor, x, y) }
            }
            $(#[$features])?
            unsafe fn gelu(x: &[$number], y: &mut [$number]) {
                // SAFETY: the same, and both have the same length.
                unsafe { kernels::gelu::<$vector>(x, y) }
            }
            $(#[$features])?
            unsafe fn softmax(x: &[$number], y: &mut [$number], width: usize) {
                // SAFETY: the same, and both have the same length.
                unsafe { kernels::softmax::<$vector>(x, y, width) }
            }
            $(#[$features])?
            unsafe fn layer_norm(x: &[$number], gain: &[$number], bias: &[$number], y: &mut [$number]) {
                // SAFETY: the same, and those that belong together have the same length.
                unsafe { kernels::layer_norm::<$vector>(x, gain, bias, y) }
            }
            $(#[$features])?
            unsafe fn product(k: usize, a: *const $number, b: *const $number, c: *mut $number, stride: usize) {
                // SAFETY: the same, and the tile's caller has checked that all of it is there.
                unsafe { tile::<$vector, $rows, $vectors>(k, a, b, c, stride) }
            }
        }
    };
}

level!(plain_f32, , f32, f32, Level::Plain, 4, 2);
level!(plain_f64, , f64, f64, Level::Plain, 4, 2);
#[cfg(target_arch = "x86_64")]
level!(sse2_f32, #[target_feature(enable = "sse2")], f32, SseF32, Level::Sse2, 4, 2);
#[cfg(target_arch = "x86_64")]
level!(sse2_f64, #[target_feature(enable = "sse2")], f64, SseF64, Level::Sse2, 4, 2);
#[cfg(target_arch = "x86_64")]
level!(avx2_f32, #[target_feature(enable = "avx2,fma")], f32, Avx2F32, Level::Avx2, 6, 2);
#[cfg(target_arch = "x86_64")]
level!(avx2_f64, #[target_feature(enable = "avx2,fma")], f64, Avx2F64, Level::Avx2, 6, 2);
#[cfg(target_arch = "aarch64")]
level!(neon_f32, #[target_feature(enable = "neon")], f32, Neon32, Level::Neon, 6, 4);
#[cfg(target_arch = "aarch64")]
level!(neon_f64, #[target_feature(enable = "neon")], f64, Neon64, Level::Neon, 6, 4);

/// Vectors of 512 bits: multiplication alone has code of its own.
#[cfg(target_arch = "x86_64")]
macro_rules! wide {
    ($below:ident, $product:ident, $columns:literal) => {
        Table {
            level: Level::Avx512,
            tile: Tile::new::<8, $columns>(crate::simd::gemm::$product),
            own: &[Kernel::Matmul],
            ..$below::TABLE
        }
    };
}

impl Tabled for f32 {
    fn tables() -> &'static [Table<Self>] {
        static TABLES: &[Table<f32>] = &[
            plain_f32::TABLE,
            #[cfg(target_arch = "x86_64")]
            sse2_f32::TABLE,
            #[cfg(target_arch = "aarch64")]
            neon_f32::TABLE,
            #[cfg(target_arch = "x86_64")]
            avx2_f32::TABLE,
            #[cfg(target_arch = "x86_64")]
            wide!(avx2_f32, wide_f32, 32),
        ];
        TABLES
    }
}

impl Tabled for f64 {
    fn tables() -> &'static [Table<Self>] {
        static TABLES: &[Table<f64>] = &[
            plain_f64::TABLE,
            #[cfg(target_arch = "x86_64")]
            sse2_f64::TABLE,
            #[cfg(target_arch = "aarch64")]
            neon_f64::TABLE,
            #[cfg(target_arch = "x86_64")]
            avx2_f64::TABLE,
            #[cfg(target_arch = "x86_64")]
            wide!(avx2_f64, wide_f64, 16),
        ];
        TABLES
    }
}
