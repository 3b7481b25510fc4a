//! Passes over memory for x86-64, with the widest vectors that the processor has: narrower ones would leave the nearest
//! cache idle.
//!
//! # Safety
//! A pass takes a slice whose length is a multiple of three blocks and stays inside it; it names the registers it uses, and
//! runs only where the processor was asked for the instructions it is made of.

#![expect(unsafe_code, reason = "bandwidth needs loads and stores that no compiler removes")]

use std::arch::asm;

use super::{BLOCK, Pass, x86};

/// Passes over a slice so many times.
pub(super) fn pass(pass: Pass, slice: &mut [u8], n_times: u64) {
    check(slice);
    let n_times = n_times.max(1);
    match pass {
        Pass::Read if x86::has_avx512() => read_512(slice, n_times),
        Pass::Read if x86::has_avx2() => read_256(slice, n_times),
        Pass::Read => read_128(slice, n_times),
        Pass::Triad if x86::has_avx512() => triad_512(slice, n_times),
        Pass::Triad if x86::has_avx2() => triad_256(slice, n_times),
        Pass::Triad => triad_128(slice, n_times),
    }
}

/// The same, asking for what comes next before it is needed: what one core gets from main memory depends on how many lines are on
/// their way at once, and processors alone do not ask for as many everywhere.
pub(super) fn pass_ahead(pass: Pass, slice: &mut [u8], n_times: u64) {
    check(slice);
    match pass {
        Pass::Read if x86::has_avx512() => read_ahead_512(slice, n_times.max(1)),
        Pass::Read if x86::has_avx2() => read_ahead_256(slice, n_times.max(1)),
        Pass::Read => read_ahead_128(slice, n_times.max(1)),
        Pass::Triad => self::pass(pass, slice, n_times),
    }
}

/// Has every cache of the machine forget a slice.
pub(super) fn flush(slice: &[u8]) {
    check(slice);
    let range = slice.as_ptr_range();
    // SAFETY: see the opening; the instruction is part of every x86-64, and what memory holds stays the same.
    unsafe {
        asm!(
            "2:",
            "clflush [{at}]",
            "clflush [{at} + 64]",
            "clflush [{at} + 128]",
            "clflush [{at} + 192]",
            "add {at}, 256",
            "cmp {at}, {end}",
            "jb 2b",
            "mfence",
            at = inout(reg) range.start => _,
            end = in(reg) range.end,
            options(nostack),
        );
    }
}

fn check(slice: &[u8]) {
    assert!(!slice.is_empty() && slice.len().is_multiple_of(3 * BLOCK), "a slice is of whole blocks");
    assert!(slice.as_ptr().addr().is_multiple_of(64), "a slice begins at a line");
}

macro_rules! read {
    ($name:ident, $load:literal, $register:literal, $size:literal, $end:literal $(, $ahead:literal)*) => {
        fn $name(slice: &[u8], n_times: u64) {
            let range = slice.as_ptr_range();
            // SAFETY: see the opening; the length is a multiple of eight vectors.
            unsafe {
                asm!(
                    "3:",
                    "mov {at}, {start}",
                    ".p2align 5",
                    "2:",
                    $(concat!("prefetcht0 [{at} + ", $ahead, "]"),)*
                    concat!($load, " ", $register, "0, [{at}]"),
                    concat!($load, " ", $register, "1, [{at} + ", $size, "]"),
                    concat!($load, " ", $register, "2, [{at} + 2 * ", $size, "]"),
                    concat!($load, " ", $register, "3, [{at} + 3 * ", $size, "]"),
                    concat!($load, " ", $register, "4, [{at} + 4 * ", $size, "]"),
                    concat!($load, " ", $register, "5, [{at} + 5 * ", $size, "]"),
                    concat!($load, " ", $register, "6, [{at} + 6 * ", $size, "]"),
                    concat!($load, " ", $register, "7, [{at} + 7 * ", $size, "]"),
                    concat!("add {at}, 8 * ", $size),
                    "cmp {at}, {end}",
                    "jb 2b",
                    "dec {n}",
                    "jnz 3b",
                    $end,
                    start = in(reg) range.start,
                    end = in(reg) range.end,
                    at = out(reg) _,
                    n = inout(reg) n_times => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                    out("xmm6") _, out("xmm7") _,
                    // Clearing the upper halves of all registers clears those of the rest too.
                    out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _, out("xmm12") _, out("xmm13") _,
                    out("xmm14") _, out("xmm15") _,
                    options(nostack, readonly),
                );
            }
        }
    };
}

read!(read_128, "movaps", "xmm", "16", "");
read!(read_256, "vmovaps", "ymm", "32", "vzeroupper");
read!(read_512, "vmovaps", "zmm", "64", "vzeroupper");

