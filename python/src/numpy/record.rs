//! A call as a scope of the recorder. The usual way is: find the slot of the call's key, enter its site, call, leave. All that
//! is done once for a site, or only for some, is elsewhere and not on that way.

#![expect(
    unsafe_code,
    reason = "runs inside calls of Python, on live objects that are looked at by their pointers"
)]

use std::sync::atomic::Ordering::Relaxed;

use calor::{CallWork, Scope, Site};
use pyo3::ffi::PyObject;

use super::call::Call;
use super::key::{Key, QuickKey};
use super::site_table::{self, Known, Slot, ThreadTable};
use super::{fingerprint, new_site, work};
use crate::scope::settle;

/// The counter of calls whose operands were those of the call before, unchanged.
const SAME_OPERANDS: &str = "same_operands";

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
            let slot = &*table.slot(hash);
            if slot.is_quick && slot.key == key {
                return around_quick(table, slot, call, run);
            }
        }
        around_otherwise(call, key, hash, run)
    }
}

/// The same for a call of at most two usual operands; `None` if it has no slot that needs nothing else.
///
/// # Safety
/// As for [`around`]; the key is that of the call.
#[inline(always)]
pub(super) unsafe fn quick_slot(key: &QuickKey) -> Option<(&'static ThreadTable, &'static Slot)> {
    // SAFETY: as above.
    unsafe {
        let table = site_table::of_thread()?;
        let slot = &*table.slot(key.hash());
        (slot.is_quick && key.is(&slot.key)).then_some((table, slot))
    }
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
    let (Some(site), is_constant, len, work) = (slot.site, slot.is_constant, slot.result_len, slot.work)
    else {
        return run();
    };
    let known = slot.known;
    let depth = table.depth.get();
    if depth == 0 {
        settle();
    }
    table.depth.set(depth + 1);
    // SAFETY: the table is that of this thread, and so is its recorder; otherwise by the caller's promise.
    let result = unsafe {
        table.here.around(site, run, |result| {
            if is_constant || result.is_null() {
                return None;
            }
            if work::result_len(*result) == len {
                return Some(work.told());
            }
            known.map(|known| new_site::complete(known, call, *result).told())
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
        let mut slot = unsafe {
            let place = table.slot(hash);
            if (*place).key != key || (*place).known.is_none() {
                *place = new_site::slot(call, key, false)?;
            }
            *place
        };
        let depth = table.depth.get();
        if depth == 0 && slot.known.is_some_and(|known| known.is_inner) {
            // NumPy called itself from Python, and was called by a line that is not seen: that is the one to tell.
            // SAFETY: by the caller's promise.
            (key, hash, slot) = unsafe { outside(table, call, key, hash) }?;
        }
        let (known, site) = (slot.known?, slot.site?);
        if depth == 0 {
            settle();
        }
        table.depth.set(depth + 1);
        let is_large = slot.work.bytes >= fingerprint::LEAST_BYTES;
        // SAFETY: by the caller's promise.
        let is_same = is_large && unsafe { fingerprint::is_same(known, call) };
        let scope = Scope::enter(site);
        if is_same {
            scope.add(SAME_OPERANDS, 1);
        }
        Some(Self { scope, key, hash, known, depth, slot })
    }

    /// # Safety
    /// As for [`around`]; `result` is null or a live object.
    #[inline(always)]
    unsafe fn leave(self, table: &'static ThreadTable, call: &Call<'_>, result: *mut PyObject) {
        let Self { scope, key, hash, known, depth, slot } = self;
        // SAFETY: by the caller's promise.
        let len = unsafe { work::result_len(result) };
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
    let place = unsafe { &mut *table.slot(hash) };
    if place.key == key {
        let is_quick = !known.is_inner && work.bytes < fingerprint::LEAST_BYTES;
        *place = Slot { work, result_len: len, is_constant: known.is_constant, is_quick, ..slot };
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
    // SAFETY: only this thread uses its table; by the caller's promise.
    unsafe {
        let place = table.slot(hash);
        if (*place).key != key || (*place).known.is_none() {
            *place = new_site::slot(call, key, true)?;
        }
        Some((key, hash, *place))
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
    let place = table.slot(hash);
    // SAFETY: only this thread uses its table; by the caller's promise.
    let site: Option<&'static Site> = unsafe {
        if (*place).key != key || (*place).known.is_none() {
            match new_site::slot(call, key, false) {
                Some(slot) => *place = slot,
                None => return run(),
            }
        }
        (*place).site
    };
    let Some(site) = site else { return run() };
    if table.depth.get() == 0 {
        settle();
    }
    // SAFETY: the table is that of this thread, and so is its recorder.
    unsafe { table.here.around_one_in(site, one_in, run) }
}
