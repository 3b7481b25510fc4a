//! What Calor allocates for itself in the program: no part of the program's heap, where that is watched.

#[cfg(feature = "told-heap")]
pub(crate) use crate::heap::{as_own, own_for_good};

/// Runs work whose memory is Calor's.
#[cfg(not(feature = "told-heap"))]
pub(crate) fn as_own<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// From here on, what this thread allocates is Calor's.
#[cfg(not(feature = "told-heap"))]
pub(crate) fn own_for_good() {}

/// What Calor made for the program becomes the program's.
pub(crate) fn hand_out<T: Clone>(made: T) -> T {
    let copy = made.clone();
    as_own(|| drop(made));
    copy
}
