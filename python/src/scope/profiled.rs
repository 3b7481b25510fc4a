//! A decorated function: an object that opens a scope, calls the function and closes the scope, by the protocol by which
//! the interpreter calls functions itself. That is why it costs little more than the clock. It binds as a method without
//! an object in between, and has a dict, so that it looks like what it stands for.

#![expect(unsafe_code, reason = "types of C are made of pointers")]

use std::ffi::{CStr, c_int, c_void};
use std::mem::offset_of;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use calor::{LastNode, Site};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyType};

use super::heap_type::{
    ARGUMENTS_OFFSET, HAVE_VECTORCALL, PyVectorcall_Call, Vectorcall, attached, offset_member,
};
use super::{heap_type, object, open};
use crate::type_layout::{TYPE_BASIC_SIZE, TYPE_VECTORCALL_OFFSET};
use crate::{here, stack_room};

/// A flag of types that is no part of the limited interface of 3.9, but of all versions since.
const METHOD_DESCRIPTOR: u64 = 1 << 17;

// In every CPython since 3.9, though no part of the limited interface.
unsafe extern "C" {
    fn PyObject_VectorcallDict(
        callable: *mut ffi::PyObject,
        args: *const *mut ffi::PyObject,
        n: usize,
        keywords: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject;
    fn PyObject_GenericGetDict(object: *mut ffi::PyObject, context: *mut c_void) -> *mut ffi::PyObject;
    fn PyObject_GenericSetDict(
        object: *mut ffi::PyObject,
        value: *mut ffi::PyObject,
        context: *mut c_void,
    ) -> c_int;
    fn PyMethod_New(function: *mut ffi::PyObject, owner: *mut ffi::PyObject) -> *mut ffi::PyObject;
}

#[repr(C)]
struct Profiled {
    base: ffi::PyObject,
    vectorcall: Vectorcall,
    function: *mut ffi::PyObject,
    site: &'static Site,
    /// What its calls entered last.
    last: LastNode,
    /// From the function to what it is called by, as for any plain function of Python; 0 where it is another callable.
    called_by: usize,
    dict: *mut ffi::PyObject,
    weak: *mut ffi::PyObject,
}

static TYPE: OnceLock<Py<PyType>> = OnceLock::new();
/// `PyObject_Vectorcall`, which is a function since 3.11; null before.
static CALL: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
/// What is raised where a call has no room.
pub(super) const NO_ROOM: &CStr =
    c"maximum recursion depth exceeded: a decorated function calls itself, and the machine's stack ends here";
/// What plain functions of Python are called by.
static CALL_FUNCTION: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Makes the type.
pub(super) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // SAFETY: a name that ends in 0.
    let symbol = |name: &CStr| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    CALL.store(symbol(c"PyObject_Vectorcall"), Relaxed);
    CALL_FUNCTION.store(symbol(c"_PyFunction_Vectorcall"), Relaxed);
    let members = heap_type::members(vec![
        offset_member(c"__vectorcalloffset__", offset_of!(Profiled, vectorcall)),
        offset_member(c"__dictoffset__", offset_of!(Profiled, dict)),
        offset_member(c"__weaklistoffset__", offset_of!(Profiled, weak)),
    ]);
    let attributes = vec![
        ffi::PyGetSetDef {
            name: c"__dict__".as_ptr(),
            get: Some(PyObject_GenericGetDict),
            set: Some(PyObject_GenericSetDict),
            doc: std::ptr::null(),
            closure: std::ptr::null_mut(),
        },
        ffi::PyGetSetDef::default(),
    ];
    let methods = heap_type::methods(vec![heap_type::method(
        c"__reduce__",
        ffi::PyMethodDefPointer { PyCFunction: reduce },
        ffi::METH_NOARGS,
        c"By its name, as functions are.",
    )]);
    let made = heap_type::make::<Profiled>(
        module.py(),
        c"calor._calor.Profiled",
        ffi::Py_TPFLAGS_HAVE_GC | HAVE_VECTORCALL | METHOD_DESCRIPTOR,
        &[
            (ffi::Py_tp_members, members),
            (ffi::Py_tp_getset, attributes.leak().as_mut_ptr().cast()),
            (ffi::Py_tp_methods, methods.cast()),
            (ffi::Py_tp_call, PyVectorcall_Call as *mut c_void),
            (ffi::Py_tp_descr_get, bind as *mut c_void),
            (ffi::Py_tp_traverse, traverse as *mut c_void),
            (ffi::Py_tp_clear, clear as *mut c_void),
            (ffi::Py_tp_dealloc, dealloc as *mut c_void),
            (ffi::Py_tp_repr, repr as *mut c_void),
            (ffi::Py_tp_new, new as *mut c_void),
        ],
    )?;
    module.add("Profiled", &made)?;
    TYPE.get_or_init(|| made.unbind());
    Ok(())
}

