//! Which vectors a function computes with.

use calor_analysis::{Offered, SimdVerdict};
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Simd {
    class: &'static str,
    /// Of all instructions that work on vector registers, the part that works on whole vectors.
    packed_share: f64,
    fma: bool,
    /// Whether it encrypts, hashes or makes checksums with the processor's instructions for that.
    crypto: bool,
    /// The part of the floating-point computing that multiplies and adds at once; absent where nothing is computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    fma_share: Option<f64>,
    /// The part of the samples in loops of that class, and in any loop.
    class_share: f64,
    loop_share: f64,
    samples: u64,
    /// The widest class that the processor offers; absent when it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    offered: Option<&'static str>,
}

impl Simd {
    pub(crate) fn new(verdict: &SimdVerdict, offered: Option<Offered>) -> Self {
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
