//! Peak arithmetic of x86-64: so many independent chains of multiplications and additions that every unit has work while
//! others wait for their results. In assembly, because a compiler would fold, reorder or forget it.
//!
//! # Safety
//! Each loop uses the registers that it names as clobbered, reads the two constants it is given, and runs only where the
//! processor was asked for the instructions it is made of.

#![expect(unsafe_code, reason = "peak rates need exactly these instructions")]

use std::arch::asm;

use super::Number;
use crate::Width;

/// The loop of this width with the operations of one turn; `None` where the processor lacks the instructions.
pub(super) fn arithmetic(number: Number, width: Width) -> Option<(fn(u64), f64)> {
    let (has_it, run, lanes): (bool, fn(u64), u32) = match (number, width) {
        (Number::F32, Width::Scalar) => (true, scalar_f32, 1),
        (Number::F64, Width::Scalar) => (true, scalar_f64, 1),
        (Number::F32, Width::Sse) => (true, sse_f32, 4),
        (Number::F64, Width::Sse) => (true, sse_f64, 2),
        (Number::F32, Width::Avx2) => (has_avx2(), avx2_f32, 8),
        (Number::F64, Width::Avx2) => (has_avx2(), avx2_f64, 4),
        (Number::F32, Width::Avx512) => (has_avx512(), avx512_f32, 16),
        (Number::F64, Width::Avx512) => (has_avx512(), avx512_f64, 8),
        (_, Width::Vector) => (false, scalar_f32, 0),
    };
    let per_lane = if matches!(width, Width::Scalar | Width::Sse) { N_PLAIN } else { 2 * N_FUSED };
    has_it.then_some((run, f64::from(per_lane * lanes)))
}

pub(super) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

pub(super) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
}

/// Instructions of a turn without fused ones: each chain has a multiplication and an addition.
const N_PLAIN: u32 = 30;
/// Fused instructions of a turn, each of which is two operations.
const N_FUSED: u32 = 12;

/// Chains of fused operations that neither overflow nor become so small that processors slow down.
const FACTOR: f64 = 1.0;
const SUMMAND: f64 = 1e-3;

macro_rules! plain_loop {
    ($name:ident, $type:ty, $multiply:literal, $add:literal) => {
        fn $name(n_turns: u64) {
            // One for every lane, and for factors and summands alike: registers are scarce, and memory would limit.
            const N_LANES: usize = 16 / size_of::<$type>();
            let ones: [$type; N_LANES] = [1.0; N_LANES];
            // SAFETY: see the opening.
            unsafe {
                asm!(
                    "movups xmm15, [{ones}]",
                    "movaps xmm0, xmm15", "movaps xmm1, xmm15", "movaps xmm2, xmm15", "movaps xmm3, xmm15",
                    "movaps xmm4, xmm15", "movaps xmm5, xmm15", "movaps xmm6, xmm15", "movaps xmm7, xmm15",
                    "movaps xmm8, xmm15", "movaps xmm9, xmm15", "movaps xmm10, xmm15", "movaps xmm11, xmm15",
                    "movaps xmm12, xmm15", "movaps xmm13, xmm15", "movaps xmm14, xmm15",
                    ".p2align 5",
                    "2:",
                    concat!($multiply, " xmm0, xmm15"), concat!($add, " xmm1, xmm15"), concat!($multiply, " xmm2, xmm15"),
                    concat!($add, " xmm3, xmm15"), concat!($multiply, " xmm4, xmm15"), concat!($add, " xmm5, xmm15"),
                    concat!($multiply, " xmm6, xmm15"), concat!($add, " xmm7, xmm15"), concat!($multiply, " xmm8, xmm15"),
                    concat!($add, " xmm9, xmm15"), concat!($multiply, " xmm10, xmm15"), concat!($add, " xmm11, xmm15"),
                    concat!($multiply, " xmm12, xmm15"), concat!($add, " xmm13, xmm15"), concat!($multiply, " xmm14, xmm15"),
                    concat!($add, " xmm0, xmm15"), concat!($multiply, " xmm1, xmm15"), concat!($add, " xmm2, xmm15"),
                    concat!($multiply, " xmm3, xmm15"), concat!($add, " xmm4, xmm15"), concat!($multiply, " xmm5, xmm15"),
                    concat!($add, " xmm6, xmm15"), concat!($multiply, " xmm7, xmm15"), concat!($add, " xmm8, xmm15"),
                    concat!($multiply, " xmm9, xmm15"), concat!($add, " xmm10, xmm15"), concat!($multiply, " xmm11, xmm15"),
                    concat!($add, " xmm12, xmm15"), concat!($multiply, " xmm13, xmm15"), concat!($add, " xmm14, xmm15"),
                    "dec {n}",
                    "jnz 2b",
                    ones = in(reg) ones.as_ptr(),
                    n = inout(reg) n_turns.max(1) => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                    out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                    options(nostack, readonly),
                );
            }
        }
    };
}

