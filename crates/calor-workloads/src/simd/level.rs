//! Sets of vector instructions that kernels are compiled for.

/// A set of instructions, the narrower ones first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// Whatever the compiler makes of one number at a time.
    Plain,
    /// Vectors of 128 bits, on every x86-64 processor.
    Sse2,
    /// Vectors of 128 bits with fused operations, on every aarch64 processor.
    Neon,
    /// Vectors of 256 bits with fused operations.
    Avx2,
    /// Vectors of 512 bits.
    Avx512,
}

impl Level {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Plain, Self::Sse2, Self::Neon, Self::Avx2, Self::Avx512];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Sse2 => "sse2",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether this processor has them.
    #[must_use]
    pub fn is_here(self) -> bool {
        match self {
            Self::Plain => true,
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => is_x86_feature_detected!("avx512f") && Self::Avx2.is_here(),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => true,
            #[allow(unreachable_patterns, reason = "of other processors")]
            _ => false,
        }
    }

    /// Those of this processor, the narrower ones first.
    pub fn here() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|level| level.is_here())
    }
}