/// Calls the function within its scope.
unsafe extern "C" fn call(
    this: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let this = this.cast::<Profiled>();
    // SAFETY: the interpreter calls us with an instance. What we were called with is handed on; the function is held by the
    // object, which the caller holds. The interpreter calls, so its lock is held, and by the end it is the same thread.
    unsafe {
        let (function, called_by) = ((*this).function, (*this).called_by);
        // Whether recorded or not: a frame that native code calls nests on the machine's stack, which Python does not
        // count before 3.12.
        if !stack_room::is_there() {
            return stack_room::refuse(&stack_room::DECORATED, NO_ROOM);
        }
        let run = || call_directly(function, called_by, args, n, names);
        if !calor::is_enabled() {
            return run();
        }
        open::settle();
        match here::of_thread() {
            Some(here) => here.around_again((*this).site, &raw mut (*this).last, run),
            None => run(),
        }
    }
}

/// Calls a function of Python by what it holds, and anything else as the interpreter does.
///
/// # Safety
/// As the interpreter calls; `called_by` is what [`offset_of_call`] says of the function.
#[inline(always)]
unsafe fn call_directly(
    function: *mut ffi::PyObject,
    called_by: usize,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    if called_by != 0 {
        // SAFETY: by the caller's promise.
        let vectorcall: Option<Vectorcall> =
            unsafe { function.byte_add(called_by).cast::<Option<Vectorcall>>().read() };
        if let Some(vectorcall) = vectorcall {
            // SAFETY: that is how the interpreter calls it.
            return unsafe { vectorcall(function, args, n, names) };
        }
    }
    // SAFETY: as promised to us.
    unsafe { call_plainly(function, args, n, names) }
}

/// Where a plain function of Python holds what it is called by; 0 of anything else, and where that is not found.
fn offset_of_call(function: &Bound<'_, PyAny>) -> usize {
    let kind = function.get_type();
    if !kind.is(function.py().get_type::<PyFunction>()) {
        return 0;
    }
    // SAFETY: types are larger than this, and functions than what the type says of itself; the lock is held.
    unsafe {
        let size: usize = kind.as_ptr().byte_add(TYPE_BASIC_SIZE).cast::<usize>().read();
        let offset: usize = kind.as_ptr().byte_add(TYPE_VECTORCALL_OFFSET).cast::<usize>().read();
        let is_as_said = kind
            .getattr("__basicsize__")
            .and_then(|said| said.extract())
            .is_ok_and(|said: usize| said == size);
        let is_inside = offset.is_multiple_of(size_of::<usize>()) && (1..size).contains(&offset);
        if !is_as_said || !is_inside {
            return 0;
        }
        // It has to be the function that the interpreter has for this.
        let found: *mut c_void = function.as_ptr().byte_add(offset).cast::<*mut c_void>().read();
        let known = CALL_FUNCTION.load(Relaxed);
        if !known.is_null() && found == known { offset } else { 0 }
    }
}

/// Calls a function as the interpreter does.
///
/// # Safety
/// As the interpreter calls.
#[inline(always)]
unsafe fn call_plainly(
    function: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let quick = CALL.load(Relaxed);
    if !quick.is_null() {
        // SAFETY: that is what the function of this name is.
        let quick: Vectorcall = unsafe { std::mem::transmute::<*mut c_void, Vectorcall>(quick) };
        // SAFETY: as promised to us.
        return unsafe { quick(function, args, n, names) };
    }
    if names.is_null() {
        // SAFETY: as promised to us.
        return unsafe { PyObject_VectorcallDict(function, args, n, names) };
    }
    // SAFETY: as promised to us.
    unsafe { call_with_names(function, args, n, names) }
}

