//! What a machine can do at most, as a value: whoever measured it, here or on another machine, fills this in.

/// The roofs of a machine. Rates of one core unless they say otherwise.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MachineRoof {
    /// The processor's name, to tell whether a profile is of such a machine.
    pub cpu: String,
    /// Cores that a program may use.
    pub cores: Option<u32>,
    /// What was reached with numbers of each size and vectors of each width.
    pub peaks: Vec<RoofPeak>,
    /// What each tier of memory delivers, the nearest first.
    pub tiers: Vec<RoofTier>,
}

/// A size of floating-point numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum RoofNumber {
    /// 32 bits. Where nothing is known the one to take: its roof is the higher one.
    #[default]
    F32,
    /// 64 bits.
    F64,
}

/// The most floating-point operations a second with one width of vectors.
#[derive(Clone, PartialEq, Debug)]
pub struct RoofPeak {
    /// The size of the numbers.
    pub number: RoofNumber,
    /// The width, by the words of [`Class`](crate::Class): `scalar`, `sse`, `avx2`, `avx512`; or `vector` where it is not known.
    pub width: String,
    /// Floating-point operations a second of one core.
    pub flops_per_s: f64,
    /// The same of all cores at once; `None` where it was not measured with this width.
    pub all_cores_flops_per_s: Option<f64>,
}

/// The most bytes a second from a tier of memory.
#[derive(Clone, PartialEq, Debug)]
pub struct RoofTier {
    /// `L1`, `L2`, `L3` or `DRAM`.
    pub name: String,
    /// How much it holds; `None` where that is not known, as for main memory, which holds everything.
    pub bytes: Option<u64>,
    /// Bytes a second of one core.
    pub bytes_per_s: f64,
    /// The same of all cores at once; `None` where it was not measured.
    pub all_cores_bytes_per_s: Option<f64>,
}

/// Which cores a roof is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RoofCores {
    /// One.
    #[default]
    One,
    /// All at once.
    All,
}

impl RoofNumber {
    /// Both.
    pub const ALL: [Self; 2] = [Self::F32, Self::F64];

    /// By what programs call it: `f32`, `float32` and `single`, `f64`, `float64` and `double`; `None` for anything else.
    #[must_use]
    pub fn of_dtype(dtype: &str) -> Option<Self> {
        match dtype {
            "f32" | "float32" | "single" | "float" => Some(Self::F32),
            "f64" | "float64" | "double" => Some(Self::F64),
            _ => None,
        }
    }

    /// The word for it in options and files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

impl MachineRoof {
    /// The most floating-point operations a second, with whichever width is best; `None` where that was not measured.
    #[must_use]
    pub fn peak(&self, number: RoofNumber, cores: RoofCores) -> Option<f64> {
        let peaks = self.peaks.iter().filter(|peak| peak.number == number);
        let rates = peaks.filter_map(|peak| match cores {
            RoofCores::One => Some(peak.flops_per_s),
            RoofCores::All => peak.all_cores_flops_per_s,
        });
        rates.max_by(f64::total_cmp)
    }

    /// The same with vectors of one width.
    #[must_use]
    pub fn peak_of_width(&self, number: RoofNumber, width: &str) -> Option<f64> {
        let peak = self.peaks.iter().find(|peak| peak.number == number && peak.width == width);
        peak.map(|peak| peak.flops_per_s)
    }

    /// The nearest tier that holds so many bytes, and its place; main memory where none does, since more than it holds comes
    /// through it all the same. `None` where that was not measured: no cache stands for it.
    #[must_use]
    pub fn tier_for(&self, bytes: f64) -> Option<(usize, &RoofTier)> {
        let holds = |tier: &RoofTier| tier.bytes.is_some_and(|room| bytes <= room as f64);
        let at = self.tiers.iter().position(|tier| holds(tier) || tier.is_main_memory())?;
        Some((at, &self.tiers[at]))
    }

    /// The nearest tier that holds so many bytes all the time: whoever needs all of a cache shares it with whatever else runs,
    /// and leaves it again and again.
    #[must_use]
    pub fn tier_with_room_for(&self, bytes: f64) -> Option<(usize, &RoofTier)> {
        const USABLE: f64 = 0.75;
        self.tier_for(bytes / USABLE)
    }

