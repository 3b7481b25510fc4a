//! How far code uses the vectors of its processor.

use calor_analysis::{Offered, SimdVerdict};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

#[cfg(feature = "schema")]
use crate::words;

/// The widest loops that samples were found in.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Simd {
    #[cfg_attr(feature = "schema", schemars(with = "words::VectorClass"))]
    pub class: &'static str,
    /// Of all instructions that work on vector registers, the part that works on whole vectors.
    pub packed_share: f64,
    pub fma: bool,
    /// Whether it encrypts, hashes or makes checksums with the processor's instructions for that.
    pub crypto: bool,
    /// The part of the floating-point computing that multiplies and adds at once; absent where nothing is
    /// computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fma_share: Option<f64>,
    /// The part of the samples in loops of that class, and in any loop.
    pub class_share: f64,
    pub loop_share: f64,
    pub samples: u64,
    /// The widest class that the processor offers; absent when it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<words::VectorClass>"))]
    pub offered: Option<&'static str>,
}

impl Simd {
    /// Of a verdict, beside what the processor offers.
    #[must_use]
    pub fn new(verdict: &SimdVerdict, offered: Option<Offered>) -> Self {
        Self {
            class: verdict.class.word(),
            packed_share: verdict.packed_share,
            fma: verdict.fma(),
            crypto: verdict.is_crypto(),
            fma_share: verdict.fma_share,
            class_share: verdict.class_share,
            loop_share: verdict.loop_share,
            samples: verdict.n_samples,
            offered: offered.map(|offered| offered.widest.word()),
        }
    }
}
