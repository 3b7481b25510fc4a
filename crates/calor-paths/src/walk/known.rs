//! Paths that were walked before and come again: a loop that allocates in several places goes through the same few paths
//! over and over. Of each, the words of the stack are kept that make it the path it is. Where they are the same again,
//! nothing has to be walked.
//!
//! Which of the known paths it may be is told by the words in which the paths from one place have differed so far.
//!
//! # Safety
//! Words are read only while the thread is on the stack that they were found on, at addresses above the present stack
//! pointer: that part of a stack is mapped.

use core::num::NonZeroUsize;

use super::Registers;

/// Places that allocate, and paths to them.
const PLACES: usize = 64;
const PATHS: usize = 64;
/// Words that differ between the paths of one place.
const TELLING: usize = 3;
/// After so many words were learned a place learns no more: its paths differ in too many ways.
const LEARNED: u8 = 12;
/// Words of a path that are its own.
pub(super) const OWN_WORDS: usize = 8;

/// A word of the stack, and what it was.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Word {
    pub(super) from: usize,
    pub(super) value: usize,
}

impl Word {
    /// What is different now, as bits.
    ///
    /// # Safety
    /// The address is that of a word on the present stack, above the stack pointer, or of a static.
    #[inline(always)]
    pub(super) unsafe fn difference(self) -> usize {
        unsafe { *(self.from as *const usize) ^ self.value }
    }
}

/// A place that allocates, with its stack pointer.
#[derive(Clone, Copy)]
#[repr(C)]
struct Place {
    pc: usize,
    sp: usize,
    /// Which of the stacks it was on.
    stack: u32,
    learned: u8,
    telling: [usize; TELLING],
}

/// A path that is known.
#[derive(Clone, Copy)]
#[repr(C, align(256))]
pub(super) struct KnownPath {
    pub(super) at: Registers,
    /// Whether the frame pointer has to be what it was.
    pub(super) needs_base: bool,
    /// Whether a handler of a signal is at work.
    pub(super) has_signal: bool,
    /// How many of the levels it goes on from, and the number that the last of them was given.
    pub(super) kept: u16,
    pub(super) serial: u64,
    /// How many of the words of the levels are those of the path too.
    pub(super) n_words: u16,
    pub(super) n_own: u16,
    /// The number of the path, 0 when it has none yet.
    pub(super) site: u32,
    pub(super) hash: u64,
    pub(super) own: [Word; OWN_WORDS],
}

/// The known paths of a thread. Zeroed memory has none.
#[repr(C)]
pub(super) struct KnownPaths {
    /// Rises with each change of the stack.
    stack: u32,
    places: [Place; PLACES],
    /// The first is not used.
    paths: [KnownPath; PATHS + 1],
}

/// Where in the table a path is.
pub(super) type Index = NonZeroUsize;

impl KnownPaths {
    /// The thread runs on another stack: no address that is known means anything there.
    pub(super) fn change_stack(&mut self) {
        self.stack = self.stack.wrapping_add(1);
    }

    #[inline(always)]
    pub(super) fn get(&self, index: Index) -> &KnownPath {
        &self.paths[index.get()]
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self, index: Index) -> &mut KnownPath {
        &mut self.paths[index.get()]
    }

    /// Where a path that leads here would be, if this is a place that is known.
    #[inline(always)]
    pub(super) fn index(&self, at: Registers) -> Option<Index> {
        let place = &self.places[place_of(at)];
        if place.pc != at.pc || place.sp != at.sp || place.stack != self.stack {
            return None;
        }
        Some(index_of(place))
    }

    /// Where to put a path that leads here. `telling` is where it differs from the one before.
    pub(super) fn learn(&mut self, at: Registers, telling: Option<usize>) -> Index {
        let stack = self.stack;
        let place = &mut self.places[place_of(at)];
        if place.pc != at.pc || place.sp != at.sp || place.stack != stack {
            let nothing = core::ptr::from_ref(&NOTHING).addr();
            *place = Place { pc: at.pc, sp: at.sp, stack, learned: 0, telling: [nothing; TELLING] };
        }
        if let Some(telling) = telling
            && place.learned < LEARNED
            && !place.telling.contains(&telling)
        {
            place.telling[usize::from(place.learned) % TELLING] = telling;
            place.learned += 1;
        }
        index_of(place)
    }
}

/// What a place reads that has not learned enough.
static NOTHING: usize = 0;

#[inline(always)]
fn place_of(at: Registers) -> usize {
    (at.sp >> 4 ^ at.pc).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PLACES.trailing_zeros())
}

#[inline(always)]
fn index_of(place: &Place) -> Index {
    // Products that do not wait for each other.
    let mut key = (place.sp ^ place.pc).wrapping_mul(FACTORS[0]);
    for (from, factor) in place.telling.iter().zip(&FACTORS[1..]) {
        key = key.wrapping_add(unsafe { *(*from as *const usize) }.wrapping_mul(*factor));
    }
    NonZeroUsize::MIN.saturating_add(key >> (64 - PATHS.trailing_zeros()))
}

const FACTORS: [usize; 1 + TELLING] =
    [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f, 0xd6e8_feb8_6659_fd93, 0xa076_1d64_78bd_642f];
