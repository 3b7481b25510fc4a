//! How `with` reaches a scope. For each block the interpreter looks `__enter__` and `__exit__` up in the type and binds them to
//! the object; a bound method is an object that is made and thrown away, and two of them take as long as all the rest. So
//! these two are descriptors of ours, which hand out something that is there already: the scope itself, which is opened when
//! it is called, and a part of it, which closes it.
//!
//! While nothing is recorded they are no descriptors: the interpreter then takes them as they are, without asking for which
//! scope, and calls them. They do nothing, so it does not matter for which. What a descriptor is goes by its type, so the two
//! are given another type when the recorder is turned on or off. The type of scopes stays as it is: each change of a type takes
//! a number from a small stock, and types that ran out of them are slow for good. A block calls what it found when it began, so
//! one that begins while nothing is recorded ends so.

#![expect(unsafe_code, reason = "types of C are made of pointers")]

use std::ffi::{CStr, c_void};
use std::mem::offset_of;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::heap_type::{
    self, ARGUMENTS_OFFSET, HAVE_VECTORCALL, PyVectorcall_Call, Vectorcall, attached, held, none,
    offset_member,
};
use super::object::ScopeObject;

/// The part of a scope's object that closes it when called. It is an object to the interpreter, in the memory of the scope,
/// which has one reference to it: so whichever of the two goes last frees that memory, and neither has to hold the other.
#[repr(C)]
pub(super) struct Exit {
    base: ffi::PyObject,
    vectorcall: Vectorcall,
}

/// `__enter__` or `__exit__` of a type.
#[repr(C)]
struct Method {
    base: ffi::PyObject,
    vectorcall: Vectorcall,
    is_exit: bool,
}

static EXIT: OnceLock<Py<PyType>> = OnceLock::new();
/// The types of scopes and of blocks.
static KINDS: [AtomicPtr<ffi::PyTypeObject>; 2] = [const { AtomicPtr::new(null_mut()) }; 2];
/// `__enter__` and `__exit__` of scopes.
static METHODS: [AtomicPtr<ffi::PyObject>; 2] = [const { AtomicPtr::new(null_mut()) }; 2];
/// The types of these, while nothing is recorded and while something is.
static METHOD_KINDS: [AtomicPtr<ffi::PyTypeObject>; 2] = [const { AtomicPtr::new(null_mut()) }; 2];
/// What `with .. as scope` gives while nothing is recorded: a scope that does nothing.
static NOTHING: AtomicPtr<ffi::PyObject> = AtomicPtr::new(null_mut());

/// Gives the types of scopes and of blocks their two methods. Those of blocks, which turn the recorder on, stay descriptors.
pub(super) fn add_to(scope: &Bound<'_, PyType>, block: &Bound<'_, PyType>) -> PyResult<()> {
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
    let method = |name: &'static CStr, get: Option<*mut c_void>| {
        let mut slots = vec![
            (ffi::Py_tp_members, offset(offset_of!(Method, vectorcall))),
            (ffi::Py_tp_call, PyVectorcall_Call as *mut c_void),
            (ffi::Py_tp_new, refuse as *mut c_void),
        ];
        slots.extend(get.map(|get| (ffi::Py_tp_descr_get, get)));
        heap_type::make::<Method>(py, name, HAVE_VECTORCALL, &slots)
    };
    // Types that could be changed later, as these could: of attributes of such types the interpreter remembers at no place that
    // they are no descriptors.
    let idle = method(c"calor._calor.ScopeIdle", None)?;
    let bound = method(c"calor._calor.ScopeMethod", Some(get as *mut c_void))?;
    EXIT.get_or_init(|| exit.unbind());
    for (kept, kind) in KINDS.iter().zip([scope, block]) {
        kept.store(kind.as_ptr().cast(), Relaxed);
    }
    for (kind, methods) in [(scope, Some(&METHODS)), (block, None)] {
        for (at, name) in ["__enter__", "__exit__"].into_iter().enumerate() {
            // SAFETY: the type is ours, and its instances have these fields, which are written before anybody sees them.
            let made = unsafe {
                let made =
                    Bound::from_owned_ptr_or_err(py, ffi::PyType_GenericAlloc(bound.as_ptr().cast(), 0))?;
                let this = made.as_ptr().cast::<Method>();
                (&raw mut (*this).vectorcall).write(if at == 1 { exit_unbound } else { enter_unbound });
                (&raw mut (*this).is_exit).write(at == 1);
                made
            };
            kind.setattr(name, &made)?;
            if let Some(methods) = methods {
                methods[at].store(made.into_ptr(), Relaxed);
            }
        }
    }
    // Both types stay, whatever their instances say.
    for (kept, kind) in METHOD_KINDS.iter().zip([idle, bound]) {
        kept.store(kind.into_ptr().cast(), Relaxed);
    }
    Ok(())
}