    /// The most floating-point operations a second at so many operations for each byte from a tier; `None` where the peak is
    /// not known.
    #[must_use]
    pub fn attainable(&self, number: RoofNumber, intensity: f64, tier: &RoofTier) -> Option<f64> {
        Some(self.peak(number, RoofCores::One)?.min(intensity * tier.bytes_per_s))
    }

    /// From how many operations for each byte on arithmetic and not the tier is what limits.
    #[must_use]
    pub fn ridge(&self, number: RoofNumber, tier: &RoofTier) -> Option<f64> {
        Some(self.peak(number, RoofCores::One)? / tier.bytes_per_s)
    }
}

impl RoofTier {
    /// Whether it is what lies behind all caches.
    #[must_use]
    pub fn is_main_memory(&self) -> bool {
        self.name == "DRAM"
    }

    /// Bytes a second of so many cores; `None` where that was not measured.
    #[must_use]
    pub fn rate(&self, cores: RoofCores) -> Option<f64> {
        match cores {
            RoofCores::One => Some(self.bytes_per_s),
            RoofCores::All => self.all_cores_bytes_per_s,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// 100 GFLOP/s in a core and 190 in two, half of it with 64 bits; 200, 100, 50 and 20 GB/s.
    pub(crate) fn roof() -> MachineRoof {
        let peak = |number, width: &str, rate: f64, all| RoofPeak {
            number,
            width: width.to_owned(),
            flops_per_s: rate,
            all_cores_flops_per_s: all,
        };
        let tier = |name: &str, bytes, rate, all| RoofTier {
            name: name.to_owned(),
            bytes,
            bytes_per_s: rate,
            all_cores_bytes_per_s: all,
        };
        MachineRoof {
            cpu: "Some CPU".to_owned(),
            cores: Some(2),
            peaks: vec![
                peak(RoofNumber::F32, "scalar", 10e9, None),
                peak(RoofNumber::F32, "avx2", 100e9, Some(190e9)),
                peak(RoofNumber::F64, "avx2", 50e9, Some(95e9)),
            ],
            tiers: vec![
                tier("L1", Some(32 << 10), 200e9, None),
                tier("L2", Some(1 << 20), 100e9, None),
                tier("L3", Some(32 << 20), 50e9, None),
                tier("DRAM", None, 20e9, Some(30e9)),
            ],
        }
    }

    #[test]
    fn the_best_width_is_the_roof_and_every_width_can_be_asked_for() {
        let roof = roof();
        assert_eq!(roof.peak(RoofNumber::F32, RoofCores::One), Some(100e9));
        assert_eq!(roof.peak(RoofNumber::F64, RoofCores::All), Some(95e9));
        assert_eq!(roof.peak_of_width(RoofNumber::F32, "scalar"), Some(10e9));
        assert_eq!(roof.peak_of_width(RoofNumber::F32, "avx512"), None);
        assert_eq!(MachineRoof::default().peak(RoofNumber::F32, RoofCores::One), None);
    }

    #[test]
    fn bytes_come_from_the_nearest_tier_that_holds_them() {
        let roof = roof();
        for (bytes, expected) in [(1.0, "L1"), (40e3, "L2"), (2e6, "L3"), (1e9, "DRAM")] {
            assert_eq!(roof.tier_for(bytes).map(|(_, tier)| tier.name.as_str()), Some(expected));
        }
        let room = |bytes: f64| roof.tier_with_room_for(bytes).map(|(_, tier)| tier.name.as_str());
        assert_eq!((room(20e6), room(f64::from(32 << 20))), (Some("L3"), Some("DRAM")));
        assert_eq!(MachineRoof::default().tier_for(1.0), None);
        let mut caches = roof.clone();
        caches.tiers.pop();
        assert_eq!(caches.tier_for(2e6).map(|(at, _)| at), Some(2));
        assert_eq!(caches.tier_for(1e9), None, "no cache stands for memory that was not measured");
        let mut small = roof;
        small.tiers[3].bytes = Some(1 << 30);
        assert_eq!(small.tier_for(1e12).map(|(at, _)| at), Some(3));
    }

    #[test]
    fn below_the_ridge_memory_limits_and_above_it_arithmetic() {
        let roof = roof();
        let dram = &roof.tiers[3];
        assert_eq!(roof.ridge(RoofNumber::F32, dram), Some(5.0));
        for (intensity, expected) in [(0.25, 5e9), (5.0, 100e9), (80.0, 100e9)] {
            assert_eq!(roof.attainable(RoofNumber::F32, intensity, dram), Some(expected));
        }
    }
}