// The lines of one turn, 2 KiB further on.
read!(read_ahead_128, "movaps", "xmm", "16", "", "2048", "2112");
read!(read_ahead_256, "vmovaps", "ymm", "32", "vzeroupper", "2048", "2112", "2176", "2240");
read!(
    read_ahead_512,
    "vmovaps",
    "zmm",
    "64",
    "vzeroupper",
    "2048",
    "2112",
    "2176",
    "2240",
    "2304",
    "2368",
    "2432",
    "2496"
);

macro_rules! triad {
    ($name:ident, $size:literal, $clear:literal, $end:literal, [$($one:literal),+]) => {
        fn $name(slice: &mut [u8], n_times: u64) {
            let part = slice.len() / 3;
            let start = slice.as_mut_ptr();
            // The factor does not matter: the parts are zero and stay so.
            // SAFETY: see the opening; a part is a multiple of four vectors.
            unsafe {
                asm!(
                    $clear,
                    "3:",
                    "xor {at:e}, {at:e}",
                    ".p2align 5",
                    "2:",
                    $($one,)+
                    concat!("add {at}, 4 * ", $size),
                    "cmp {at}, {part}",
                    "jb 2b",
                    "dec {n}",
                    "jnz 3b",
                    $end,
                    a = in(reg) start,
                    b = in(reg) start.add(part),
                    c = in(reg) start.add(2 * part),
                    part = in(reg) part,
                    at = out(reg) _,
                    n = inout(reg) n_times => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                    out("xmm6") _, out("xmm7") _,
                    // Clearing the upper halves of all registers clears those of the rest too.
                    out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _, out("xmm12") _, out("xmm13") _,
                    out("xmm14") _, out("xmm15") _,
                    options(nostack),
                );
            }
        }
    };
}

triad!(
    triad_128,
    "16",
    "xorps xmm15, xmm15",
    "",
    [
        "movaps xmm0, [{c} + {at}]",
        "mulps xmm0, xmm15",
        "addps xmm0, [{b} + {at}]",
        "movaps [{a} + {at}], xmm0",
        "movaps xmm1, [{c} + {at} + 16]",
        "mulps xmm1, xmm15",
        "addps xmm1, [{b} + {at} + 16]",
        "movaps [{a} + {at} + 16], xmm1",
        "movaps xmm2, [{c} + {at} + 32]",
        "mulps xmm2, xmm15",
        "addps xmm2, [{b} + {at} + 32]",
        "movaps [{a} + {at} + 32], xmm2",
        "movaps xmm3, [{c} + {at} + 48]",
        "mulps xmm3, xmm15",
        "addps xmm3, [{b} + {at} + 48]",
        "movaps [{a} + {at} + 48], xmm3"
    ]
);
triad!(
    triad_256,
    "32",
    "vxorps xmm15, xmm15, xmm15",
    "vzeroupper",
    [
        "vmovaps ymm0, [{b} + {at}]",
        "vfmadd231ps ymm0, ymm15, [{c} + {at}]",
        "vmovaps [{a} + {at}], ymm0",
        "vmovaps ymm1, [{b} + {at} + 32]",
        "vfmadd231ps ymm1, ymm15, [{c} + {at} + 32]",
        "vmovaps [{a} + {at} + 32], ymm1",
        "vmovaps ymm2, [{b} + {at} + 64]",
        "vfmadd231ps ymm2, ymm15, [{c} + {at} + 64]",
        "vmovaps [{a} + {at} + 64], ymm2",
        "vmovaps ymm3, [{b} + {at} + 96]",
        "vfmadd231ps ymm3, ymm15, [{c} + {at} + 96]",
        "vmovaps [{a} + {at} + 96], ymm3"
    ]
);
triad!(
    triad_512,
    "64",
    "vxorps xmm15, xmm15, xmm15",
    "vzeroupper",
    [
        "vmovaps zmm0, [{b} + {at}]",
        "vfmadd231ps zmm0, zmm15, [{c} + {at}]",
        "vmovaps [{a} + {at}], zmm0",
        "vmovaps zmm1, [{b} + {at} + 64]",
        "vfmadd231ps zmm1, zmm15, [{c} + {at} + 64]",
        "vmovaps [{a} + {at} + 64], zmm1",
        "vmovaps zmm2, [{b} + {at} + 128]",
        "vfmadd231ps zmm2, zmm15, [{c} + {at} + 128]",
        "vmovaps [{a} + {at} + 128], zmm2",
        "vmovaps zmm3, [{b} + {at} + 192]",
        "vfmadd231ps zmm3, zmm15, [{c} + {at} + 192]",
        "vmovaps [{a} + {at} + 192], zmm3"
    ]
);
