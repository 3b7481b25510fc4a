//! Vectors of 128 bits with fused operations, which every aarch64 processor has.

use std::arch::aarch64::*;

use super::Vector;

vector!(
    /// Four numbers of 32 bits.
    Neon32, float32x4_t, f32, 4,
    vdupq_n_f32, vld1q_f32, vst1q_f32, vaddq_f32, vsubq_f32, vmulq_f32, vdivq_f32, vmaxq_f32, vminq_f32,
    |x, factor, summand| vfmaq_f32(summand, x, factor),
    |it| vreinterpretq_f32_s32(vaddq_s32(vshlq_n_s32::<23>(vreinterpretq_s32_f32(it)), vdupq_n_s32(127 << 23)))
);
vector!(
    /// Two numbers of 64 bits.
    Neon64, float64x2_t, f64, 2,
    vdupq_n_f64, vld1q_f64, vst1q_f64, vaddq_f64, vsubq_f64, vmulq_f64, vdivq_f64, vmaxq_f64, vminq_f64,
    |x, factor, summand| vfmaq_f64(summand, x, factor),
    |it| vreinterpretq_f64_s64(vaddq_s64(vshlq_n_s64::<52>(vreinterpretq_s64_f64(it)), vdupq_n_s64(1023 << 52)))
);
