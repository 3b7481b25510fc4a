//! Which launch came from where: told when the program launches, asked for when the GPU is done. Launches are numbered in turn,
//! so their places lie in a ring: what is not asked for in time is overwritten, and nothing grows.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Launches that are remembered: 2 MiB. CUPTI hands records over when some thousands have come together.
const N_KEPT: usize = 1 << 18;

/// Where something was launched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
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

/// Numbers of launches, each with its place in the lower half.
pub(super) struct Launches {
    places: Box<[AtomicU64]>,
    /// The last launch before the last reset; none before the first.
    forgotten: AtomicU64,
    last: AtomicU32,
}

impl Launches {
    pub(super) fn new() -> Self {
        let places = (0..N_KEPT).map(|_| AtomicU64::new(0)).collect();
        Self { places, forgotten: AtomicU64::new(NOTHING), last: AtomicU32::new(0) }
    }

    /// A launch is about to be made.
    pub(super) fn tell(&self, launch: u32, place: Place) {
        let number = match place {
            Place::Known(number) => number.get(),
            Place::Unknown => UNKNOWN,
            Place::NoRoom => NO_ROOM,
            Place::NotRecorded => NOT_RECORDED,
        };
        self.places[launch as usize % N_KEPT].store(u64::from(launch) << 32 | u64::from(number), Relaxed);
        self.last.store(launch, Relaxed);
    }

    /// Where it was made.
    pub(super) fn place(&self, launch: u32) -> Place {
        let kept = self.places[launch as usize % N_KEPT].load(Relaxed);
        if kept >> 32 != u64::from(launch) {
            // Numbers begin anew after 2^32 launches.
            let forgotten = self.forgotten.load(Relaxed);
            let is_late = forgotten != NOTHING && (forgotten as u32).wrapping_sub(launch) < N_LATE;
            return if is_late { Place::NotRecorded } else { Place::Unknown };
        }
        match kept as u32 {
            NOT_RECORDED => Place::NotRecorded,
            NO_ROOM => Place::NoRoom,
            number => NonZeroU32::new(number).map_or(Place::Unknown, Place::Known),
        }
    }

    /// Nothing that was launched before is recorded.
    pub(super) fn forget(&self) {
        self.forgotten.store(u64::from(self.last.load(Relaxed)), Relaxed);
        for place in &self.places {
            place.fetch_or(u64::from(NOT_RECORDED), Relaxed);
        }
    }
}

const NOTHING: u64 = u64::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    fn known(number: u32) -> Place {
        Place::Known(NonZeroU32::new(number).expect("a number of a place"))
    }

    #[test]
    fn a_launch_is_found_by_its_number() {
        let launches = Launches::new();
        launches.tell(7, known(3));
        launches.tell(8, Place::NotRecorded);
        launches.tell(9, Place::Unknown);
        assert_eq!(
            [7, 8, 9, 10].map(|launch| launches.place(launch)),
            [known(3), Place::NotRecorded, Place::Unknown, Place::Unknown]
        );
    }

    #[test]
    fn a_launch_that_another_one_took_the_place_of_is_not_taken_for_it() {
        let launches = Launches::new();
        launches.tell(7, known(3));
        launches.tell(7 + N_KEPT as u32, known(4));
        assert_eq!(launches.place(7), Place::Unknown);
        assert_eq!(launches.place(7 + N_KEPT as u32), known(4));
    }

    #[test]
    fn what_was_launched_before_a_reset_is_not_recorded_and_what_comes_is() {
        let launches = Launches::new();
        for launch in [u32::MAX - 1, u32::MAX] {
            launches.tell(launch, known(3));
        }
        launches.forget();
        launches.tell(1, known(4));
        assert_eq!(launches.place(u32::MAX), Place::NotRecorded);
        assert_eq!(launches.place(1), known(4));
        // One that the ring has no more, and numbers that come much later.
        launches.tell(u32::MAX.wrapping_add(N_KEPT as u32), known(5));
        assert_eq!(launches.place(u32::MAX), Place::NotRecorded);
        for late in [1 << 25, 1 << 31, (1 << 31) + 7] {
            launches.tell(late, known(6));
            assert_eq!(launches.place(late), known(6), "{late}");
        }
    }
}
