//! A call as a scope of the recorder. The usual way is: find the slot of the call's key, enter its site, call, leave. All that
//! is done once for a site, or only for some, is elsewhere and not on that way.

#![expect(
    unsafe_code,
    reason = "runs inside calls of Python, on live objects that are looked at by their pointers"
)]

use std::sync::atomic::Ordering::Relaxed;

use calor::{CallWork, LastNode, Scope, Site};
use pyo3::ffi::PyObject;

use super::call::Call;
use super::fingerprint::Pair;
use super::key::{Key, QuickKey};
use super::site_table::{self, Known, Slot, ThreadTable};
use super::{fingerprint, new_site, work};
use crate::scope::{is_unsettled, settle};

/// The counters of calls that were held against the call before, of those whose operands were the same and unchanged, of those
/// that had changed in the same memory, and of how much of it was looked at, in thousandths.
const OPERAND_PAIRS: &str = "operand_pairs";
const SAME_OPERANDS: &str = "same_operands";
const CHANGED_OPERANDS: &str = "changed_operands";
const OPERANDS_COMPARED: &str = "operands_compared";

/// Runs a call as a scope.
///
/// # Safety
/// The thread has the interpreter's lock, and the objects of the call are live until it has run.
#[inline(always)]
pub(super) unsafe fn around(
    call: &Call<'_>,
    (key, hash): (Key, u64),
    run: impl FnOnce() -> *mut PyObject,
) -> *mut PyObject {
    // SAFETY: by the caller's promise; only this thread uses its table, and nobody keeps a reference into it across calls.
    unsafe {
        if let Some(table) = site_table::of_thread() {
            let is_it = |slot: &Slot| slot.is_quick && slot.key == key;
            let first = table.first_slot(hash);
            let slot = if is_it(&*first) { Some(first) } else { table.find(hash, is_it) };
            if let Some(slot) = slot
                && is_quick_now(&*slot)
            {
                return around_quick(table, &*slot, call, run);
            }
        }
        around_otherwise(call, key, hash, run)
    }
}

/// The slot of a call of a few usual operands; `None` if it has none that needs nothing before the call.
///
/// # Safety
/// As for [`around`]; the key is that of the call.
#[inline(always)]
pub(super) unsafe fn quick_slot<const N: usize>(
    key: &QuickKey<N>,
) -> Option<(&'static ThreadTable, *mut Slot)> {
    // SAFETY: as above.
    unsafe {
        let table = site_table::of_thread()?;
        let is_it = |slot: &Slot| slot.is_quick && key.is(&slot.key);
        let hash = key.hash();
        let first = table.first_slot(hash);
        if is_it(&*first) {
            return Some((table, first));
        }
        table.find(hash, is_it).map(|slot| (table, slot))
    }
}

/// Runs a call whose slot was found and says that it is plain: it calls no other operation, so that nobody has to know that it
/// is open.
///
/// # Safety
/// As for [`around`]; the site is that of the call, and `last` is what its slot holds.
#[inline(always)]
pub(super) unsafe fn around_plain(
    table: &'static ThreadTable,
    site: &'static Site,
    last: *mut LastNode,
    run: impl FnOnce() -> *mut PyObject,
) -> *mut PyObject {
    if is_unsettled() && table.depth.get() == 0 {
        settle();
    }
    // SAFETY: the table is that of this thread, and so are its recorder and what a slot holds.
    unsafe { table.here.around_again(site, last, run) }
}

/// Whether nothing has to be looked at before a call whose slot is quick.
#[inline(always)]
pub(super) fn is_quick_now(slot: &Slot) -> bool {
    !slot.is_large || slot.known.is_some_and(fingerprint::passes_over)
}

