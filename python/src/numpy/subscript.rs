//! Hooks on indexing, and on iteration, which takes one element after another. Taking one number or a view takes hardly
//! longer than reading a clock, whatever the array is like: such calls are all counted, by line alone, and few are timed.
//! What gathers or sets elements is recorded as any other operation.

#![expect(
    unsafe_code,
    reason = "stands in for C functions of NumPy, on arguments that are given by pointers"
)]

use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;

use pyo3::ffi::{self, PyObject};

use super::call::{Call, Called};
use super::call_site::instruction;
use super::key::{KeyBuilder, listed};
use super::layout::Array;
use super::operation::{Operation, Origin};
use super::record::{around, counted};
use super::selection;

pub(super) type Subscript = unsafe extern "C" fn(*mut PyObject, *mut PyObject) -> *mut PyObject;
pub(super) type AssSubscript = unsafe extern "C" fn(*mut PyObject, *mut PyObject, *mut PyObject) -> c_int;
pub(super) type Item = unsafe extern "C" fn(*mut PyObject, isize) -> *mut PyObject;

/// One of so many calls that are only counted is timed.
const TIME_ONE_IN: u32 = 64;

static GET: AtomicPtr<()> = AtomicPtr::new(null_mut());
static SET: AtomicPtr<()> = AtomicPtr::new(null_mut());
static ITEM: AtomicPtr<()> = AtomicPtr::new(null_mut());

/// Notes what the hooks stand in for.
pub(super) fn set_originals(get: Subscript, set: AssSubscript) {
    GET.store(get as *mut (), Relaxed);
    SET.store(set as *mut (), Relaxed);
}

/// Notes what the hook on iteration stands in for.
pub(super) fn set_original_of_iteration(item: Item) {
    ITEM.store(item as *mut (), Relaxed);
}

/// How an array is indexed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Index {
    /// One number.
    Integer,
    /// A view.
    View,
    /// Elements by an array of indices or of truths.
    Gather,
}

/// Stands in for `a[index]`.
pub(super) unsafe extern "C" fn get(this: *mut PyObject, index: *mut PyObject) -> *mut PyObject {
    // SAFETY: the hook is put in after its original was noted; Python calls with its lock held, on live objects.
    unsafe {
        let original: Subscript = std::mem::transmute(GET.load(Relaxed));
        let Some(array) = Array::of(this) else { return original(this, index) };
        let given = [index];
        let call = call(Origin::GetItem, this, &given);
        match kind(array, index) {
            Index::Gather => {
                let mut key = key(Origin::GetItem);
                key.operand(this);
                key.argument(index);
                around(&call, key.done(), || original(this, index))
            }
            kind => {
                let mut key = key(Origin::GetItem);
                key.push(kind as u64);
                counted(&call, key.done(), TIME_ONE_IN, || original(this, index))
            }
        }
    }
}

/// Stands in for what iteration takes each element or row by: `for row in a`, `list(a)`, `x, y = a`.
pub(super) unsafe extern "C" fn item(this: *mut PyObject, index: isize) -> *mut PyObject {
    // SAFETY: as above.
    unsafe {
        let original: Item = std::mem::transmute(ITEM.load(Relaxed));
        let is_there = |array: &Array| {
            let n = array.dimensions().first().copied().unwrap_or(0);
            (0..n).contains(&(index as i64))
        };
        // Iteration ends by asking for one more, which is none.
        let Some(array) = Array::of(this).filter(is_there) else { return original(this, index) };
        // There is no object of the index; any number is told as this one would be.
        let given = [ffi::Py_False()];
        let call = call(Origin::GetItem, this, &given);
        let mut key = key(Origin::GetItem);
        let kind = if array.dimensions().len() == 1 { Index::Integer } else { Index::View };
        key.push(kind as u64);
        counted(&call, key.done(), TIME_ONE_IN, || original(this, index))
    }
}

