//! What was measured of a machine, as a value.

use calor_model::Warning;

use crate::Processor;

/// What a machine can do.
#[derive(Clone, PartialEq, Debug)]
pub struct Machine {
    /// Tells machines apart whose figures are not each other's; see [`Processor::fingerprint`].
    pub id: String,
    /// Processor, cores and memory.
    pub processor: Processor,
    /// The most floating-point operations a second.
    pub peaks: Peaks,
    /// The most bytes a second, the nearest tier first.
    pub tiers: Vec<Tier>,
    /// How steady it is.
    pub noise: Noise,
    /// When that was, in nanoseconds since 1970 (UTC).
    pub measured_at_unix_nanos: u64,
    /// How long measuring took.
    pub took_nanos: u64,
    /// What could not be measured, and why.
    pub warnings: Vec<Warning>,
}

/// Floating-point operations a second, by the size of the numbers.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Peaks {
    /// Numbers of 32 bits.
    pub f32: Peak,
    /// Numbers of 64 bits.
    pub f64: Peak,
}

/// Floating-point operations a second of one core, by the width of its vectors; `None` for widths it does not have.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Peak {
    /// One number at a time.
    pub scalar: Option<f64>,
    /// 128 bits, without fused operations.
    pub sse: Option<f64>,
    /// 256 bits, fused.
    pub avx2: Option<f64>,
    /// 512 bits, fused.
    pub avx512: Option<f64>,
    /// What the compiler makes of a plain loop, on processors without the widths above.
    pub vector: Option<f64>,
    /// All cores at once, with the best width.
    pub all_cores: Option<f64>,
    /// What the parts of the measurement found with the best width, from the least to the most; the most is the peak.
    pub interval: Option<[f64; 2]>,
}

/// A width of vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// None: one number at a time.
    Scalar,
    /// 128 bits.
    Sse,
    /// 256 bits.
    Avx2,
    /// 512 bits.
    Avx512,
    /// As the compiler chooses.
    Vector,
}

/// A tier of memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Tier {
    /// `L1`, `L2`, `L3` or `DRAM`.
    pub name: String,
    /// How much it holds; `None` where the system does not tell.
    pub bytes: Option<u64>,
    /// How much was passed over to measure it.
    pub working_set_bytes: Option<u64>,
    /// Bytes a second of one core that only reads.
    pub read: Option<f64>,
    /// Bytes a second of one core that reads two arrays and writes a third.
    pub triad: Option<f64>,
    /// The better of both of all cores at once; of main memory alone.
    pub all_cores: Option<f64>,
    /// What the parts of the measurement found with the better of both on one core, from the least to the most.
    pub interval: Option<[f64; 2]>,
}

/// How much the time of unchanged code scatters.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Noise {
    /// Standard deviation of its CPU time over the mean.
    pub cpu_cv: Option<f64>,
    /// The same of its time on the wall.
    pub wall_cv: Option<f64>,
    /// The least change of CPU time, as a part of it, that as many pairs of runs as were made here find four times in five.
    pub smallest_detectable: Option<f64>,
    /// How many pairs of runs that was.
    pub n_pairs: usize,
    /// The CPU time of one of the runs, the middle one.
    pub run_nanos: Option<u64>,
}

/// Parts of a measurement that differ by more were disturbed, by those who use the same core, cache or memory: the most that they
/// found may be less than there is.
const DISTURBED: f64 = 0.05;

impl Machine {
    /// The figures that were disturbed, by name: `f32`, `f64` and the tiers.
    #[must_use]
    pub fn disturbed(&self) -> Vec<&str> {
        let peaks = [("f32", self.peaks.f32.interval), ("f64", self.peaks.f64.interval)];
        let tiers = self.tiers.iter().map(|tier| (tier.name.as_str(), tier.interval));
        let is_wide = |interval: &[f64; 2]| interval[0] < (1.0 - DISTURBED) * interval[1];
        let all = peaks.into_iter().chain(tiers);
        all.filter(|(_, interval)| interval.as_ref().is_some_and(is_wide)).map(|(name, _)| name).collect()
    }
}

impl Width {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Scalar, Self::Sse, Self::Avx2, Self::Avx512, Self::Vector];

    /// The word for it in files and on pages.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Sse => "sse",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Vector => "vector",
        }
    }
}

impl Peak {
    /// That of a width.
    #[must_use]
    pub fn of(&self, width: Width) -> Option<f64> {
        match width {
            Width::Scalar => self.scalar,
            Width::Sse => self.sse,
            Width::Avx2 => self.avx2,
            Width::Avx512 => self.avx512,
            Width::Vector => self.vector,
        }
    }

    pub(crate) fn set(&mut self, width: Width, rate: Option<f64>) {
        match width {
            Width::Scalar => self.scalar = rate,
            Width::Sse => self.sse = rate,
            Width::Avx2 => self.avx2 = rate,
            Width::Avx512 => self.avx512 = rate,
            Width::Vector => self.vector = rate,
        }
    }

    /// The best of one core, and with which width.
    #[must_use]
    pub fn best(&self) -> Option<(Width, f64)> {
        let known = Width::ALL.into_iter().filter_map(|width| Some((width, self.of(width)?)));
        known.max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

impl Tier {
    /// The most that one core gets from it.
    #[must_use]
    pub fn best(&self) -> Option<f64> {
        self.read.into_iter().chain(self.triad).max_by(f64::total_cmp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_whose_parts_differ_were_disturbed() {
        let mut machine = crate::wire::tests::sketch();
        assert!(machine.disturbed().is_empty());
        machine.peaks.f64.interval = Some([0.96, 1.0]);
        machine.tiers[0].interval = Some([0.94, 1.0]);
        assert_eq!(machine.disturbed(), ["DRAM"]);
    }

    #[test]
    fn the_best_is_of_what_there_is() {
        let peak = Peak { scalar: Some(8.0), avx2: Some(113.0), avx512: Some(112.0), ..Peak::default() };
        assert_eq!(peak.best(), Some((Width::Avx2, 113.0)));
        assert_eq!((Peak::default().best(), peak.of(Width::Sse)), (None, None));
    }
}