/// Up to 3.10 there is no function that takes names.
///
/// # Safety
/// As the interpreter calls.
#[cold]
unsafe fn call_with_names(
    function: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let n_args = n & !ARGUMENTS_OFFSET;
    let keywords = attached(|py| -> PyResult<Py<PyDict>> {
        let keywords = PyDict::new(py);
        // SAFETY: names are a tuple, and their values stand behind the arguments.
        let names = unsafe { Bound::from_borrowed_ptr(py, names) };
        for (at, name) in names.try_iter()?.enumerate() {
            // SAFETY: as above.
            keywords.set_item(name?, unsafe { Bound::from_borrowed_ptr(py, *args.add(n_args + at)) })?;
        }
        Ok(keywords.unbind())
    });
    match keywords {
        // SAFETY: as promised to us.
        Ok(keywords) => unsafe {
            let keywords = keywords.into_ptr();
            let result = PyObject_VectorcallDict(function, args, n, keywords);
            ffi::Py_DECREF(keywords);
            result
        },
        Err(error) => {
            attached(|py| error.restore(py));
            std::ptr::null_mut()
        }
    }
}

/// `Profiled(function, scope)`.
unsafe extern "C" fn new(
    kind: *mut ffi::PyTypeObject,
    args: *mut ffi::PyObject,
    _keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    attached(|py| {
        // SAFETY: arguments are a tuple.
        let args = unsafe { Bound::from_borrowed_ptr(py, args) };
        let made = args.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>().and_then(|(function, scope)| {
            if !function.is_callable() {
                return Err(PyTypeError::new_err(format!("{} cannot be called", function.repr()?)));
            }
            let site = object::site_of(&scope)?;
            // SAFETY: instances of the type have these fields, of which zeros are fine until they are written.
            unsafe {
                let made = Bound::from_owned_ptr_or_err(py, ffi::PyType_GenericAlloc(kind, 0))?;
                let this = made.as_ptr().cast::<Profiled>();
                (&raw mut (*this).vectorcall).write(call);
                (&raw mut (*this).site).write(site);
                (&raw mut (*this).last).write(LastNode::NONE);
                (&raw mut (*this).called_by).write(offset_of_call(&function));
                (&raw mut (*this).function).write(function.into_ptr());
                Ok(made)
            }
        });
        match made {
            Ok(made) => made.into_ptr(),
            Err(error) => {
                error.restore(py);
                std::ptr::null_mut()
            }
        }
    })
}

/// As a function does: of an instance it is a method.
unsafe extern "C" fn bind(
    this: *mut ffi::PyObject,
    owner: *mut ffi::PyObject,
    _kind: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter holds both.
    unsafe {
        if owner.is_null() || owner == ffi::Py_None() {
            ffi::Py_INCREF(this);
            return this;
        }
        PyMethod_New(this, owner)
    }
}

unsafe extern "C" fn reduce(this: *mut ffi::PyObject, _: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the interpreter holds it.
    unsafe { ffi::PyObject_GetAttrString(this, c"__qualname__".as_ptr()) }
}

unsafe extern "C" fn repr(this: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: an instance, which holds its function.
    unsafe { ffi::PyObject_Repr((*this.cast::<Profiled>()).function) }
}

unsafe extern "C" fn traverse(
    this: *mut ffi::PyObject,
    visit: ffi::visitproc,
    context: *mut c_void,
) -> c_int {
    // SAFETY: an instance; what it holds is shown to the collector, its type since 3.9 too.
    unsafe {
        let own = this.cast::<Profiled>();
        for held in [(*own).function, (*own).dict, ffi::Py_TYPE(this).cast()] {
            if !held.is_null() {
                let stop = visit(held, context);
                if stop != 0 {
                    return stop;
                }
            }
        }
    }
    0
}

unsafe extern "C" fn clear(this: *mut ffi::PyObject) -> c_int {
    // SAFETY: an instance. The function stays callable as None, which raises, should somebody still call it.
    unsafe {
        let own = this.cast::<Profiled>();
        let dict = std::mem::replace(&mut (*own).dict, std::ptr::null_mut());
        (*own).called_by = 0;
        let function = std::mem::replace(&mut (*own).function, heap_type::none());
        ffi::Py_XDECREF(dict);
        ffi::Py_XDECREF(function);
    }
    0
}

unsafe extern "C" fn dealloc(this: *mut ffi::PyObject) {
    // SAFETY: the last reference is gone. The collector must not see it half gone, weak references go first.
    unsafe {
        ffi::PyObject_GC_UnTrack(this.cast());
        let own = this.cast::<Profiled>();
        if !(*own).weak.is_null() {
            ffi::PyObject_ClearWeakRefs(this);
        }
        ffi::Py_XDECREF((*own).dict);
        ffi::Py_XDECREF((*own).function);
        let kind = ffi::Py_TYPE(this);
        ffi::PyObject_GC_Del(this.cast());
        ffi::Py_DECREF(kind.cast());
    }
}
