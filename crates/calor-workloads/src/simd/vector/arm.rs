//! Vectors of 128 bits with fused operations, which every aarch64 processor has.

use std::arch::aarch64::*;

use super::Vector;

macro_rules! vector {
    (
        $(#[$doc:meta])* $name:ident, $inner:ty, $number:ty, $lanes:literal,
        $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $max:ident, $min:ident,
        $fused:ident, |$it:ident| $power:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name($inner);

        impl Vector for $name {
            type Number = $number;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(number: $number) -> Self {
                // SAFETY: every aarch64 processor has the instruction.
                Self(unsafe { $splat(number) })
            }
            #[inline(always)]
            unsafe fn load(from: *const $number) -> Self {
                // SAFETY: the caller has that many numbers there.
                Self(unsafe { $load(from) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $number) {
                // SAFETY: the caller has room for that many numbers there.
                unsafe { $store(to, self.0) }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: every aarch64 processor has the instruction.
                Self(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn sub(self, other: Self) -> Self {
                // SAFETY: every aarch64 processor has the instruction.
                Self(unsafe { $sub(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn mul(self, other: Self) -> Self {
                // SAFETY: every aarch64 processor has the instruction.
                Self(unsafe { $mul(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn div(self, other: Self) -> Self {
                // SAFETY: every aarch64 processor has the instruction.
                Self(unsafe { $div(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn max(self, other: Self) -> Self {
                // SAFETY: every aarch64 processor has the instruction.
                Self(unsafe { $max(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn min(self, other: Self) -> Self {
                // SAFETY: every aarch64 processor has the instruction.
                Self(unsafe { $min(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn mul_add(self, factor: Self, summand: Self) -> Self {
                // SAFETY: every aarch64 processor has the instruction.
                Self(unsafe { $fused(summand.0, self.0, factor.0) })
            }
            #[inline(always)]
            unsafe fn power_of_two(self) -> Self {
                let $it = self.0;
                // SAFETY: every aarch64 processor has the instructions.
                Self(unsafe { $power })
            }
        }
    };
}

vector!(
    /// Four numbers of 32 bits.
    Neon32, float32x4_t, f32, 4,
    vdupq_n_f32, vld1q_f32, vst1q_f32, vaddq_f32, vsubq_f32, vmulq_f32, vdivq_f32, vmaxq_f32, vminq_f32, vfmaq_f32,
    |it| vreinterpretq_f32_s32(vaddq_s32(vshlq_n_s32::<23>(vreinterpretq_s32_f32(it)), vdupq_n_s32(127 << 23)))
);
vector!(
    /// Two numbers of 64 bits.
    Neon64, float64x2_t, f64, 2,
    vdupq_n_f64, vld1q_f64, vst1q_f64, vaddq_f64, vsubq_f64, vmulq_f64, vdivq_f64, vmaxq_f64, vminq_f64, vfmaq_f64,
    |it| vreinterpretq_f64_s64(vaddq_s64(vshlq_n_s64::<52>(vreinterpretq_s64_f64(it)), vdupq_n_s64(1023 << 52)))
);
