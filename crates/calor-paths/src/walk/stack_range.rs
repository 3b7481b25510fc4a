//! Where the stack of a thread ends: nothing above is read. A thread that runs on another stack for a while, as
//! handlers of signals and coroutines do, has that one looked up.
//!
//! # Safety
//! An address is read only between the present stack pointer and the end of the mapping that it lies in.

use super::objects::each_mapping;
use crate::sys;

/// A mapping that holds a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub(crate) struct StackRange {
    start: usize,
    end: usize,
}

const PAGE: usize = 4096;
/// How far up a stack is looked for where the process's map cannot be read.
const LOOKED_FOR: usize = 8 << 20;

impl StackRange {
    /// The stack that `sp` is on.
    pub(crate) fn of(sp: usize) -> Self {
        let mut range = Self::default();
        each_mapping(|mapping| {
            if (mapping.start..mapping.end).contains(&sp) {
                range = Self { start: mapping.start, end: mapping.end };
            }
        });
        if range.end == 0 {
            range = Self::felt(sp);
        }
        // The stack of a thread ends where its own record begins; what lies above may be anybody's, and go away.
        let own = sys::thread_pointer();
        if (sp..range.end).contains(&own) {
            range.end = own;
        }
        range
    }

    /// What is mapped from `sp` upwards: there is no `/proc`, or no file may be opened.
    fn felt(sp: usize) -> Self {
        const STEP: usize = 64 * PAGE;
        let start = sp & !(PAGE - 1);
        let mut end = start;
        while end - start < LOOKED_FOR && sys::is_mapped(end, STEP) {
            end += STEP;
        }
        while end - start < LOOKED_FOR && sys::is_mapped(end, PAGE) {
            end += PAGE;
        }
        Self { start, end }
    }

    /// Whether `sp` is on this stack.
    #[inline(always)]
    pub(crate) fn contains(self, sp: usize) -> bool {
        sp < self.end && sp >= self.start
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

#[cfg(test)]
mod tests {
    use super::StackRange;

    #[test]
    fn the_stack_of_a_thread_is_found_with_and_without_the_map() {
        let check = || {
            let here = 0u64;
            let sp = core::ptr::from_ref(&here) as usize;
            let (read, felt) = (StackRange::of(sp), StackRange::felt(sp));
            assert!(read.contains(sp) && felt.contains(sp), "{sp:x} {read:x?} {felt:x?}");
        };
        check();
        std::thread::spawn(check).join().expect("the thread finds its stack");
    }
}
