//! The ring of finished scopes that each thread writes, 16 bytes an event. It is the buffer between leaving a
//! scope and folding it into the tree, and it is the timeline: what has been folded stays until overwritten.
//!
//! One thread writes; any other may copy events out and then check, by the head, which of them it can trust.

#![expect(unsafe_code, reason = "folding does without bounds checks")]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Set in an event's node when the call stands for untimed calls too.
pub(crate) const SAMPLED: u32 = 1 << 31;
/// The node of the second slot of a long event, whose `start` is the duration.
pub(crate) const CONTINUED: u32 = SAMPLED - 1;

/// One finished scope: when it began, its node, how long it took. A duration that does not fit 32 bits is
/// written as `u32::MAX`, and the next slot holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Event {
    pub(crate) start: u64,
    pub(crate) node: u32,
    pub(crate) duration: u32,
}

/// An event as it lies in the ring.
#[derive(Default)]
pub(crate) struct Slot {
    start: AtomicU64,
    rest: AtomicU64,
}

impl Slot {
    #[inline(always)]
    pub(crate) fn store(&self, event: Event) {
        self.start.store(event.start, Relaxed);
        self.rest.store(u64::from(event.node) | u64::from(event.duration) << 32, Relaxed);
    }

    #[inline(always)]
    pub(crate) fn load(&self) -> Event {
        let rest = self.rest.load(Relaxed);
        Event { start: self.start.load(Relaxed), node: rest as u32, duration: (rest >> 32) as u32 }
    }
}

/// A ring of a power of two of slots.
pub(crate) struct Ring {
    slots: Box<[Slot]>,
    /// The number of the first event that the block's owner wrote to this ring.
    first: AtomicU64,
}

impl Ring {
    /// A ring whose pages are all touched, so that the first lap costs what the others do.
    pub(crate) fn new(capacity: usize, first: u64) -> Self {
        Self {
            slots: (0..capacity.next_power_of_two()).map(|_| Slot::default()).collect(),
            first: AtomicU64::new(first),
        }
    }

    pub(crate) fn capacity(&self) -> u64 {
        self.slots.len() as u64
    }

    pub(crate) fn base(&self) -> *const Slot {
        self.slots.as_ptr()
    }

    /// The event of a number; whether it is still that one is for the caller to know.
    #[inline(always)]
    pub(crate) fn load(&self, number: u64) -> Event {
        // SAFETY: the number of slots is a power of two, so the mask keeps the index inside.
        unsafe { self.slots.get_unchecked((number & (self.capacity() - 1)) as usize) }.load()
    }

    /// The number of the first event that the block's owner wrote to this ring.
    pub(crate) fn first(&self) -> u64 {
        self.first.load(Relaxed)
    }

    /// Forgets the events before a number: they are of an earlier owner.
    pub(crate) fn restart(&self, first: u64) {
        self.first.store(first, Relaxed);
    }

    /// The number of the oldest event that is surely whole when the head is `head`: the owner may be
    /// overwriting the slot at the head already, and a long event takes two.
    pub(crate) fn oldest(&self, head: u64) -> u64 {
        self.first().max((head + 2).saturating_sub(self.capacity()))
    }
}
