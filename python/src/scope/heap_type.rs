//! Types made from a specification: their methods are plain functions of C, called by the interpreter directly.

#![expect(unsafe_code, reason = "types of C are made of pointers")]

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// The arguments are an array and their number. No part of the limited interface of 3.9, but of all versions since.
pub(super) const METH_FASTCALL: c_int = 0x80;

/// A flag of types whose instances say what they are called by. No part of the limited interface of 3.9, but of all versions
/// since.
pub(super) const HAVE_VECTORCALL: u64 = 1 << 11;
/// Set in the number of arguments where the caller lets the one before the first be written.
pub(super) const ARGUMENTS_OFFSET: usize = 1 << (usize::BITS - 1);

/// How the interpreter calls: the object, its arguments, their number with a flag, and the names of the last ones.
pub(super) type Vectorcall = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *const *mut ffi::PyObject,
    usize,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

// In every CPython since 3.9, though no part of the limited interface.
unsafe extern "C" {
    /// What a type with that flag is called by.
    pub(super) fn PyVectorcall_Call(
        callable: *mut ffi::PyObject,
        args: *mut ffi::PyObject,
        keywords: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject;
}

/// A number that the interpreter takes out of the list of a type's members.
pub(super) fn offset_member(name: &'static CStr, offset: usize) -> ffi::PyMemberDef {
    ffi::PyMemberDef {
        name: name.as_ptr(),
        type_code: ffi::Py_T_PYSSIZET,
        offset: offset as ffi::Py_ssize_t,
        flags: ffi::Py_READONLY,
        doc: std::ptr::null(),
    }
}

/// Puts the end behind a list of members and keeps it for good.
pub(super) fn members(mut list: Vec<ffi::PyMemberDef>) -> *mut c_void {
    list.push(ffi::PyMemberDef::default());
    list.leak().as_mut_ptr().cast()
}

/// A function that is called with an array of arguments.
pub(super) type Fast = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *const *mut ffi::PyObject,
    ffi::Py_ssize_t,
) -> *mut ffi::PyObject;

/// The same, and with names for those behind it.
pub(super) type FastWithKeywords = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *const *mut ffi::PyObject,
    ffi::Py_ssize_t,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// A function of that kind as the table of methods has it, which goes by the flags.
pub(super) fn fast(function: Fast) -> ffi::PyMethodDefPointer {
    // SAFETY: the interpreter casts it back before it calls.
    let function = unsafe { std::mem::transmute::<Fast, ffi::PyCFunction>(function) };
    ffi::PyMethodDefPointer { PyCFunction: function }
}

/// The same with names.
pub(super) fn fast_with_keywords(function: FastWithKeywords) -> ffi::PyMethodDefPointer {
    // SAFETY: as above.
    let function = unsafe { std::mem::transmute::<FastWithKeywords, ffi::PyCFunction>(function) };
    ffi::PyMethodDefPointer { PyCFunction: function }
}

/// A method: its name, its function, how it is called and what it does.
pub(super) fn method(
    name: &'static CStr,
    function: ffi::PyMethodDefPointer,
    flags: c_int,
    doc: &'static CStr,
) -> ffi::PyMethodDef {
    ffi::PyMethodDef { ml_name: name.as_ptr(), ml_meth: function, ml_flags: flags, ml_doc: doc.as_ptr() }
}

/// Puts the end behind a table and keeps it for good, as the interpreter wants it.
pub(super) fn methods(mut table: Vec<ffi::PyMethodDef>) -> *mut ffi::PyMethodDef {
    table.push(ffi::PyMethodDef::zeroed());
    table.leak().as_mut_ptr()
}

/// Makes a type whose instances are `T`.
pub(super) fn make<'py, T>(
    py: Python<'py>,
    name: &'static CStr,
    flags: u64,
    slots: &[(c_int, *mut c_void)],
) -> PyResult<Bound<'py, PyType>> {
    let mut slots: Vec<ffi::PyType_Slot> =
        slots.iter().map(|&(slot, pfunc)| ffi::PyType_Slot { slot, pfunc }).collect();
    slots.push(ffi::PyType_Slot::default());
    let mut spec = ffi::PyType_Spec {
        name: name.as_ptr(),
        basicsize: size_of::<T>() as c_int,
        itemsize: 0,
        flags: (ffi::Py_TPFLAGS_DEFAULT | flags) as c_uint,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the specification is whole, and what it points to for good is leaked or static.
    let made = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpec(&raw mut spec))? };
    Ok(made.cast_into::<PyType>()?)
}

/// Runs something within a function that the interpreter calls: it is held already. Asking for it anew is refused while
/// the program ends, when finalizers still open scopes.
pub(super) fn attached<T>(run: impl FnOnce(Python<'_>) -> T) -> T {
    // SAFETY: as above, and what is run cannot keep the token.
    run(unsafe { Python::assume_attached() })
}

/// Whether None is never counted, as since 3.12.
static IS_NONE_IMMORTAL: AtomicBool = AtomicBool::new(false);

/// Finds out what is cheaper done here than by a call. Once, when the module is loaded.
pub(super) fn look(py: Python<'_>) {
    IS_NONE_IMMORTAL.store(py.version_info() >= (3, 12), Relaxed);
}

/// A new reference to None.
#[inline(always)]
pub(super) fn none() -> *mut ffi::PyObject {
    // SAFETY: None lives as long as the interpreter; where it is counted, that is by the first word, as of any object.
    unsafe {
        let none = ffi::Py_None();
        if !IS_NONE_IMMORTAL.load(Relaxed) {
            *none.cast::<isize>() += 1;
        }
        none
    }
}

/// A new reference to an object. The limited interface has a function for it, and the call would be a tenth of what a scope
/// costs while nothing is recorded.
///
/// # Safety
/// The interpreter is held, and the object is live and of a type of this module: none of those is immortal.
#[inline(always)]
pub(super) unsafe fn held(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: an object's first word counts its references, in every build with the interpreter's lock.
    unsafe { *object.cast::<isize>() += 1 };
    object
}
