//! One case: a kernel in one way, with numbers and matrices of one size; and what was found of it.

use calor::CallWork;
use calor_analysis::{MachineRoof, RoofCores, RoofNumber};
use calor_report::bench::{Figure, Params};
use serde_json::json;

use super::{Dtype, Kernel, Level};
use crate::repeat::Times;

/// A way of doing it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Variant {
    /// As in the definition.
    Naive,
    /// In blocks, for the compiler to vectorise.
    Blocked,
    /// With one set of vector instructions.
    Level(Level),
    /// With the quickest of them, on several threads.
    Parallel,
    /// By the `gemm` crate.
    Gemm,
    /// By the BLAS that was found.
    Blas,
}

impl Variant {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Naive => "naive",
            Self::Blocked => "blocked",
            Self::Level(level) => level.word(),
            Self::Parallel => "parallel",
            Self::Gemm => "gemm crate",
            Self::Blas => "blas",
        }
    }
}

/// What is run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Case {
    pub(crate) kernel: Kernel,
    pub(crate) dtype: Dtype,
    pub(crate) size: usize,
    pub(crate) variant: Variant,
    /// The vector instructions of ways that have some of ours.
    pub(crate) level: Option<Level>,
    pub(crate) threads: usize,
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Outcome {
    pub(crate) case: Case,
    /// The word for the vectors of its machine code, with `+fma` where it has fused operations.
    pub(crate) vectors: Option<String>,
    pub(crate) is_right: bool,
    /// GFLOP/s, GB/s, and the part of the roof, in that order as far as they are known.
    pub(crate) figures: Vec<Figure>,
    pub(crate) tier: Option<String>,
}

impl Case {
    /// What its scope and its figures are called.
    pub(crate) fn name(&self) -> String {
        let Self { kernel, dtype, size, variant, .. } = self;
        format!("{} {} {} {size}", kernel.word(), variant.word(), dtype.word())
    }

    /// What one repetition does.
    pub(crate) fn work(&self) -> CallWork {
        let passes = self.passes();
        CallWork {
            elements: passes * (self.size * self.size) as u64,
            bytes: passes * self.kernel.bytes(self.dtype, self.size),
            flops: passes * self.kernel.flops(self.dtype, self.size),
            backend: Some(self.variant.word()),
        }
    }

    pub(crate) fn passes(&self) -> u64 {
        self.kernel.passes(self.dtype, self.size)
    }

    /// The least nanoseconds that one repetition can take on this machine, and the tier of memory that it works in.
    pub(crate) fn least_nanos(&self, roof: &MachineRoof) -> (Option<f64>, Option<String>) {
        let number = match self.dtype {
            Dtype::F32 => RoofNumber::F32,
            Dtype::F64 => RoofNumber::F64,
        };
        let tier = roof.tier_for(self.kernel.footprint(self.dtype, self.size) as f64).map(|(_, tier)| tier);
        let cores = match self.threads {
            1 => Some(RoofCores::One),
            // Roofs of some of the cores were not measured.
            threads => (roof.cores == u32::try_from(threads).ok()).then_some(RoofCores::All),
        };
        let work = self.work();
        let nanos = cores.and_then(|cores| {
            let arithmetic = 1e9 * work.flops as f64 / roof.peak(number, cores)?;
            let read = (self.passes() * self.kernel.bytes_read(self.dtype, self.size)) as f64;
            let memory = tier.and_then(|tier| tier.rate(cores)).map(|rate| 1e9 * read / rate);
            match self.kernel {
                // What matrices have to move is little beside their arithmetic.
                Kernel::Matmul => Some(arithmetic.max(memory.unwrap_or(0.0))),
                _ => Some(arithmetic.max(memory?)),
            }
        });
        (nanos, tier.map(|tier| tier.name.clone()))
    }

    /// What times and checks add up to.
    pub(crate) fn outcome(
        self,
        times: &Times,
        is_right: bool,
        vectors: Option<String>,
        roof: Option<&MachineRoof>,
    ) -> Outcome {
        let (least, tier) = roof.map_or((None, None), |roof| self.least_nanos(roof));
        let mut params = Params::from([
            ("kernel".to_owned(), json!(self.kernel.word())),
            ("variant".to_owned(), json!(self.variant.word())),
            ("dtype".to_owned(), json!(self.dtype.word())),
            ("size".to_owned(), json!(self.size)),
            ("threads".to_owned(), json!(self.threads)),
            ("footprint_bytes".to_owned(), json!(self.kernel.footprint(self.dtype, self.size))),
        ]);
        if self.variant != Variant::Gemm && self.variant != Variant::Blas {
            params.insert("vector_class".to_owned(), json!(vectors));
        }
        if let Some(tier) = &tier {
            params.insert("tier".to_owned(), json!(tier));
        }
        let work = self.work();
        let figure = |unit: &str, value: &dyn Fn(f64) -> f64| {
            let figure = match self.threads {
                1 => times.figure(self.name(), params.clone(), unit, value),
                _ => times.wall_figure(self.name(), params.clone(), unit, value),
            };
            figure.map(|figure| figure.verified(is_right))
        };
        let figures = [
            figure("GFLOP/s", &|nanos| work.flops as f64 / nanos),
            figure("GB/s", &|nanos| work.bytes as f64 / nanos),
            least.and_then(|least| figure("% of roof", &|nanos| 100.0 * least / nanos)),
        ];
        Outcome { case: self, vectors, is_right, figures: figures.into_iter().flatten().collect(), tier }
    }
}

impl Outcome {
    /// A figure by its unit.
    pub(crate) fn figure(&self, unit: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.unit == unit)
    }

    /// The median of a figure.
    pub(crate) fn median(&self, unit: &str) -> Option<f64> {
        self.figure(unit).map(|figure| figure.median)
    }
}
