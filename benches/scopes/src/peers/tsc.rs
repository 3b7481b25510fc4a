//! Two bare reads of the counter that every quick recorder uses: the floor of a timed scope.

#![expect(unsafe_code, reason = "the counter is read by an intrinsic or an instruction")]

use super::no_batch;
use crate::peer::Peer;

pub(crate) struct TwoReads;

macro_rules! scope {
    ($name:literal, $body:expr) => {{
        let _start = ticks();
        $body;
        let _end = ticks();
    }};
}

workload_functions!(scope, no_batch);

impl Peer for TwoReads {
    workloads!(scope, no_batch);
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn ticks() -> u64 {
    // SAFETY: every x86-64 processor has the instruction, and Linux lets programs use it.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn ticks() -> u64 {
    let ticks;
    // SAFETY: reads a register that Linux makes readable to programs; touches no memory and no flags.
    unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nostack, preserves_flags)) };
    ticks
}
