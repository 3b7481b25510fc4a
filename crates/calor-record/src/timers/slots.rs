//! The memory that handlers write samples into. It is set aside once, never given back and shared by all threads
//! without a lock: a handler takes any slot that is free and drops its sample when none is.

#![expect(unsafe_code, reason = "slots are written by signal handlers and handed over by an atomic")]

use std::cell::UnsafeCell;
use std::io;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};

use crate::perf::registers;

/// How much of a stack is copied; what lies beyond is read later if the thread is still there.
pub(crate) const STACK_BYTES: usize = 16 << 10;
/// Samples that wait to be read, for each processor: a quarter of a second at the rate that the kernel's tick allows.
const SLOTS_PER_PROCESSOR: usize = 64;
const MOST_SLOTS: usize = 1_024;
/// Slots that a handler looks at before it gives up.
const TRIES: usize = 8;

const FREE: u32 = 0;
const BEING_WRITTEN: u32 = 1;
const WRITTEN: u32 = 2;

/// What a handler saw.
#[repr(C)]
pub(crate) struct Caught {
    /// The sampling that it is for.
    pub(crate) session: u32,
    pub(crate) tid: i32,
    /// The thread's CPU time.
    pub(crate) cpu_nanos: u64,
    pub(crate) time: u64,
    /// In the order of [`registers::DWARF`].
    pub(crate) registers: [u64; registers::DWARF.len()],
    pub(crate) stack_length: usize,
    pub(crate) stack: [u8; STACK_BYTES],
}

#[repr(C)]
struct Slot {
    state: AtomicU32,
    caught: UnsafeCell<Caught>,
}

/// All slots.
pub(super) struct Slots {
    slots: &'static [Slot],
    next: AtomicUsize,
    lost: AtomicU64,
}

// SAFETY: what a slot holds is touched only by the one who moved its state on.
unsafe impl Sync for Slots {}
// SAFETY: as above; the memory belongs to the process.
unsafe impl Send for Slots {}

impl Slots {
    /// Sets the memory aside; pages are taken from the system when they are first written.
    pub(super) fn new() -> io::Result<Self> {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let count = (processors * SLOTS_PER_PROCESSOR).clamp(2 * SLOTS_PER_PROCESSOR, MOST_SLOTS);
        let size = count * size_of::<Slot>();
        let (access, kind) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
        );
        // SAFETY: a new mapping at an address of the kernel's choice.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), size, access, kind, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the mapping is large enough, aligned to a page, never unmapped, and zeros are valid slots.
        let slots = unsafe { std::slice::from_raw_parts(base.cast::<Slot>(), count) };
        Ok(Self { slots, next: AtomicUsize::new(0), lost: AtomicU64::new(0) })
    }

    /// Lets `write` fill a free slot. Called by handlers: it neither waits nor allocates.
    pub(super) fn put(&self, write: impl FnOnce(&mut Caught)) {
        for _ in 0..TRIES {
            let at = self.next.fetch_add(1, Relaxed) % self.slots.len();
            let slot = &self.slots[at];
            if slot.state.compare_exchange(FREE, BEING_WRITTEN, AcqRel, Relaxed).is_ok() {
                // SAFETY: whoever moves the state from free on is alone with the slot until it is written.
                write(unsafe { &mut *slot.caught.get() });
                slot.state.store(WRITTEN, Release);
                return;
            }
        }
        self.lost.fetch_add(1, Relaxed);
    }

    /// Hands over every written slot and frees it. One reader at a time.
    pub(super) fn drain(&self, mut take: impl FnMut(&Caught)) {
        for slot in self.slots {
            if slot.state.load(Acquire) == WRITTEN {
                // SAFETY: a written slot is touched by nobody but the one reader.
                take(unsafe { &*slot.caught.get() });
                slot.state.store(FREE, Release);
            }
        }
    }

    /// How many samples found no slot since the last time this was asked.
    pub(super) fn take_lost(&self) -> u64 {
        self.lost.swap(0, Relaxed)
    }

    /// Gives the pages back unless a handler is still at work on one.
    pub(super) fn give_back(&self) {
        if self.slots.iter().all(|slot| slot.state.load(Acquire) == FREE) {
            let (base, size) = (self.slots.as_ptr(), size_of_val(self.slots));
            // SAFETY: the mapping stays; its content becomes zeros, which are free slots.
            unsafe { libc::madvise(base.cast_mut().cast(), size, libc::MADV_DONTNEED) };
        }
    }

    /// In a forked child: the handlers that were at work do not exist here.
    pub(super) fn start_afresh(&self) {
        self.slots.iter().for_each(|slot| slot.state.store(FREE, Relaxed));
        self.lost.store(0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_drained_once_and_what_finds_no_room_is_counted() {
        let slots = Slots::new().expect("there is memory");
        let n_slots = slots.slots.len();
        for tid in 0..n_slots + 5 {
            slots.put(|caught| caught.tid = i32::try_from(tid).expect("few"));
        }
        let mut tids = Vec::new();
        slots.drain(|caught| tids.push(caught.tid));
        tids.sort_unstable();
        assert_eq!(tids, (0..i32::try_from(n_slots).expect("few")).collect::<Vec<_>>());
        assert_eq!((slots.take_lost(), slots.take_lost()), (5, 0));
        slots.drain(|_| panic!("it was drained"));
    }

    #[test]
    fn threads_that_put_at_the_same_time_get_slots_of_their_own() {
        let slots = Slots::new().expect("there is memory");
        let (mut seen, mut mixed) = (0_u64, 0);
        std::thread::scope(|threads| {
            let writers: Vec<_> = (0..4)
                .map(|tid| {
                    let slots = &slots;
                    threads.spawn(move || {
                        for _ in 0..20_000 {
                            slots.put(|caught| {
                                caught.tid = tid;
                                caught.registers.fill(u64::try_from(tid).expect("small"));
                            });
                        }
                    })
                })
                .collect();
            let mut look = || {
                slots.drain(|caught| {
                    seen += 1;
                    mixed += usize::from(caught.registers.iter().any(|value| *value != caught.tid as u64));
                });
            };
            while writers.iter().any(|writer| !writer.is_finished()) {
                look();
            }
            look();
        });
        assert_eq!((seen + slots.take_lost(), mixed), (80_000, 0));
    }
}
