//! Remembers the rules of addresses that stacks come through again and again. Each address has one place it can be
//! in, so that a look costs one read and a program of any size takes the same memory.

use super::ModuleId;
use super::rule::Rule;

/// 8,192 places of 32 bytes stay within a core's second-level cache.
const BITS: u32 = 13;

pub(super) struct Cache {
    entries: Box<[Entry]>,
}

#[derive(Clone, Copy)]
struct Entry {
    key: Key,
    rule: Rule,
}

/// An address within a module, and whether it is one behind a call less one, or exactly where the thread stands: the
/// same address can mean two things.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    svma: u64,
    module: u32,
    is_exact: bool,
}

impl Key {
    #[inline]
    pub(super) fn new(module: ModuleId, svma: u64, is_exact: bool) -> Self {
        Self { svma, module: module.0, is_exact }
    }

    #[inline]
    fn place(self) -> usize {
        let mixed = (self.svma ^ (u64::from(self.module) << 40) ^ (u64::from(self.is_exact) << 63))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (64 - BITS)) as usize
    }
}

impl Cache {
    pub(super) fn new() -> Self {
        // No module has this number, so nothing is found before it is put in.
        let nothing = Entry { key: Key { svma: 0, module: u32::MAX, is_exact: false }, rule: Rule::Absent };
        Self { entries: vec![nothing; 1 << BITS].into_boxed_slice() }
    }

    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<Rule> {
        let entry = self.entries.get(key.place())?;
        (entry.key == key).then_some(entry.rule)
    }

    pub(super) fn put(&mut self, key: Key, rule: Rule) {
        if let Some(entry) = self.entries.get_mut(key.place()) {
            *entry = Entry { key, rule };
        }
    }
}
