//! Hooks on what objects are called by: ufuncs, functions of NumPy's dispatcher, and functions of Cython. Each object holds a
//! pointer to the C function it is called by; objects of one type share that function, so a hook knows what to call in turn.

#![expect(
    unsafe_code,
    reason = "stands in for C functions of NumPy, on arguments that are given by pointers"
)]

use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;

use calor::{LastNode, Site};
use pyo3::ffi::{self, PyObject};

use super::call::{Call, Called};
use super::call_site::{instruction, quick_instruction};
use super::key::{KeyBuilder, QuickKey};
use super::record::{around, around_plain, around_quick, is_quick_now, quick_slot};
use super::site_table::{self, Slot, ThreadTable};

/// What an object is called by: itself, its arguments, how many, and the names of those by keyword.
pub(super) type Vectorcall =
    unsafe extern "C" fn(*mut PyObject, *const *mut PyObject, usize, *mut PyObject) -> *mut PyObject;

/// C functions that hooks stand in for. There are few: ufuncs have one, the dispatcher has one, Cython has one for each way of
/// taking arguments in each of its modules.
pub(super) const MAX_ORIGINALS: usize = 24;
static ORIGINALS: [AtomicPtr<()>; MAX_ORIGINALS] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; MAX_ORIGINALS];

/// The bit that says that the place before the arguments may be used.
const MAY_USE_PLACE_BEFORE: usize = 1 << (usize::BITS - 1);

/// How arguments are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    /// All are operands.
    Operands,
    /// Some say how.
    Arguments,
}

/// The hook for objects that are called by `original`, and read so; `None` if there are too many kinds of them.
pub(super) fn hook_for(original: Vectorcall, reading: Reading) -> Option<Vectorcall> {
    let address = original as *mut ();
    let at = ORIGINALS.iter().position(|known| {
        let known = known.load(Relaxed);
        known.is_null() || known == address
    })?;
    // Only ever one thread installs, with the interpreter's lock; an entry never changes again.
    ORIGINALS[at].store(address, Relaxed);
    match reading {
        Reading::Operands => OPERANDS.get(at).copied(),
        Reading::Arguments => ARGUMENTS.get(at).copied(),
    }
}

/// Whether a function is one of the hooks.
pub(super) fn is_hook(function: Vectorcall) -> bool {
    OPERANDS.iter().chain(&ARGUMENTS).any(|hook| *hook as usize == function as usize)
}

macro_rules! hooks {
    ($reading:literal; $($at:literal)*) => { [$( called::<$at, $reading> as Vectorcall ),*] };
}

static OPERANDS: [Vectorcall; MAX_ORIGINALS] =
    hooks!(true; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23);
static ARGUMENTS: [Vectorcall; MAX_ORIGINALS] =
    hooks!(false; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23);

/// Stands in for an original. Calls of one or two operands that were seen before are looked for here, and everything else is
/// done elsewhere.
unsafe extern "C" fn called<const AT: usize, const OPERANDS_ONLY: bool>(
    callable: *mut PyObject,
    arguments: *const *mut PyObject,
    n_and_mark: usize,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: a hook is put in only after its original was noted, which is such a function. Python calls with its lock held,
    // and with as many arguments as it says, live until the call returns.
    unsafe {
        let original: Vectorcall = std::mem::transmute(ORIGINALS[AT].load(Relaxed));
        if !OPERANDS_ONLY || !names.is_null() {
            return called_otherwise(original, callable, arguments, n_and_mark, names, OPERANDS_ONLY);
        }
        let seen = match n_and_mark & !MAY_USE_PLACE_BEFORE {
            2 => seen::<2>(callable, arguments),
            1 => seen::<1>(callable, arguments),
            _ => None,
        };
        let Some((table, site, last)) = seen else {
            return called_by_operands(original, callable, arguments, n_and_mark);
        };
        around_plain(table, site, last, || original(callable, arguments, n_and_mark, std::ptr::null_mut()))
    }
}

/// The site of a plain call that was seen before, and what it entered last.
///
/// # Safety
/// As for [`called`].
#[inline(always)]
unsafe fn seen<const N: usize>(
    callable: *mut PyObject,
    arguments: *const *mut PyObject,
) -> Option<(&'static ThreadTable, &'static Site, *mut LastNode)> {
    // SAFETY: by the caller's promise.
    unsafe {
        let instant = quick_instruction()?;
        let table = site_table::of_thread()?;
        let (seen, site) = table.front.find::<N>(instant, callable.addr(), arguments)?;
        Some((table, site, &raw mut (*seen).last))
    }
}