plain_loop!(scalar_f32, f32, "mulss", "addss");
plain_loop!(scalar_f64, f64, "mulsd", "addsd");
plain_loop!(sse_f32, f32, "mulps", "addps");
plain_loop!(sse_f64, f64, "mulpd", "addpd");

macro_rules! fused_loop {
    ($name:ident, $type:ty, $register:literal, $broadcast:literal, $fused:literal) => {
        fn $name(n_turns: u64) {
            let constants: [$type; 2] = [FACTOR as $type, SUMMAND as $type];
            // SAFETY: see the opening.
            unsafe {
                asm!(
                    concat!($broadcast, " ", $register, "12, [{constants}]"),
                    concat!($broadcast, " ", $register, "13, [{constants} + {size}]"),
                    // Clearing the low part of a register clears all of it.
                    "vxorps xmm0, xmm0, xmm0", "vxorps xmm1, xmm1, xmm1", "vxorps xmm2, xmm2, xmm2",
                    "vxorps xmm3, xmm3, xmm3", "vxorps xmm4, xmm4, xmm4", "vxorps xmm5, xmm5, xmm5",
                    "vxorps xmm6, xmm6, xmm6", "vxorps xmm7, xmm7, xmm7", "vxorps xmm8, xmm8, xmm8",
                    "vxorps xmm9, xmm9, xmm9", "vxorps xmm10, xmm10, xmm10", "vxorps xmm11, xmm11, xmm11",
                    ".p2align 5",
                    "2:",
                    concat!($fused, " ", $register, "0, ", $register, "12, ", $register, "13"),
                    concat!($fused, " ", $register, "1, ", $register, "12, ", $register, "13"),
                    concat!($fused, " ", $register, "2, ", $register, "12, ", $register, "13"),
                    concat!($fused, " ", $register, "3, ", $register, "12, ", $register, "13"),
                    concat!($fused, " ", $register, "4, ", $register, "12, ", $register, "13"),
                    concat!($fused, " ", $register, "5, ", $register, "12, ", $register, "13"),
                    concat!($fused, " ", $register, "6, ", $register, "12, ", $register, "13"),
                    concat!($fused, " ", $register, "7, ", $register, "12, ", $register, "13"),
                    concat!($fused, " ", $register, "8, ", $register, "12, ", $register, "13"),
                    concat!($fused, " ", $register, "9, ", $register, "12, ", $register, "13"),
                    concat!($fused, " ", $register, "10, ", $register, "12, ", $register, "13"),
                    concat!($fused, " ", $register, "11, ", $register, "12, ", $register, "13"),
                    "dec {n}",
                    "jnz 2b",
                    "vzeroupper",
                    constants = in(reg) constants.as_ptr(),
                    size = const size_of::<$type>(),
                    n = inout(reg) n_turns.max(1) => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                    out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                    options(nostack, readonly),
                );
            }
        }
    };
}

fused_loop!(avx2_f32, f32, "ymm", "vbroadcastss", "vfmadd231ps");
fused_loop!(avx2_f64, f64, "ymm", "vbroadcastsd", "vfmadd231pd");
fused_loop!(avx512_f32, f32, "zmm", "vbroadcastss", "vfmadd231ps");
fused_loop!(avx512_f64, f64, "zmm", "vbroadcastsd", "vfmadd231pd");
