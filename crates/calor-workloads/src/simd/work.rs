//! What a kernel does at a size: operations, bytes, and the memory it takes.

use calor_report::MachineRoof;

use super::{Choice, Dtype, Kernel};

/// Operations of the exponential function, as `kernels::exp` does them: two bounds, eight of the reduction and the scaling,
/// and two for each term of the series.
fn exp_flops(dtype: Dtype) -> u64 {
    match dtype {
        Dtype::F32 => 10 + 2 * 7,
        Dtype::F64 => 10 + 2 * 13,
    }
}

/// Bytes of the caches and main memory that are passed over where the machine was not measured.
const USUAL_TIERS: [u64; 4] = [16 << 10, 256 << 10, 4 << 20, 64 << 20];
/// How much is passed over to be in main memory: several times the last cache, within bounds.
const MEMORY: [u64; 2] = [64 << 20, 256 << 20];
/// A repetition passes over so much, or does so many operations, so that its time is more than the clock's own.
const LEAST_BYTES: u64 = 4 << 20;
const LEAST_FLOPS: u64 = 1 << 24;

impl Kernel {
    /// Operations on floating-point numbers at a size; a fused one is two.
    pub(crate) fn flops(self, dtype: Dtype, size: usize) -> u64 {
        let numbers = (size * size) as u64;
        match self {
            Self::Matmul => 2 * numbers * size as u64,
            // The largest, the difference, the sum, the quotient.
            Self::Softmax => numbers * (4 + exp_flops(dtype)),
            Self::Gelu => numbers * (6 + exp_flops(dtype)),
            // The mean, squares of differences, and the difference scaled by two factors and shifted.
            Self::LayerNorm => 8 * numbers,
            Self::Dot | Self::Saxpy => 2 * numbers,
            Self::Sum => numbers,
        }
    }

    /// Bytes that have to be read and written at least.
    pub(crate) fn bytes(self, dtype: Dtype, size: usize) -> u64 {
        let matrix = (size * size) as u64 * dtype.bytes();
        match self {
            Self::Matmul | Self::Saxpy => 3 * matrix,
            Self::Softmax | Self::Gelu | Self::LayerNorm | Self::Dot => 2 * matrix,
            Self::Sum => matrix,
        }
    }

    /// Those of them that have to be read: what is written goes back by ways of its own, and only where it is read before.
    pub(crate) fn bytes_read(self, dtype: Dtype, size: usize) -> u64 {
        let matrix = (size * size) as u64 * dtype.bytes();
        match self {
            Self::Matmul | Self::Saxpy | Self::Dot => 2 * matrix,
            Self::Softmax | Self::Gelu | Self::LayerNorm | Self::Sum => matrix,
        }
    }

    /// Matrices that are held at a time.
    fn n_matrices(self) -> u64 {
        match self {
            Self::Matmul => 3,
            Self::Softmax | Self::Gelu | Self::LayerNorm | Self::Dot | Self::Saxpy => 2,
            Self::Sum => 1,
        }
    }

    /// Bytes of the memory it takes.
    pub(crate) fn footprint(self, dtype: Dtype, size: usize) -> u64 {
        self.n_matrices() * (size * size) as u64 * dtype.bytes()
    }

    /// How often it is done in one repetition.
    pub(crate) fn passes(self, dtype: Dtype, size: usize) -> u64 {
        let work = match self {
            Self::Matmul => LEAST_FLOPS / self.flops(dtype, size).max(1),
            _ => LEAST_BYTES / self.bytes(dtype, size).max(1),
        };
        work.clamp(1, 4096)
    }

    /// The sizes that are measured: those that were asked for, or the usual ones.
    pub(crate) fn sizes(self, dtype: Dtype, choice: &Choice) -> Vec<usize> {
        match (&choice.sizes, self) {
            (Some(sizes), _) => {
                let mut sizes = sizes.clone();
                sizes.sort_unstable();
                sizes.dedup();
                sizes
            }
            (None, Self::Matmul) if choice.is_quick => vec![128, 256, 512],
            (None, Self::Matmul) => vec![128, 256, 512, 1024],
            (None, _) => {
                let numbers = |bytes: u64| bytes / (self.n_matrices() * dtype.bytes());
                let size = |bytes: u64| ((numbers(bytes) as f64).sqrt() as usize / 8).max(1) * 8;
                let mut sizes: Vec<usize> = tiers(choice.roof.as_ref()).into_iter().map(size).collect();
                sizes.dedup();
                sizes
            }
        }
    }
}

/// How much is passed over to be in each tier. Of the last cache a quarter, because others use it, too.
fn tiers(roof: Option<&MachineRoof>) -> Vec<u64> {
    let Some(roof) = roof else { return USUAL_TIERS.to_vec() };
    let caches: Vec<u64> =
        roof.tiers.iter().filter(|tier| !tier.is_main_memory()).filter_map(|tier| tier.bytes).collect();
    let Some((last, before)) = caches.split_last() else { return USUAL_TIERS.to_vec() };
    let memory = (4 * last).clamp(MEMORY[0], MEMORY[1]);
    before.iter().map(|bytes| bytes / 2).chain([last / 4, memory]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repeat::Plan;

    #[test]
    fn work_is_counted_by_what_a_kernel_is() {
        assert_eq!(Kernel::Matmul.flops(Dtype::F32, 10), 2_000);
        assert_eq!(Kernel::Matmul.footprint(Dtype::F64, 10), 2_400);
        assert_eq!((Kernel::Dot.flops(Dtype::F32, 4), Kernel::Sum.flops(Dtype::F32, 4)), (32, 16));
        assert_eq!((Kernel::Saxpy.bytes(Dtype::F32, 4), Kernel::Saxpy.footprint(Dtype::F32, 4)), (192, 128));
        for kernel in Kernel::ALL {
            assert!(kernel.bytes_read(Dtype::F64, 4) <= kernel.bytes(Dtype::F64, 4), "{}", kernel.word());
        }
        assert_eq!(Kernel::Softmax.flops(Dtype::F32, 1), 28);
        assert_eq!((Kernel::Matmul.passes(Dtype::F32, 128), Kernel::Matmul.passes(Dtype::F32, 512)), (4, 1));
    }

    #[test]
    fn vectors_go_through_all_tiers_unless_sizes_are_given() {
        let mut choice = Choice::all(Plan::quick());
        let sizes = Kernel::Dot.sizes(Dtype::F32, &choice);
        assert_eq!(sizes.len(), 4);
        assert!(sizes.iter().all(|size| size % 8 == 0) && sizes.is_sorted());
        choice.sizes = Some(vec![64, 16, 64]);
        assert_eq!(Kernel::Dot.sizes(Dtype::F64, &choice), [16, 64]);
        assert_eq!(Kernel::Matmul.sizes(Dtype::F64, &choice), [16, 64]);
    }
}
