//! Hooks on methods and built-in functions. Their C function is in a table that all who call it read at each call; it gets
//! nothing to know itself by, so each hooked function has a trampoline of its own, made by a macro, which knows its number.

#![expect(
    unsafe_code,
    reason = "stands in for C functions of NumPy, on arguments that are given by pointers"
)]

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;

use pyo3::ffi::{self, Py_ssize_t, PyObject};

use super::call::{Call, Called};
use super::call_site::instruction;
use super::key::KeyBuilder;
use super::layout::Array;
use super::operation::{Operation, Origin};
use super::record::around;

/// Functions that can be hooked; NumPy has some 220.
pub(super) const MAX_METHODS: usize = 256;
/// Arguments that are looked at where they come in a tuple and a dictionary.
const LOOKED_AT: usize = 8;

/// Ways of taking arguments, as `ml_flags` tells them.
const VARIABLE: c_int = 0x1;
const KEYWORDS: c_int = 0x2;
const NONE: c_int = 0x4;
const ONE: c_int = 0x8;
const FAST: c_int = 0x80;
const CONVENTION: c_int = 0x28f;

struct Hook {
    original: AtomicPtr<c_void>,
    operation: AtomicPtr<Operation>,
}

static HOOKS: [Hook; MAX_METHODS] =
    [const { Hook { original: AtomicPtr::new(null_mut()), operation: AtomicPtr::new(null_mut()) } };
        MAX_METHODS];

/// Says what a trampoline stands for, and gives its address; `None` for a way of taking arguments that is not known.
pub(super) fn trampoline(
    at: usize,
    flags: c_int,
    original: *mut c_void,
    operation: &'static Operation,
) -> Option<*mut c_void> {
    let hook = HOOKS.get(at)?;
    let (row, column) = (at / 16, at % 16);
    let trampoline = match flags & CONVENTION {
        NONE | ONE => ONES[row][column] as *mut c_void,
        VARIABLE => TUPLES[row][column] as *mut c_void,
        flags if flags == VARIABLE | KEYWORDS => DICTIONARIES[row][column] as *mut c_void,
        FAST => FASTS[row][column] as *mut c_void,
        flags if flags == FAST | KEYWORDS => FAST_KEYWORDS[row][column] as *mut c_void,
        _ => return None,
    };
    hook.original.store(original, Relaxed);
    hook.operation.store(std::ptr::from_ref(operation).cast_mut(), Relaxed);
    Some(trampoline)
}

type One = unsafe extern "C" fn(*mut PyObject, *mut PyObject) -> *mut PyObject;
type Dictionary = unsafe extern "C" fn(*mut PyObject, *mut PyObject, *mut PyObject) -> *mut PyObject;
type Fast = unsafe extern "C" fn(*mut PyObject, *const *mut PyObject, Py_ssize_t) -> *mut PyObject;
type FastKeywords =
    unsafe extern "C" fn(*mut PyObject, *const *mut PyObject, Py_ssize_t, *mut PyObject) -> *mut PyObject;

