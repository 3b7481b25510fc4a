//! The rules that were worked out, by return address. Threads look in it without a lock; a rule that two threads work
//! out at once is written twice the same.
//!
//! # Safety
//! The table is mapped whole and never given back; places are taken modulo its capacity. A rule is worked out from the tables of
//! the file that the address belongs to, which is loaded.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::rule::Rule;
use super::{cfi, objects};
use crate::sys::{self, AfterFork};

const BITS: u32 = 18;
const CAPACITY: usize = 1 << BITS;
/// How far from its place a rule may be.
const REACH: usize = 32;

#[repr(C)]
struct Entry {
    /// 0 when empty.
    pc: AtomicU64,
    /// 0 until it is known.
    rule: AtomicU64,
}

/// The table.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Rules {
    entries: *const Entry,
}

unsafe impl Send for Rules {}

impl Rules {
    /// An empty table. Where the child of a fork begins anew it has to find out for itself, since working out a rule is
    /// also when a file is first heard of.
    #[must_use]
    pub fn new(after_fork: AfterFork) -> Option<Self> {
        let memory = sys::map_private(CAPACITY * size_of::<Entry>(), after_fork)?;
        Some(Self { entries: memory.cast().as_ptr() })
    }

    /// The table at this address, which [`Rules::address`] gave.
    #[inline(always)]
    #[must_use]
    pub fn at(address: usize) -> Self {
        Self { entries: address as *const Entry }
    }

    /// Where it is.
    #[must_use]
    pub fn address(self) -> usize {
        self.entries as usize
    }

    /// The rule of a return address, and which of the files it belongs to that lay there one after the other.
    #[inline(always)]
    pub(crate) fn get(self, pc: usize, found: impl FnOnce(&objects::Object) -> u8) -> (Rule, u8) {
        let home = (pc as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS);
        let entry = unsafe { &*self.entries.add(home as usize) };
        if entry.pc.load(Relaxed) == pc as u64 {
            let rule = entry.rule.load(Acquire);
            if rule != 0 {
                return unpacked(rule);
            }
        }
        self.search(pc, home as usize, found)
    }

    #[cold]
    #[inline(never)]
    fn search(self, pc: usize, home: usize, found: impl FnOnce(&objects::Object) -> u8) -> (Rule, u8) {
        for step in 0..REACH {
            let entry = unsafe { &*self.entries.add((home + step) & (CAPACITY - 1)) };
            let known = entry.pc.load(Relaxed);
            if known == pc as u64 {
                let rule = entry.rule.load(Acquire);
                if rule != 0 {
                    return unpacked(rule);
                }
            }
            if known == 0 && entry.pc.compare_exchange(0, pc as u64, Relaxed, Relaxed).is_ok() {
                let (rule, file) = worked_out(pc, found);
                entry.rule.store(rule.packed() | u64::from(file) << FILE_SHIFT, Release);
                return (rule, file);
            }
        }
        worked_out(pc, found)
    }

    /// Forgets all: a file was unloaded, and another may come to lie where it was.
    pub fn clear(self) {
        for place in 0..CAPACITY {
            let entry = unsafe { &*self.entries.add(place) };
            if entry.pc.load(Relaxed) != 0 {
                entry.rule.store(0, Relaxed);
                entry.pc.store(0, Release);
            }
        }
    }
}

/// A rule leaves these bits of its word.
const FILE_SHIFT: u32 = 59;

#[inline(always)]
fn unpacked(word: u64) -> (Rule, u8) {
    (Rule::unpacked(word), (word >> FILE_SHIFT) as u8)
}

/// The address after a call may be that of the next function, so the instruction before it is looked up.
fn worked_out(pc: usize, found: impl FnOnce(&objects::Object) -> u8) -> (Rule, u8) {
    let Some(object) = objects::find(pc - 1) else { return (Rule::UNKNOWN, 0) };
    let file = found(&object);
    if object.unwind_header == 0 {
        return (Rule::UNKNOWN, file);
    }
    (unsafe { cfi::rule(object.unwind_header, pc - 1) }.unwrap_or(Rule::UNKNOWN), file)
}
