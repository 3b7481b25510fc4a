//! The kernel's perf events: opened on tasks, read from rings, put in order. Nothing here knows what a stack
//! or a profile is.

mod event;
mod record;
mod refusal;
mod ring;
mod rings;

pub(crate) use event::{Event, EventOptions, Inherit, SharedCount, Source, clock_nanos};
pub(crate) use record::{Fields, Mapped, Record, SampleRecord, until_zero};
pub use refusal::{Refusal, paranoia};
pub(crate) use rings::Rings;

/// User registers that are asked for with every sample, as bits in the kernel's order, and their DWARF
/// numbers in the order in which they arrive.
#[cfg(target_arch = "x86_64")]
pub(crate) mod registers {
    /// The kernel's bits of all general registers and the instruction pointer. The unwinder needs the stack and
    /// frame pointers; any other may hold the frame's address where a function realigns its stack.
    pub(crate) const MASK: u64 = 0x1ff | (0xff << 16);
    /// The same in DWARF's numbers, which begin in another order; 16 is the instruction pointer.
    pub(crate) const DWARF: [u8; 17] = [0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15];
}

/// Elsewhere stacks are not unwound from registers yet.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) mod registers {
    pub(crate) const MASK: u64 = 0;
    pub(crate) const DWARF: [u8; 0] = [];
}
