//! Where the stack of a thread ends: nothing above is read. A thread that runs on another stack for a while, as
//! handlers of signals and coroutines do, has that one looked up.

use super::objects::each_mapping;

/// A mapping that holds a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub(crate) struct StackRange {
    start: usize,
    end: usize,
}

/// Stacks grow downwards into memory that was not mapped when we looked; so far below is still the same one.
const GROWTH: usize = 8 << 20;

impl StackRange {
    /// The stack that `sp` is on.
    pub(crate) fn of(sp: usize) -> Self {
        let mut range = Self::default();
        each_mapping(|mapping| {
            if (mapping.start..mapping.end).contains(&sp) {
                range = Self { start: mapping.start, end: mapping.end };
            }
        });
        range
    }

    /// Whether `sp` is on this stack.
    #[inline(always)]
    pub(crate) fn contains(self, sp: usize) -> bool {
        sp < self.end && sp >= self.start
    }

    /// Goes down with a stack that grew, if that is what happened.
    pub(crate) fn looked_up_again(self, sp: usize) -> Self {
        let range = Self::of(sp);
        if range.end == 0 && sp < self.start && self.start - sp < GROWTH { self } else { range }
    }

    /// A word of the stack.
    #[inline(always)]
    pub(crate) fn read(self, from: usize, at: usize) -> Option<usize> {
        if at < from || at.saturating_add(8) > self.end || !at.is_multiple_of(8) {
            return None;
        }
        Some(unsafe { *(at as *const usize) })
    }
}
