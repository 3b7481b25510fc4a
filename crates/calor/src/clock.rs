//! The clock: raw ticks of the processor's counter while recording, nanoseconds only when reported.
//!
//! Reading the counter costs about 10 ns, half of what the operating system's clock costs, and a conversion
//! on the hot path would cost as much again.

#![cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    expect(unsafe_code, reason = "reads the processor's counter")
)]

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::first_value::FirstValue;

/// Reads the counter.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn ticks() -> u64 {
    // SAFETY: RDTSC exists on every x86-64 processor and has no precondition.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// Reads the counter.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub(crate) fn ticks() -> u64 {
    let ticks: u64;
    // SAFETY: the virtual counter may be read in user mode and reading it changes nothing.
    unsafe { std::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
    ticks
}

/// Reads the operating system's clock, where no counter is known.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn ticks() -> u64 {
    both_clocks().0
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
static FIRST: OnceLock<Instant> = OnceLock::new();

/// An instant known on every clock: where a process's times count from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchor {
    pub(crate) ticks: u64,
    pub(crate) instant: Instant,
    pub(crate) unix_nanos: u64,
}

/// The anchor of this process, set by the first call.
pub(crate) fn anchor() -> Anchor {
    static ANCHOR: FirstValue<Anchor> = FirstValue::new();
    *ANCHOR.get_or_make(|| {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let unix_nanos = u64::try_from(since_1970.as_nanos()).unwrap_or(0);
        let (ticks, instant) = both_clocks();
        Anchor { ticks, instant, unix_nanos }
    })
}

/// Reads both clocks as close together as three tries allow.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn both_clocks() -> (u64, Instant) {
    let attempt = || {
        let before = ticks();
        let instant = Instant::now();
        let apart = ticks().wrapping_sub(before);
        (apart, before.wrapping_add(apart / 2), instant)
    };
    let tries = [attempt(), attempt(), attempt()];
    let (_, ticks, instant) = tries.into_iter().min_by_key(|a| a.0).expect("three tries were made");
    (ticks, instant)
}

/// There is one clock only.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn both_clocks() -> (u64, Instant) {
    let now = Instant::now();
    let nanos = now.saturating_duration_since(*FIRST.get_or_init(|| now)).as_nanos();
    (u64::try_from(nanos).unwrap_or(u64::MAX), now)
}

/// For how long the clocks have to run side by side before their rates are compared.
const SHORTEST_COMPARISON: Duration = Duration::from_millis(1);

/// How ticks become nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// Nanoseconds a tick, times 2^32.
    multiplier: u64,
}

impl Scale {
    /// Compares the two clocks since the anchor. The comparison is good to one part in ten thousand after a
    /// millisecond, which this waits for, and is kept for good once it spans a second.
    pub(crate) fn measure() -> Self {
        static SETTLED: FirstValue<Scale> = FirstValue::new();
        if let Some(scale) = SETTLED.get() {
            return *scale;
        }
        let anchor = anchor();
        while !Self::is_known() {
            std::hint::spin_loop();
        }
        let (ticks, instant) = both_clocks();
        let nanos = instant.duration_since(anchor.instant).as_nanos();
        let ticks = u128::from(ticks.wrapping_sub(anchor.ticks).max(1));
        let scale = Self { multiplier: u64::try_from((nanos << 32) / ticks).unwrap_or(1 << 32).max(1) };
        if nanos >= 1_000_000_000 { *SETTLED.get_or_make(|| scale) } else { scale }
    }

    /// Whether [`Scale::measure`] answers at once.
    pub(crate) fn is_known() -> bool {
        anchor().instant.elapsed() >= SHORTEST_COMPARISON
    }

    /// Ticks as whole nanoseconds, rounded down: parts never add up to more than their whole.
    pub(crate) fn nanos(self, ticks: u64) -> u64 {
        u64::try_from((u128::from(ticks) * u128::from(self.multiplier)) >> 32).unwrap_or(u64::MAX)
    }

    /// Nanoseconds a tick.
    pub(crate) fn nanos_per_tick(self) -> f64 {
        self.multiplier as f64 / 4_294_967_296.0
    }
}

/// Whether the counter runs at one rate on all cores whatever the processor does.
pub(crate) fn is_steady() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        // Leaf 0x8000_0007, EDX bit 8: the counter is invariant.
        let highest = std::arch::x86_64::__cpuid(0x8000_0000).eax;
        highest >= 0x8000_0007 && std::arch::x86_64::__cpuid(0x8000_0007).edx & (1 << 8) != 0
    }
    #[cfg(not(target_arch = "x86_64"))]
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_the_nanoseconds_of_the_other_clock() {
        let (ticks, instant) = (ticks(), Instant::now());
        std::thread::sleep(Duration::from_millis(50));
        let (later, nanos) = (super::ticks(), instant.elapsed().as_nanos() as f64);
        let scaled = Scale::measure().nanos(later - ticks) as f64;
        assert!((scaled / nanos - 1.0).abs() < 0.01, "{scaled} ns by ticks, {nanos} ns by the clock");
    }

    #[test]
    fn parts_never_add_up_to_more_than_their_whole() {
        let scale = Scale { multiplier: 1_654_321_987 };
        for part in (0..5000_u64).map(|i| i * 7919) {
            assert!(scale.nanos(part) + scale.nanos(part + 13) <= scale.nanos(2 * part + 13));
        }
    }
}
