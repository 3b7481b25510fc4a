//! Tiles of vectors of 512 bits, in assembly: the oldest compiler that builds Calor has no intrinsics for them. Eight rows
//! and two vectors across are 16 sums, enough to keep both units of a core busy while each waits four cycles.
//!
//! # Safety
//! As for [`tile`](super::tile): the processor has AVX-512F, and all that is read and written is there. `k` rounds read
//! eight numbers of `a` and two vectors of `b` each.

#![expect(unsafe_code, reason = "instructions that have no intrinsics in the oldest compiler")]

use std::arch::asm;

macro_rules! row {
    ($broadcast:literal, $fused:literal, $offset:literal, $number:literal, $left:literal, $right:literal) => {
        concat!(
            $broadcast,
            " zmm",
            $number,
            ", [{a} + ",
            $offset,
            "]\n",
            $fused,
            " zmm",
            $left,
            ", zmm",
            $number,
            ", zmm16\n",
            $fused,
            " zmm",
            $right,
            ", zmm",
            $number,
            ", zmm17\n",
        )
    };
}

macro_rules! soon {
    () => {
        "prefetcht0 [{far}]\nprefetcht0 [{far} + 64]\nadd {far}, {stride}\n"
    };
}

macro_rules! store {
    ($load:literal, $add:literal, $left:literal, $right:literal) => {
        concat!(
            $add,
            " zmm",
            $left,
            ", zmm",
            $left,
            ", [{c}]\n",
            $add,
            " zmm",
            $right,
            ", zmm",
            $right,
            ", [{c} + 64]\n",
            $load,
            " [{c}], zmm",
            $left,
            "\n",
            $load,
            " [{c} + 64], zmm",
            $right,
            "\n",
            "add {c}, {stride}\n",
        )
    };
}

macro_rules! wide {
    ($name:ident, $type:ty, $broadcast:literal, $fused:literal, $move:literal, $add:literal,
     [$o0:literal, $o1:literal, $o2:literal, $o3:literal, $o4:literal, $o5:literal, $o6:literal, $o7:literal], $step:literal) => {
        pub(crate) unsafe fn $name(k: usize, a: *const $type, b: *const $type, c: *mut $type, stride: usize) {
            // SAFETY: see the opening; a round is left out where there is none.
            unsafe {
                asm!(
                    "vxorps xmm0, xmm0, xmm0", "vxorps xmm1, xmm1, xmm1", "vxorps xmm2, xmm2, xmm2",
                    "vxorps xmm3, xmm3, xmm3", "vxorps xmm4, xmm4, xmm4", "vxorps xmm5, xmm5, xmm5",
                    "vxorps xmm6, xmm6, xmm6", "vxorps xmm7, xmm7, xmm7", "vxorps xmm8, xmm8, xmm8",
                    "vxorps xmm9, xmm9, xmm9", "vxorps xmm10, xmm10, xmm10", "vxorps xmm11, xmm11, xmm11",
                    "vxorps xmm12, xmm12, xmm12", "vxorps xmm13, xmm13, xmm13", "vxorps xmm14, xmm14, xmm14",
                    "vxorps xmm15, xmm15, xmm15",
                    // Rows of the result lie far apart, and nobody foresees them: they come while the tile is computed.
                    soon!(), soon!(), soon!(), soon!(), soon!(), soon!(), soon!(), soon!(),
                    "test {k}, {k}",
                    "jz 3f",
                    ".p2align 5",
                    "2:",
                    concat!($move, " zmm16, [{b}]"),
                    concat!($move, " zmm17, [{b} + 64]"),
                    "prefetcht0 [{b} + 1024]",
                    "prefetcht0 [{b} + 1088]",
                    row!($broadcast, $fused, $o0, 18, 0, 1),
                    row!($broadcast, $fused, $o1, 19, 2, 3),
                    row!($broadcast, $fused, $o2, 20, 4, 5),
                    row!($broadcast, $fused, $o3, 21, 6, 7),
                    row!($broadcast, $fused, $o4, 22, 8, 9),
                    row!($broadcast, $fused, $o5, 23, 10, 11),
                    row!($broadcast, $fused, $o6, 24, 12, 13),
                    row!($broadcast, $fused, $o7, 25, 14, 15),
                    concat!("add {a}, ", $step),
                    "add {b}, 128",
                    "dec {k}",
                    "jnz 2b",
                    "3:",
                    store!($move, $add, 0, 1),
                    store!($move, $add, 2, 3),
                    store!($move, $add, 4, 5),
                    store!($move, $add, 6, 7),
                    store!($move, $add, 8, 9),
                    store!($move, $add, 10, 11),
                    store!($move, $add, 12, 13),
                    store!($move, $add, 14, 15),
                    "vzeroupper",
                    k = inout(reg) k => _,
                    a = inout(reg) a => _,
                    b = inout(reg) b => _,
                    c = inout(reg) c => _,
                    far = inout(reg) c => _,
                    stride = in(reg) stride * size_of::<$type>(),
                    out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _,
                    out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                    out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _, out("zmm16") _, out("zmm17") _,
                    out("zmm18") _, out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
                    out("zmm24") _, out("zmm25") _,
                    options(nostack),
                );
            }
        }
    };
}

wide!(wide_f32, f32, "vbroadcastss", "vfmadd231ps", "vmovups", "vaddps", [0, 4, 8, 12, 16, 20, 24, 28], 32);
wide!(wide_f64, f64, "vbroadcastsd", "vfmadd231pd", "vmovupd", "vaddpd", [0, 8, 16, 24, 32, 40, 48, 56], 64);