/// Runs a call whose slot was found and needs nothing before it.
///
/// # Safety
/// As for [`around`]; the slot is that of the call.
#[inline(always)]
pub(super) unsafe fn around_quick(
    table: &'static ThreadTable,
    slot: &Slot,
    call: &Call<'_>,
    run: impl FnOnce() -> *mut PyObject,
) -> *mut PyObject {
    // The slot may be another's when the call has run.
    let (Some(known), is_constant, len, work) = (slot.known, slot.is_constant, slot.result_len, slot.work)
    else {
        return run();
    };
    let depth = table.depth.get();
    if depth == 0 {
        settle();
    }
    table.depth.set(depth + 1);
    // SAFETY: the table is that of this thread, and so is its recorder; otherwise by the caller's promise.
    let result = unsafe {
        table.here.around(known.site, run, |result| {
            if is_constant || result.is_null() {
                return None;
            }
            known.note_entered();
            if call.result_len(*result) == len {
                return Some(work.told());
            }
            Some(new_site::complete(known, call, *result).told())
        })
    };
    table.depth.set(depth);
    result
}

/// Runs a call that is new, or after which something has to be looked at.
///
/// # Safety
/// As for [`around`].
#[inline(never)]
unsafe fn around_otherwise(
    call: &Call<'_>,
    key: Key,
    hash: u64,
    run: impl FnOnce() -> *mut PyObject,
) -> *mut PyObject {
    // SAFETY: by the caller's promise.
    let table = unsafe { site_table::of_thread() }.or_else(site_table::make);
    let Some(table) = table else { return run() };
    // SAFETY: by the caller's promise.
    let Some(open) = (unsafe { Open::enter(table, call, key, hash) }) else { return run() };
    let result = run();
    // SAFETY: by the caller's promise; the result is null or live.
    unsafe { open.leave(table, call, result) };
    result
}

/// A call that is under way.
struct Open {
    scope: Scope,
    key: Key,
    hash: u64,
    known: &'static Known,
    depth: u32,
    slot: Slot,
}

impl Open {
    /// # Safety
    /// As for [`around`].
    #[inline(always)]
    unsafe fn enter(table: &'static ThreadTable, call: &Call<'_>, key: Key, hash: u64) -> Option<Self> {
        let (mut key, mut hash) = (key, hash);
        // SAFETY: only this thread uses its table; by the caller's promise.
        let mut slot = unsafe { slot_of(table, call, key, hash, false) }?;
        let depth = table.depth.get();
        if depth == 0 && slot.known.is_some_and(|known| known.is_inner) {
            // NumPy called itself from Python, and was called by a line that is not seen: that is the one to tell.
            // SAFETY: by the caller's promise.
            (key, hash, slot) = unsafe { outside(table, call, key, hash) }?;
        }
        let known = slot.known?;
        known.note_entered();
        if depth == 0 {
            settle();
        }
        table.depth.set(depth + 1);
        let is_large = known.is_large.load(Relaxed);
        // SAFETY: by the caller's promise.
        let pair = if is_large { unsafe { fingerprint::pair(known, call) } } else { None };
        let scope = Scope::enter(known.site);
        if let Some((pair, stands_for)) = pair {
            scope.add(OPERAND_PAIRS, stands_for);
            match pair {
                Pair::Others => {}
                Pair::Changed => {
                    scope.add(CHANGED_OPERANDS, 1);
                }
                Pair::Same { thousandths } => {
                    scope.add(SAME_OPERANDS, stands_for);
                    scope.add(OPERANDS_COMPARED, thousandths);
                }
            }
        }
        Some(Self { scope, key, hash, known, depth, slot })
    }

    /// # Safety
    /// As for [`around`]; `result` is null or a live object.
    #[inline(always)]
    unsafe fn leave(self, table: &'static ThreadTable, call: &Call<'_>, result: *mut PyObject) {
        let Self { scope, key, hash, known, depth, slot } = self;
        // SAFETY: by the caller's promise.
        let len = unsafe { call.result_len(result) };
        if result.is_null() {
            drop(scope);
        } else if slot.result_len == len && known.is_labelled.load(Relaxed) {
            if known.is_constant { drop(scope) } else { scope.end_with(|| slot.work.told()) }
        } else {
            // SAFETY: by the caller's promise.
            scope.end_with(|| unsafe { complete(table, (key, hash), known, call, (result, len), slot) });
        }
        table.depth.set(depth);
    }
}