macro_rules! trampolines {
    ($function:ident as $kind:ty) => { trampolines!($function as $kind; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15) };
    ($function:ident as $kind:ty; $($row:literal)*) => { [$( trampolines!(@row $function as $kind; $row) ),*] };
    (@row $function:ident as $kind:ty; $row:literal) => {
        trampolines!(@cells $function as $kind; $row; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@cells $function:ident as $kind:ty; $row:literal; $($column:literal)*) => {
        [$( $function::<{ $row * 16 + $column }> as $kind ),*]
    };
}

static ONES: [[One; 16]; 16] = trampolines!(one as One);
static TUPLES: [[One; 16]; 16] = trampolines!(tuple as One);
static DICTIONARIES: [[Dictionary; 16]; 16] = trampolines!(dictionary as Dictionary);
static FASTS: [[Fast; 16]; 16] = trampolines!(fast as Fast);
static FAST_KEYWORDS: [[FastKeywords; 16]; 16] = trampolines!(fast_keywords as FastKeywords);

unsafe extern "C" fn one<const AT: usize>(this: *mut PyObject, argument: *mut PyObject) -> *mut PyObject {
    // SAFETY: Python calls so what takes one argument or none, which is null then.
    unsafe { call_one(&HOOKS[AT], this, argument) }
}

unsafe extern "C" fn tuple<const AT: usize>(this: *mut PyObject, arguments: *mut PyObject) -> *mut PyObject {
    // SAFETY: Python calls so what takes a tuple.
    unsafe { call_tuple(&HOOKS[AT], this, arguments) }
}

unsafe extern "C" fn dictionary<const AT: usize>(
    this: *mut PyObject,
    arguments: *mut PyObject,
    named: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: Python calls so what takes a tuple and a dictionary, which may be null.
    unsafe { call_dictionary(&HOOKS[AT], this, arguments, named) }
}

unsafe extern "C" fn fast<const AT: usize>(
    this: *mut PyObject,
    arguments: *const *mut PyObject,
    n: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: Python calls so what takes arguments side by side.
    unsafe { call_fast(&HOOKS[AT], this, arguments, n) }
}

unsafe extern "C" fn fast_keywords<const AT: usize>(
    this: *mut PyObject,
    arguments: *const *mut PyObject,
    n: Py_ssize_t,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: Python calls so what takes arguments side by side, some by name.
    unsafe { call_fast_keywords(&HOOKS[AT], this, arguments, n, names) }
}

/// # Safety
/// As for the trampolines: the arguments are those of a call of the hook's original.
unsafe fn call_one(hook: &'static Hook, this: *mut PyObject, argument: *mut PyObject) -> *mut PyObject {
    // SAFETY: a trampoline is put in after its original was noted, which takes arguments this way.
    unsafe {
        let original: One = std::mem::transmute(hook.original.load(Relaxed));
        let given = [argument];
        let given = if argument.is_null() { &[][..] } else { &given[..] };
        recorded(hook, this, given, given.len(), (null_mut(), null_mut()), || original(this, argument))
    }
}

/// # Safety
/// As for [`call_one`].
unsafe fn call_tuple(hook: &'static Hook, this: *mut PyObject, arguments: *mut PyObject) -> *mut PyObject {
    // SAFETY: as above.
    unsafe {
        let original: One = std::mem::transmute(hook.original.load(Relaxed));
        let (given, n) = in_tuple(arguments);
        recorded(hook, this, &given[..n], n, (null_mut(), null_mut()), || original(this, arguments))
    }
}

/// # Safety
/// As for [`call_one`].
unsafe fn call_dictionary(
    hook: &'static Hook,
    this: *mut PyObject,
    arguments: *mut PyObject,
    named: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as above.
    unsafe {
        let original: Dictionary = std::mem::transmute(hook.original.load(Relaxed));
        let (mut given, n) = in_tuple(arguments);
        let mut all = n;
        if !named.is_null() {
            let (mut at, mut value) = (0, null_mut());
            while all < LOOKED_AT && ffi::PyDict_Next(named, &raw mut at, null_mut(), &raw mut value) != 0 {
                given[all] = value;
                all += 1;
            }
        }
        recorded(hook, this, &given[..all], n, (null_mut(), named), || original(this, arguments, named))
    }
}

/// # Safety
/// As for [`call_one`].
unsafe fn call_fast(
    hook: &'static Hook,
    this: *mut PyObject,
    arguments: *const *mut PyObject,
    n: Py_ssize_t,
) -> *mut PyObject {
    // SAFETY: as above.
    unsafe {
        let original: Fast = std::mem::transmute(hook.original.load(Relaxed));
        let given = side_by_side(arguments, n.max(0) as usize);
        recorded(hook, this, given, given.len(), (null_mut(), null_mut()), || original(this, arguments, n))
    }
}

/// # Safety
/// As for [`call_one`].
unsafe fn call_fast_keywords(
    hook: &'static Hook,
    this: *mut PyObject,
    arguments: *const *mut PyObject,
    n: Py_ssize_t,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as above.
    unsafe {
        let original: FastKeywords = std::mem::transmute(hook.original.load(Relaxed));
        let n_positional = n.max(0) as usize;
        let n_by_name = if names.is_null() { 0 } else { ffi::PyTuple_Size(names).max(0) as usize };
        let given = side_by_side(arguments, n_positional + n_by_name);
        recorded(hook, this, given, n_positional, (names, null_mut()), || original(this, arguments, n, names))
    }
}

/// Runs the original as a scope of its operation.
///
/// # Safety
/// The thread has the interpreter's lock; all objects are live.
#[inline(always)]
unsafe fn recorded(
    hook: &'static Hook,
    this: *mut PyObject,
    given: &[*mut PyObject],
    n_positional: usize,
    (names, dictionary): (*mut PyObject, *mut PyObject),
    run: impl FnOnce() -> *mut PyObject,
) -> *mut PyObject {
    // SAFETY: a trampoline is put in after its operation was noted, which is never freed; otherwise by the caller's promise.
    unsafe {
        let operation: &'static Operation = &*hook.operation.load(Relaxed);
        let mut key = KeyBuilder::new(instruction(), std::ptr::from_ref(operation).addr());
        let (called, this) = match operation.origin {
            Origin::UfuncMethod => {
                key.push(this.addr() as u64);
                (Called::Of(operation, this), null_mut())
            }
            Origin::Method => {
                // Arrays of other types than NumPy's own do as they like.
                if Array::of(this).is_none() {
                    return run();
                }
                key.operand(this);
                (Called::Known(operation), this)
            }
            _ => (Called::Known(operation), null_mut()),
        };
        for argument in given {
            key.argument(*argument);
        }
        let call = Call { called, this, arguments: given, n_positional, names, dictionary, n_set: 0 };
        around(&call, key.done(), run)
    }
}

unsafe fn side_by_side<'a>(arguments: *const *mut PyObject, n: usize) -> &'a [*mut PyObject] {
    // SAFETY: by the caller's promise there are so many; where there are none the pointer may be anything.
    if n == 0 { &[] } else { unsafe { std::slice::from_raw_parts(arguments, n) } }
}

/// The first arguments in a tuple, and how many there are of them.
unsafe fn in_tuple(arguments: *mut PyObject) -> ([*mut PyObject; LOOKED_AT], usize) {
    let mut given = [null_mut(); LOOKED_AT];
    if arguments.is_null() {
        return (given, 0);
    }
    // SAFETY: it is the tuple of a call; items are borrowed from it.
    unsafe {
        let n = (ffi::PyTuple_Size(arguments).max(0) as usize).min(LOOKED_AT);
        for (at, place) in given.iter_mut().enumerate().take(n) {
            *place = ffi::PyTuple_GetItem(arguments, at as Py_ssize_t);
        }
        (given, n)
    }
}
