//! Which site a code object has. Tracing asks with every call, so the answer is in one table by the address of the code
//! object; an entry holds a reference, so that the address means nothing else while it is there. The table is bounded:
//! when it is full it is emptied, and the codes that still run are learnt anew.

#![expect(unsafe_code, reason = "a table that the interpreter's lock guards, with references to objects")]

use std::cell::UnsafeCell;
use std::ptr::{null, null_mut};

use calor::{LastNode, Site};
use pyo3::ffi::{self, PyObject};

use super::naming;

const SLOT_BITS: u32 = 14;
const SLOTS: usize = 1 << SLOT_BITS;
/// Half of the slots, so that a code is nearly always where it belongs.
const MAX_CODES: usize = SLOTS / 2;

/// An answer: the site of a function, or null where it is left out.
pub(super) type SiteOrNone = *const Site;

#[derive(Clone, Copy)]
struct Entry {
    /// Null where there is none.
    code: *mut PyObject,
    site: SiteOrNone,
    /// What its calls entered last.
    last: LastNode,
}

const EMPTY: Entry = Entry { code: null_mut(), site: null(), last: LastNode::NONE };

struct Table {
    entries: UnsafeCell<[Entry; SLOTS]>,
    used: UnsafeCell<usize>,
}

// SAFETY: it is touched by those who hold the interpreter's lock only, as each function of this module demands.
unsafe impl Sync for Table {}

static TABLE: Table = Table { entries: UnsafeCell::new([EMPTY; SLOTS]), used: UnsafeCell::new(0) };

/// The site of a code object, learnt now if need be. `globals` are those of its function, or null.
///
/// # Safety
/// The caller holds the interpreter's lock, and both are objects of it. `globals` is called with that in hand.
#[inline(always)]
pub(super) unsafe fn site_of(code: *mut PyObject, globals: impl FnOnce() -> *mut PyObject) -> SiteOrNone {
    // SAFETY: as the caller promises.
    unsafe { found(code, globals) }.0
}

/// The same, and what calls of it entered last: null where that is not kept. It is a place in the table, which is another
/// code's once the table was emptied; whoever looks at it compares the site.
///
/// # Safety
/// As for [`site_of`].
#[inline(always)]
pub(super) unsafe fn found(
    code: *mut PyObject,
    globals: impl FnOnce() -> *mut PyObject,
) -> (SiteOrNone, *mut LastNode) {
    // SAFETY: as the caller promises.
    unsafe { known(code).unwrap_or_else(|| (learn(code, globals()), null_mut())) }
}

/// The same of a code object that lies where it belongs; of others nothing, and nothing of Python's is run to find out.
///
/// # Safety
/// As for [`site_of`].
#[inline(always)]
pub(super) unsafe fn known(code: *mut PyObject) -> Option<(SiteOrNone, *mut LastNode)> {
    // SAFETY: the lock is held, and a slot is always inside.
    unsafe {
        let entry = TABLE.entries.get().cast::<Entry>().add(slot(code));
        ((*entry).code == code).then(|| ((*entry).site, &raw mut (*entry).last))
    }
}

/// Where a code object belongs. Objects are 16 bytes apart at least; multiplication spreads neighbours.
#[inline(always)]
fn slot(code: *mut PyObject) -> usize {
    ((code.addr() as u64 >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOT_BITS)) as usize
}

/// Looks further than where it belongs, and learns a code object that is new.
///
/// # Safety
/// As for [`site_of`].
#[cold]
#[inline(never)]
pub(super) unsafe fn learn(code: *mut PyObject, globals: *mut PyObject) -> SiteOrNone {
    // SAFETY: the lock is held.
    if let Ok(at) = unsafe { search(code) } {
        // SAFETY: as above, and a slot that was found is inside.
        return unsafe { (*TABLE.entries.get())[at].site };
    }
    // Naming may run code of Python's, which may come back here: nothing of the table is held meanwhile.
    // SAFETY: as the caller promises.
    let site = unsafe { naming::site_of(code, globals) };
    // SAFETY: the lock is held.
    if unsafe { *TABLE.used.get() } >= MAX_CODES {
        forget();
    }
    // SAFETY: as above; the code object is alive, and a vacant slot takes the reference over.
    unsafe {
        if let Err(vacant) = search(code) {
            ffi::Py_INCREF(code);
            (*TABLE.entries.get())[vacant] = Entry { code, site, last: LastNode::NONE };
            *TABLE.used.get() += 1;
        }
    }
    site
}

/// Where a code object is, or else where it would go.
unsafe fn search(code: *mut PyObject) -> Result<usize, usize> {
    // SAFETY: the caller holds the interpreter's lock, and nothing is changed meanwhile.
    let entries = unsafe { &*TABLE.entries.get() };
    let mut at = slot(code);
    loop {
        match entries[at].code {
            found if found == code => return Ok(at),
            found if found.is_null() => return Err(at),
            _ => at = (at + 1) % SLOTS,
        }
    }
}

/// Forgets all code objects and gives the references back. The caller holds the interpreter's lock.
pub(super) fn forget() {
    let mut held = Vec::new();
    {
        // SAFETY: the lock is held; the loop calls nobody.
        let (entries, used) = unsafe { (&mut *TABLE.entries.get(), &mut *TABLE.used.get()) };
        *used = 0;
        held.extend(entries.iter().map(|entry| entry.code).filter(|code| !code.is_null()));
        entries.fill(EMPTY);
    }
    // A code object that goes may have somebody told, which is code of Python's: the table is in order by now.
    for code in held {
        // SAFETY: each entry held a reference.
        unsafe { ffi::Py_DECREF(code) };
    }
}
