//! Objects that the interpreter calls without a detour: a call of one is a call of its native function, with an array of
//! arguments. Built-in functions check names and depth of recursion first, which is a tenth of what an event costs.

#![expect(unsafe_code, reason = "types of C are made of pointers")]

use std::ffi::{c_int, c_uint, c_void};
use std::mem::offset_of;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

/// Called with the object, its arguments, their number with a flag, and names of none.
pub(super) type Function =
    unsafe extern "C" fn(*mut PyObject, *const *mut PyObject, usize, *mut PyObject) -> *mut PyObject;

/// A flag of types that is no part of the limited interface of 3.9, but of all versions since.
const HAVE_VECTORCALL: u64 = 1 << 11;

#[repr(C)]
struct Callback {
    base: PyObject,
    function: Function,
}

// In every CPython since 3.9, though no part of the limited interface.
unsafe extern "C" {
    fn PyVectorcall_Call(callable: *mut PyObject, args: *mut PyObject, names: *mut PyObject)
    -> *mut PyObject;
}

/// An object for each of the functions.
pub(super) fn make(py: Python<'_>, functions: &[Function]) -> PyResult<Vec<Py<PyAny>>> {
    let members = vec![
        ffi::PyMemberDef {
            name: c"__vectorcalloffset__".as_ptr(),
            type_code: ffi::Py_T_PYSSIZET,
            offset: offset_of!(Callback, function) as ffi::Py_ssize_t,
            flags: ffi::Py_READONLY,
            doc: std::ptr::null(),
        },
        ffi::PyMemberDef::default(),
    ];
    let slot = |slot: c_int, pfunc: *mut c_void| ffi::PyType_Slot { slot, pfunc };
    let mut slots = [
        slot(ffi::Py_tp_members, members.leak().as_mut_ptr().cast()),
        slot(ffi::Py_tp_call, PyVectorcall_Call as *mut c_void),
        ffi::PyType_Slot::default(),
    ];
    let mut spec = ffi::PyType_Spec {
        name: c"calor._calor.Callback".as_ptr(),
        basicsize: size_of::<Callback>() as c_int,
        itemsize: 0,
        flags: (ffi::Py_TPFLAGS_DEFAULT | HAVE_VECTORCALL) as c_uint,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the specification is whole, and what it points to for good is leaked.
    let kind = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpec(&raw mut spec))? };
    let made = functions.iter().map(|function| {
        // SAFETY: it is a type whose instances are of this struct; the field is set before anybody has the object.
        unsafe {
            let object = Bound::from_owned_ptr_or_err(py, ffi::PyType_GenericAlloc(kind.as_ptr().cast(), 0))?;
            (*object.as_ptr().cast::<Callback>()).function = *function;
            Ok(object.unbind())
        }
    });
    made.collect()
}
