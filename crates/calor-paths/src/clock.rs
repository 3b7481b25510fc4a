//! The processor's counter of ticks: a few nanoseconds to read, turned into time by whoever reads the region.
//!
//! # Safety
//! Reading the counter has no effect but its answer.

/// Ticks now.
#[inline(always)]
#[must_use]
pub fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // The counter is there on every x86-64 processor.
    unsafe {
        core::arch::x86_64::_rdtsc()
    }
    #[cfg(target_arch = "aarch64")]
    {
        let ticks: u64;
        unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
        ticks
    }
}