/// Keeps the scope that does nothing.
pub(super) fn keep_nothing(nothing: Bound<'_, PyAny>) {
    NOTHING.store(nothing.into_ptr(), Relaxed);
}

/// Scopes are recorded from now on, or not any more. The interpreter is held.
pub(super) fn set_recording(_py: Python<'_>, is_recording: bool) {
    let kind = METHOD_KINDS[usize::from(is_recording)].load(Relaxed);
    for method in METHODS.iter().map(|method| method.load(Relaxed)) {
        if !method.is_null() && !kind.is_null() && !NOTHING.load(Relaxed).is_null() {
            // SAFETY: both types have instances of one shape and are never freed; nobody reads it meanwhile.
            unsafe { (*method).ob_type = kind };
        }
    }
}

/// Whether an object is a scope or a block.
///
/// # Safety
/// The interpreter is held, and the object is live.
#[inline(always)]
unsafe fn is_scope(object: *mut ffi::PyObject) -> bool {
    // SAFETY: by the caller's promise.
    let kind = unsafe { ffi::Py_TYPE(object) };
    KINDS.iter().any(|own| own.load(Relaxed) == kind)
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

/// What `with` calls while something is recorded.
unsafe extern "C" fn get(
    method: *mut ffi::PyObject,
    owner: *mut ffi::PyObject,
    _kind: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter holds both, and the first is an instance.
    unsafe {
        if owner.is_null() || !is_scope(owner) {
            return held(method);
        }
        if (*method.cast::<Method>()).is_exit { Exit::of(owner) } else { held(owner) }
    }
}

/// `Scope.__enter__(scope)`, as `contextlib.ExitStack` calls it; and without a scope what `with` calls while nothing is recorded.
unsafe extern "C" fn enter_unbound(
    _method: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    _names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let n_args = n & !ARGUMENTS_OFFSET;
    // SAFETY: the interpreter calls with so many arguments, all of which it holds; what is called is called as it would.
    unsafe {
        if n_args == 0 {
            return held(NOTHING.load(Relaxed));
        }
        let scope = *args;
        if !is_scope(scope) {
            return refuse_other();
        }
        ((*scope.cast::<ScopeObject>()).vectorcall)(scope, args.add(1), n_args - 1, null_mut())
    }
}

/// `Scope.__exit__(scope, ..)`; and without a scope what `with` calls while nothing is recorded.
unsafe extern "C" fn exit_unbound(
    method: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    _names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let n_args = n & !ARGUMENTS_OFFSET;
    // SAFETY: as above; the part is there as long as the scope.
    unsafe {
        // `with` says what was raised. While nothing is recorded it may be `scope.__exit__()`, which is no error.
        if n_args == 0 && ffi::Py_TYPE(method) == METHOD_KINDS[1].load(Relaxed) {
            return refuse_other();
        }
        if n_args == 0 || !is_scope(*args) {
            return none();
        }
        let exit = &raw mut (*(*args).cast::<ScopeObject>()).exit;
        ((*exit).vectorcall)(exit.cast(), args.add(1), n_args - 1, null_mut())
    }
}

/// They are for scopes.
#[cold]
fn refuse_other() -> *mut ffi::PyObject {
    attached(|py| PyTypeError::new_err("expected a scope, as calor.scope(..) makes it").restore(py));
    null_mut()
}

/// Both are made here alone.
unsafe extern "C" fn refuse(
    _kind: *mut ffi::PyTypeObject,
    _args: *mut ffi::PyObject,
    _keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    attached(|py| PyTypeError::new_err("scopes are made by calor.scope(\"name\")").restore(py));
    null_mut()
}
