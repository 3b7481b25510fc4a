//! Which vectors hot functions compute with, from the loops that samples were found in.
//!
//! Counting the instructions of a function misleads: most of them are preparations and tails. Looking at those that were
//! sampled misleads, too: time is found where something waits, not where it is worked. So each sample speaks for the
//! innermost loop it was found in, and a loop for all the instructions of a round (see `code::region`).

mod mix;
mod narrow;
mod offered;
mod unsampled;
mod verdict;
mod work;

pub use narrow::narrow_vectors;
pub use offered::Offered;
pub use unsampled::vectors_of;
pub use verdict::{SimdVerdict, Verdicts};

pub(crate) use mix::Mix;
pub(crate) use verdict::verdict_on;
pub(crate) use work::is_float;

/// What a function computes with. Vector code is named by the width of its vectors, whether it computes with integers
/// or floating-point numbers and however its instructions are encoded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// General registers.
    Integer,
    /// Single floating-point numbers.
    Scalar,
    /// Vectors of 128 bits.
    Sse,
    /// Vectors of 256 bits.
    Avx2,
    /// Vectors of 512 bits.
    Avx512,
}

impl Class {
    /// The word used in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Scalar => "scalar",
            Self::Sse => "sse",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// The same for people.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Scalar => "scalar",
            Self::Sse => "SSE",
            Self::Avx2 => "AVX2",
            Self::Avx512 => "AVX-512",
        }
    }

    /// How many bits its vectors have; `None` where it has none.
    #[must_use]
    pub fn bits(self) -> Option<u32> {
        match self {
            Self::Integer | Self::Scalar => None,
            Self::Sse => Some(128),
            Self::Avx2 => Some(256),
            Self::Avx512 => Some(512),
        }
    }
}
