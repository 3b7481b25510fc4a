//! Which node is entered from where: one open-addressed table for each thread, from (parent, site) to child.
//! One table a thread, instead of one in each node, stays as quick when a parent has many children.

#![expect(unsafe_code, reason = "the probe of the hot path does without bounds checks")]

use std::cell::{Cell, UnsafeCell};
use std::ptr::null;

use super::node::Node;

/// Slots of a fresh table.
const FIRST_SLOTS: usize = 256;
/// Marks a used slot, so that a zeroed table is an empty one.
const USED: u64 = 1 << 63;

#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    node: *const Node,
}

const EMPTY: Entry = Entry { key: 0, node: null() };

/// The table. Its owner alone reads and writes it.
pub(crate) struct ChildTable {
    entries: UnsafeCell<Vec<Entry>>,
    base: Cell<*const Entry>,
    /// 64 less the bits of the table's size: the hash is the top of the product.
    shift: Cell<u32>,
    used: Cell<usize>,
}

impl ChildTable {
    pub(crate) const fn empty() -> Self {
        Self {
            entries: UnsafeCell::new(Vec::new()),
            base: Cell::new(null()),
            shift: Cell::new(63),
            used: Cell::new(0),
        }
    }

    /// The child of `parent` at a site, or null. Quick when it is where it belongs; [`ChildTable::search`]
    /// looks further.
    ///
    /// # Safety
    /// The table has had room made for it ([`ChildTable::clear`]).
    #[inline(always)]
    pub(crate) unsafe fn probe(&self, parent: u32, site: u32) -> *const Node {
        let key = key(parent, site);
        // SAFETY: `slot` is below the size that `shift` stands for, and the caller promises that there is one.
        let entry = unsafe { &*self.base.get().add(slot(key, self.shift.get())) };
        if entry.key == key { entry.node } else { null() }
    }

    /// The child of `parent` at a site, or null.
    pub(crate) fn search(&self, parent: u32, site: u32) -> *const Node {
        let key = key(parent, site);
        // SAFETY: only the owner calls this, and nothing is changed meanwhile.
        let entries = unsafe { &*self.entries.get() };
        let mut at = slot(key, self.shift.get());
        loop {
            match entries.get(at) {
                Some(entry) if entry.key == key => return entry.node,
                Some(entry) if entry.key != 0 => at = (at + 1) % entries.len(),
                _ => return null(),
            }
        }
    }

    /// Adds a child that is not there yet.
    pub(crate) fn insert(&self, parent: u32, site: u32, node: *const Node) {
        // SAFETY: only the owner calls this, and no reference into the table is held.
        let entries = unsafe { &mut *self.entries.get() };
        // At most a quarter full: few children are displaced from where the hot path looks.
        if (self.used.get() + 1) * 4 > entries.len() {
            let mut larger = vec![EMPTY; (entries.len() * 2).max(FIRST_SLOTS)];
            let shift = 64 - larger.len().trailing_zeros();
            for &entry in entries.iter().filter(|entry| entry.key != 0) {
                put(&mut larger, shift, entry);
            }
            // The hot path looks here before the old table is freed, because an allocator may open scopes.
            self.base.set(larger.as_ptr());
            self.shift.set(shift);
            drop(std::mem::replace(entries, larger));
        }
        put(entries, self.shift.get(), Entry { key: key(parent, site), node });
        self.used.set(self.used.get() + 1);
    }

    /// How many children it holds.
    pub(crate) fn len(&self) -> usize {
        self.used.get()
    }

    /// Forgets all children and makes room.
    pub(crate) fn clear(&self) {
        // SAFETY: only the owner, or whoever took over from it, calls this.
        let entries = unsafe { &mut *self.entries.get() };
        *entries = vec![EMPTY; FIRST_SLOTS];
        self.shift.set(64 - FIRST_SLOTS.trailing_zeros());
        self.base.set(entries.as_ptr());
        self.used.set(0);
    }
}

#[inline(always)]
fn key(parent: u32, site: u32) -> u64 {
    USED | u64::from(parent) << 32 | u64::from(site)
}

/// Multiplication by 2^64 over the golden ratio spreads neighbouring numbers over the table.
#[inline(always)]
fn slot(key: u64, shift: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize
}

fn put(entries: &mut [Entry], shift: u32, entry: Entry) {
    let mut at = slot(entry.key, shift);
    while entries[at].key != 0 {
        at = (at + 1) % entries.len();
    }
    entries[at] = entry;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_child_is_found_again_while_the_table_grows() {
        let table = ChildTable::empty();
        table.clear();
        let nodes: Vec<_> = (0..2000).map(|i| std::ptr::without_provenance::<Node>(64 * (i + 1))).collect();
        for (i, &node) in nodes.iter().enumerate() {
            let (parent, site) = (i as u32 % 40, i as u32 / 40 + 1);
            assert!(table.search(parent, site).is_null());
            table.insert(parent, site, node);
            assert_eq!(table.search(parent, site), node);
        }
        for (i, &node) in nodes.iter().enumerate() {
            assert_eq!(table.search(i as u32 % 40, i as u32 / 40 + 1), node);
        }
        // SAFETY: the table has room.
        let quick = (0..2000).filter(|&i| !unsafe { table.probe(i % 40, i / 40 + 1) }.is_null()).count();
        assert!(quick > 1000, "only {quick} of 2000 children are where they belong");
    }
}
