//! How `with` reaches a scope. For each block the interpreter looks `__enter__` and `__exit__` up in the type and binds them to
//! the object; a bound method is an object that is made and thrown away, and two of them take as long as all the rest. So
//! these two are descriptors of ours, which hand out something that is there already: the scope itself, which is opened when
//! it is called, and a part of it, which closes it.

#![expect(unsafe_code, reason = "types of C are made of pointers")]

use std::ffi::c_void;
use std::mem::offset_of;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::heap_type::{
    self, ARGUMENTS_OFFSET, HAVE_VECTORCALL, PyVectorcall_Call, Vectorcall, attached, held, offset_member,
};
use super::object::ScopeObject;

/// The part of a scope's object that closes it when called. It is an object to the interpreter, in the memory of the scope,
/// which has one reference to it: so whichever of the two goes last frees that memory, and neither has to hold the other.
#[repr(C)]
pub(super) struct Exit {
    base: ffi::PyObject,
    vectorcall: Vectorcall,
}

/// `__enter__` or `__exit__` of the type.
#[repr(C)]
struct Method {
    base: ffi::PyObject,
    vectorcall: Vectorcall,
    is_exit: bool,
}

static EXIT: OnceLock<Py<PyType>> = OnceLock::new();
/// The type of scopes.
static SCOPE: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(std::ptr::null_mut());

/// Gives the type of scopes its two methods.
pub(super) fn add_to(scope: &Bound<'_, PyType>) -> PyResult<()> {
    let py = scope.py();
    let offset = |offset| heap_type::members(vec![offset_member(c"__vectorcalloffset__", offset)]);
    let exit = heap_type::make::<Exit>(
        py,
        c"calor._calor.ScopeExit",
        HAVE_VECTORCALL,
        &[
            (ffi::Py_tp_members, offset(offset_of!(Exit, vectorcall))),
            (ffi::Py_tp_call, PyVectorcall_Call as *mut c_void),
            (ffi::Py_tp_dealloc, let_go as *mut c_void),
            (ffi::Py_tp_new, refuse as *mut c_void),
        ],
    )?;
    let method = heap_type::make::<Method>(
        py,
        c"calor._calor.ScopeMethod",
        HAVE_VECTORCALL,
        &[
            (ffi::Py_tp_members, offset(offset_of!(Method, vectorcall))),
            (ffi::Py_tp_call, PyVectorcall_Call as *mut c_void),
            (ffi::Py_tp_descr_get, get as *mut c_void),
            (ffi::Py_tp_new, refuse as *mut c_void),
        ],
    )?;
    EXIT.get_or_init(|| exit.unbind());
    SCOPE.store(scope.as_ptr().cast(), Relaxed);
    for (name, is_exit) in [("__enter__", false), ("__exit__", true)] {
        // SAFETY: the type is ours, and its instances have these fields, which are written before anybody sees them.
        let made = unsafe {
            let made = Bound::from_owned_ptr_or_err(py, ffi::PyType_GenericAlloc(method.as_ptr().cast(), 0))?;
            let this = made.as_ptr().cast::<Method>();
            (&raw mut (*this).vectorcall).write(call_unbound);
            (&raw mut (*this).is_exit).write(is_exit);
            made
        };
        scope.setattr(name, made)?;
    }
    Ok(())
}

impl Exit {
    /// The part of an object that is being made, which calls this function.
    pub(super) fn new(function: Vectorcall) -> PyResult<Self> {
        let kind = EXIT.get().ok_or_else(|| PyTypeError::new_err("calor._calor is not loaded"))?;
        // SAFETY: an object is all zeros but for its type and the count of references, its first word.
        let mut base: ffi::PyObject = unsafe { std::mem::zeroed() };
        base.ob_type = kind.as_ptr().cast();
        // SAFETY: as above.
        unsafe { (&raw mut base).cast::<isize>().write(1) };
        Ok(Self { base, vectorcall: function })
    }

    /// The scope is not referred to any more: its own reference is given back.
    ///
    /// # Safety
    /// The interpreter is held, and the object is a scope that is going away.
    pub(super) unsafe fn give_up(object: *mut ScopeObject) {
        // SAFETY: by the caller's promise.
        unsafe { ffi::Py_DECREF((&raw mut (*object).exit).cast()) };
    }

    /// The scope that it is a part of.
    #[inline(always)]
    pub(super) fn scope(exit: *mut ffi::PyObject) -> *mut ScopeObject {
        exit.wrapping_byte_sub(offset_of!(ScopeObject, exit)).cast()
    }

    /// A new reference to the part of a scope.
    ///
    /// # Safety
    /// The interpreter is held, and the object is a scope.
    #[inline(always)]
    unsafe fn of(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
        // SAFETY: by the caller's promise.
        unsafe { held((&raw mut (*object.cast::<ScopeObject>()).exit).cast()) }
    }
}

/// The last reference to the part is gone, and those to the scope were before.
unsafe extern "C" fn let_go(exit: *mut ffi::PyObject) {
    // SAFETY: the memory is that of the scope; instances of types made at run time hold their type.
    unsafe {
        let scope: *mut ffi::PyObject = Exit::scope(exit).cast();
        let kind = ffi::Py_TYPE(scope);
        ffi::PyObject_Free(scope.cast());
        ffi::Py_DECREF(kind.cast());
    }
}

/// What `with` calls.
unsafe extern "C" fn get(
    method: *mut ffi::PyObject,
    owner: *mut ffi::PyObject,
    _kind: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter holds both, and the first is an instance.
    unsafe {
        if owner.is_null() || ffi::Py_TYPE(owner) != SCOPE.load(Relaxed) {
            return held(method);
        }
        if (*method.cast::<Method>()).is_exit { Exit::of(owner) } else { held(owner) }
    }
}

/// `Scope.__enter__(scope)` and `Scope.__exit__(scope, ..)`, as `contextlib.ExitStack` calls them.
unsafe extern "C" fn call_unbound(
    method: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    _names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let n_args = n & !ARGUMENTS_OFFSET;
    // SAFETY: the interpreter calls with an instance and so many arguments, all of which it holds; what is called is called
    // as the interpreter would.
    unsafe {
        if n_args == 0 || ffi::Py_TYPE(*args) != SCOPE.load(Relaxed) {
            attached(|py| PyTypeError::new_err("expected a scope, as calor.scope(..) makes it").restore(py));
            return std::ptr::null_mut();
        }
        let bound = get(method, *args, std::ptr::null_mut());
        let vectorcall = match (*method.cast::<Method>()).is_exit {
            true => (*bound.cast::<Exit>()).vectorcall,
            false => (*bound.cast::<ScopeObject>()).vectorcall,
        };
        let result = vectorcall(bound, args.add(1), n_args - 1, std::ptr::null_mut());
        ffi::Py_DECREF(bound);
        result
    }
}

/// Both are made here alone.
unsafe extern "C" fn refuse(
    _kind: *mut ffi::PyTypeObject,
    _args: *mut ffi::PyObject,
    _keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    attached(|py| PyTypeError::new_err("scopes are made by calor.scope(\"name\")").restore(py));
    std::ptr::null_mut()
}
