//! Which launch came from where: noted when the program launches, asked for when the GPU is done. Launches are numbered in turn,
//! so their origins lie in a ring: what is not asked for in time is overwritten, and nothing grows.

use core::num::NonZeroU32;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Launches that are remembered: 2 MiB. CUPTI hands records over when some thousands have come together.
const N_KEPT: usize = 1 << 18;

/// Where something was launched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// At a place that has a number.
    Known(NonZeroU32),
    /// At none that is known: outside of all scopes, or by a call that is not listened to.
    Unknown,
    /// At one that has no number, because there were too many.
    NoRoom,
    /// While nothing was to be recorded.
    NotRecorded,
}

const UNKNOWN: u32 = 0;
const NOT_RECORDED: u32 = u32::MAX;
const NO_ROOM: u32 = u32::MAX - 1;

/// Launches before a reset of which the ring holds nothing any more, and whose records may still come.
const N_LATE: u32 = 1 << 24;

/// Numbers of launches, each with its origin in the lower half.
pub struct Launches {
    origins: [AtomicU64; N_KEPT],
    /// The number behind that of the last launch before the last reset; 0 before the first.
    forgotten: AtomicU64,
    last: AtomicU32,
}

impl Launches {
    /// A ring that no launch is in: zeros, so that as a static it takes memory only once there are some.
    #[expect(clippy::new_without_default, reason = "a ring is a static, and Default is not const")]
    #[must_use]
    pub const fn new() -> Self {
        let (forgotten, last) = (AtomicU64::new(0), AtomicU32::new(0));
        Self { origins: [const { AtomicU64::new(0) }; N_KEPT], forgotten, last }
    }

    /// A launch is about to be made.
    pub fn note(&self, launch: u32, origin: Origin) {
        let number = match origin {
            Origin::Known(number) => number.get(),
            Origin::Unknown => UNKNOWN,
            Origin::NoRoom => NO_ROOM,
            Origin::NotRecorded => NOT_RECORDED,
        };
        self.origins[launch as usize % N_KEPT].store(u64::from(launch) << 32 | u64::from(number), Relaxed);
        self.last.store(launch, Relaxed);
    }

    /// Where it was made.
    pub fn origin(&self, launch: u32) -> Origin {
        let kept = self.origins[launch as usize % N_KEPT].load(Relaxed);
        if kept >> 32 != u64::from(launch) {
            // Numbers begin anew after 2^32 launches.
            let forgotten = self.forgotten.load(Relaxed);
            let is_late = forgotten != 0 && (forgotten as u32).wrapping_sub(1).wrapping_sub(launch) < N_LATE;
            return if is_late { Origin::NotRecorded } else { Origin::Unknown };
        }
        match kept as u32 {
            NOT_RECORDED => Origin::NotRecorded,
            NO_ROOM => Origin::NoRoom,
            number => NonZeroU32::new(number).map_or(Origin::Unknown, Origin::Known),
        }
    }

    /// Nothing that was launched before is recorded.
    pub fn forget(&self) {
        self.forgotten.store(u64::from(self.last.load(Relaxed)) + 1, Relaxed);
        for origin in &self.origins {
            origin.fetch_or(u64::from(NOT_RECORDED), Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(number: u32) -> Origin {
        Origin::Known(NonZeroU32::new(number).expect("a number of a place"))
    }

    #[test]
    fn a_launch_is_found_by_its_number() {
        static LAUNCHES: Launches = Launches::new();
        LAUNCHES.note(7, known(3));
        LAUNCHES.note(8, Origin::NotRecorded);
        LAUNCHES.note(9, Origin::Unknown);
        assert_eq!(
            [7, 8, 9, 10].map(|launch| LAUNCHES.origin(launch)),
            [known(3), Origin::NotRecorded, Origin::Unknown, Origin::Unknown]
        );
    }

    #[test]
    fn a_launch_that_another_one_took_the_place_of_is_not_taken_for_it() {
        static LAUNCHES: Launches = Launches::new();
        LAUNCHES.note(7, known(3));
        LAUNCHES.note(7 + N_KEPT as u32, known(4));
        assert_eq!(LAUNCHES.origin(7), Origin::Unknown);
        assert_eq!(LAUNCHES.origin(7 + N_KEPT as u32), known(4));
    }

    #[test]
    fn what_was_launched_before_a_reset_is_not_recorded_and_what_comes_is() {
        static LAUNCHES: Launches = Launches::new();
        for launch in [u32::MAX - 1, u32::MAX] {
            LAUNCHES.note(launch, known(3));
        }
        LAUNCHES.forget();
        LAUNCHES.note(1, known(4));
        assert_eq!(LAUNCHES.origin(u32::MAX), Origin::NotRecorded);
        assert_eq!(LAUNCHES.origin(1), known(4));
        // One that the ring has no more, and numbers that come much later.
        LAUNCHES.note(u32::MAX.wrapping_add(N_KEPT as u32), known(5));
        assert_eq!(LAUNCHES.origin(u32::MAX), Origin::NotRecorded);
        for late in [1 << 25, 1 << 31, (1 << 31) + 7] {
            LAUNCHES.note(late, known(6));
            assert_eq!(LAUNCHES.origin(late), known(6), "{late}");
        }
    }
}