/// A call with operands alone: up to three usual ones have a key that never leaves the registers.
///
/// # Safety
/// As for [`called`].
#[inline(never)]
unsafe fn called_by_operands(
    original: Vectorcall,
    callable: *mut PyObject,
    arguments: *const *mut PyObject,
    n_and_mark: usize,
) -> *mut PyObject {
    // SAFETY: by the caller's promise.
    unsafe {
        let n = n_and_mark & !MAY_USE_PLACE_BEFORE;
        let found = match n {
            1 => slot_of::<1>(callable, arguments),
            2 => slot_of::<2>(callable, arguments),
            3 => slot_of::<3>(callable, arguments),
            _ => None,
        };
        let Some((table, slot)) = found else {
            return called_otherwise(original, callable, arguments, n_and_mark, std::ptr::null_mut(), true);
        };
        let Some(site) = (*slot).site.filter(|_| (*slot).is_plain) else {
            return called_quick(original, table, &*slot, callable, arguments, n_and_mark);
        };
        if let Some(instant) = quick_instruction() {
            let (place, plain) = ((instant, callable.addr()), (site, (*slot).last));
            match n {
                1 => table.front.remember::<1>(place, arguments, plain),
                2 => table.front.remember::<2>(place, arguments, plain),
                _ => {}
            }
        }
        around_plain(table, site, &raw mut (*slot).last, || {
            original(callable, arguments, n_and_mark, std::ptr::null_mut())
        })
    }
}

/// The slot of a call with so many usual operands and nothing else.
///
/// # Safety
/// As for [`called`].
#[inline(always)]
unsafe fn slot_of<const N: usize>(
    callable: *mut PyObject,
    arguments: *const *mut PyObject,
) -> Option<(&'static ThreadTable, *mut Slot)> {
    // SAFETY: by the caller's promise.
    unsafe { quick_slot(&QuickKey::<N>::new(instruction(), callable.addr(), arguments)?) }
}

/// A call that is known, after which something may have to be looked at.
///
/// # Safety
/// As for [`called`]; the slot is that of the call.
#[inline(never)]
unsafe fn called_quick(
    original: Vectorcall,
    table: &'static ThreadTable,
    slot: &Slot,
    callable: *mut PyObject,
    arguments: *const *mut PyObject,
    n_and_mark: usize,
) -> *mut PyObject {
    let n = n_and_mark & !MAY_USE_PLACE_BEFORE;
    // SAFETY: by the caller's promise.
    unsafe {
        if !is_quick_now(slot) {
            return called_otherwise(original, callable, arguments, n_and_mark, std::ptr::null_mut(), true);
        }
        let call = call_of(callable, arguments, n, n, std::ptr::null_mut());
        around_quick(table, slot, &call, || original(callable, arguments, n_and_mark, std::ptr::null_mut()))
    }
}

/// A call that is new, or of other operands.
///
/// # Safety
/// As for [`called`].
#[inline(never)]
unsafe fn called_otherwise(
    original: Vectorcall,
    callable: *mut PyObject,
    arguments: *const *mut PyObject,
    n_and_mark: usize,
    names: *mut PyObject,
    is_operands_only: bool,
) -> *mut PyObject {
    let n_positional = n_and_mark & !MAY_USE_PLACE_BEFORE;
    // SAFETY: by the caller's promise.
    unsafe {
        let n_by_name = if names.is_null() { 0 } else { ffi::PyTuple_Size(names).max(0) as usize };
        let call = call_of(callable, arguments, n_positional, n_positional + n_by_name, names);
        let mut key = KeyBuilder::new(instruction(), callable.addr());
        for argument in call.arguments {
            if is_operands_only { key.operand(*argument) } else { key.argument(*argument) }
        }
        around(&call, key.done(), || original(callable, arguments, n_and_mark, names))
    }
}

/// # Safety
/// There are as many arguments as is said.
#[inline(always)]
unsafe fn call_of<'a>(
    callable: *mut PyObject,
    arguments: *const *mut PyObject,
    n_positional: usize,
    n: usize,
    names: *mut PyObject,
) -> Call<'a> {
    // SAFETY: by the caller's promise; where there are none the pointer may be anything.
    let arguments = if n == 0 { &[][..] } else { unsafe { std::slice::from_raw_parts(arguments, n) } };
    Call {
        called: Called::At(callable.addr()),
        this: std::ptr::null_mut(),
        arguments,
        n_positional,
        names,
        dictionary: std::ptr::null_mut(),
        n_set: 0,
    }
}