/// After the first call of a site, and when the size of the result is another one: what the call did.
#[cold]
#[inline(never)]
unsafe fn complete(
    table: &'static ThreadTable,
    (key, hash): (Key, u64),
    known: &'static Known,
    call: &Call<'_>,
    (result, len): (*mut PyObject, u64),
    slot: Slot,
) -> CallWork {
    // SAFETY: by the promise of `Open::leave`.
    let work = unsafe { new_site::complete(known, call, result) };
    // SAFETY: only this thread uses its table, and what was called has returned.
    let place = unsafe { table.find(hash, |slot| slot.key == key) };
    let is_large = work.bytes >= fingerprint::LEAST_BYTES;
    if is_large {
        known.is_large.store(true, Relaxed);
    }
    if let Some(place) = place {
        let is_quick = !known.is_inner;
        // SAFETY: by the promise of `Open::leave`.
        let is_plain = is_quick && !is_large && unsafe { work::is_plain(known, call, result) };
        let is_constant = known.is_constant;
        // SAFETY: as above.
        unsafe { *place = Slot { work, result_len: len, is_constant, is_quick, is_large, is_plain, ..slot } };
    }
    if known.is_constant { CallWork::default() } else { work.told() }
}

/// The same call, told by the innermost line that is not NumPy's.
#[cold]
#[inline(never)]
unsafe fn outside(
    table: &'static ThreadTable,
    call: &Call<'_>,
    key: Key,
    hash: u64,
) -> Option<(Key, u64, Slot)> {
    // SAFETY: hooks run with the lock.
    let instant = unsafe { new_site::instruction_of_program() };
    let (key, hash) = (key.at(instant), hash.rotate_left(23) ^ instant.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    // SAFETY: by the caller's promise.
    Some((key, hash, unsafe { slot_of(table, call, key, hash, true) }?))
}

/// The slot of a call, made if it has none. `is_outer` is as in [`new_site::slot`].
///
/// # Safety
/// As for [`around`].
#[inline(always)]
unsafe fn slot_of(
    table: &'static ThreadTable,
    call: &Call<'_>,
    key: Key,
    hash: u64,
    is_outer: bool,
) -> Option<Slot> {
    let is_it = |slot: &Slot| slot.key == key && slot.known.is_some();
    // SAFETY: only this thread uses its table; by the caller's promise.
    unsafe {
        let first = table.first_slot(hash);
        let known = if is_it(&*first) { Some(first) } else { table.find(hash, is_it) };
        if let Some(slot) = known {
            return Some(*slot);
        }
        // Making one runs code of Python's, which may use the table.
        let made = new_site::slot(call, key, is_outer)?;
        *table.give(hash) = made;
        Some(made)
    }
}

/// A site that is entered for every call but timed for few: for what takes hardly longer than a clock.
///
/// # Safety
/// As for [`around`].
#[inline(always)]
pub(super) unsafe fn counted(
    call: &Call<'_>,
    (key, hash): (Key, u64),
    one_in: u32,
    run: impl FnOnce() -> *mut PyObject,
) -> *mut PyObject {
    // SAFETY: by the caller's promise.
    let table = unsafe { site_table::of_thread() }.or_else(site_table::make);
    let Some(table) = table else { return run() };
    // SAFETY: by the caller's promise.
    let slot = unsafe { slot_of(table, call, key, hash, false) };
    let Some(mut known) = slot.and_then(|slot| slot.known) else { return run() };
    if table.depth.get() == 0 {
        if known.is_inner {
            // SAFETY: by the caller's promise.
            let outer = unsafe { outside(table, call, key, hash) }.and_then(|(_, _, slot)| slot.known);
            known = outer.unwrap_or(known);
        }
        settle();
    }
    known.note_entered();
    // SAFETY: the table is that of this thread, and so is its recorder.
    unsafe { table.here.around_one_in(known.site, one_in, run) }
}