/// Stands in for `a[index] = value`, and for `del a[index]`, where the value is null.
pub(super) unsafe extern "C" fn set(
    this: *mut PyObject,
    index: *mut PyObject,
    value: *mut PyObject,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let original: AssSubscript = std::mem::transmute(SET.load(Relaxed));
        let Some(array) = Array::of(this).filter(|_| !value.is_null()) else {
            return original(this, index, value);
        };
        let given = [index, value];
        let mut call = call(Origin::SetItem, this, &given);
        let mut outcome = 0;
        let run = || {
            outcome = original(this, index, value);
            // What is recorded takes any object for a result; this one is not counted.
            if outcome == 0 { ffi::Py_None() } else { null_mut() }
        };
        let mut key = key(Origin::SetItem);
        match kind(array, index) {
            Index::Integer => {
                key.push(Index::Integer as u64);
                counted(&call, key.done(), TIME_ONE_IN, run);
            }
            _ => {
                call.n_set = selection::set(array, index, value);
                key.operand(this);
                key.argument(index);
                key.operand(value);
                around(&call, key.done(), run);
            }
        }
        outcome
    }
}

unsafe fn key(origin: Origin) -> KeyBuilder {
    // SAFETY: hooks run with the lock.
    KeyBuilder::new(unsafe { instruction() }, std::ptr::from_ref(operation(origin)).addr())
}

fn call(origin: Origin, this: *mut PyObject, given: &[*mut PyObject]) -> Call<'_> {
    Call {
        called: Called::Known(operation(origin)),
        this,
        arguments: given,
        n_positional: given.len(),
        names: null_mut(),
        dictionary: null_mut(),
        n_set: 0,
    }
}

fn operation(origin: Origin) -> &'static Operation {
    static GET: OnceLock<Operation> = OnceLock::new();
    static SET: OnceLock<Operation> = OnceLock::new();
    match origin {
        Origin::SetItem => SET.get_or_init(|| Operation { name: "setitem".to_owned(), origin }),
        _ => GET.get_or_init(|| Operation { name: "getitem".to_owned(), origin: Origin::GetItem }),
    }
}

/// How an array is indexed by an object.
///
/// # Safety
/// The object is live, and the thread has the interpreter's lock.
#[inline(always)]
unsafe fn kind(array: Array, index: *mut PyObject) -> Index {
    // SAFETY: by the caller's promise.
    unsafe {
        let type_of = ffi::Py_TYPE(index);
        if type_of == &raw mut ffi::PyLong_Type {
            return if array.dimensions().len() == 1 { Index::Integer } else { Index::View };
        }
        if type_of == &raw mut ffi::PySlice_Type {
            return Index::View;
        }
        other_kind(array, index)
    }
}

#[inline(never)]
unsafe fn other_kind(array: Array, index: *mut PyObject) -> Index {
    // SAFETY: by the caller's promise; what is listed is live.
    unsafe {
        let is_gather = |object: *mut PyObject| {
            Array::of(object).is_some_and(|index| !index.dimensions().is_empty() || index.kind() == b'b')
                || ffi::Py_TYPE(object) == &raw mut ffi::PyList_Type
        };
        if ffi::Py_TYPE(index) != &raw mut ffi::PyTuple_Type {
            let is_number = ffi::PyIndex_Check(index) != 0;
            return match is_gather(index) {
                true => Index::Gather,
                false if is_number && array.dimensions().len() == 1 => Index::Integer,
                false => Index::View,
            };
        }
        let items = listed(index);
        let mut items_given = items.iter().copied().take_while(|item| !item.is_null());
        if items_given.clone().any(is_gather) {
            return Index::Gather;
        }
        let is_one = items_given.clone().count() == array.dimensions().len();
        match is_one && items_given.all(|item| ffi::PyIndex_Check(item) != 0) {
            true => Index::Integer,
            false => Index::View,
        }
    }
}
