//! What `with` is given: an object that knows its site, so that one serves all calls and threads. It is entered when it is
//! called, and a part of it closes it when that is called; how `with` comes to call these is in [`super::with_protocol`]. Its
//! methods are called by the interpreter without a tuple or a check of their arguments: they ignore what they are given.

#![expect(unsafe_code, reason = "methods of C get pointers to objects")]

use std::ffi::{CStr, c_void};
use std::mem::offset_of;
use std::sync::OnceLock;

use calor::{Scope, Site};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use super::heap_type::{
    self, ARGUMENTS_OFFSET, HAVE_VECTORCALL, METH_FASTCALL, PyVectorcall_Call, Vectorcall, attached, fast,
    held, method, methods, none, offset_member,
};
use super::with_protocol::Exit;
use super::{open, text, with_protocol};
use crate::control;

/// The object behind `calor.scope(..)` and `calor.ProfileContext(..)`.
#[repr(C)]
pub(super) struct ScopeObject {
    base: ffi::PyObject,
    /// Opens it.
    pub(super) vectorcall: Vectorcall,
    pub(super) site: &'static Site,
    /// What closes it.
    pub(super) exit: Exit,
    /// How many scopes of it are open, on all threads. While there are none there is nothing to close. Of threads that ended
    /// with some open, too many.
    pub(super) n_open: u32,
    /// Whether it turns the recorder on while it is open.
    is_block: bool,
    /// Whether it is the one that stands for others while nothing is recorded.
    is_nothing: bool,
}

/// The types of scopes and of blocks.
static KINDS: OnceLock<[Py<PyType>; 2]> = OnceLock::new();

/// Makes the types.
pub(super) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let noargs = |function| ffi::PyMethodDefPointer { PyCFunction: function };
    let table = methods(vec![
        method(c"__aenter__", noargs(enter_async), ffi::METH_NOARGS, c"Opens the scope in a coroutine."),
        method(c"__aexit__", fast(exit_async), METH_FASTCALL, c"Closes the scope of a coroutine."),
        method(
            c"add",
            fast(add),
            METH_FASTCALL,
            c"add($self, counter, n, /)\n--\n\nAdds to a counter of the open scope.",
        ),
        method(
            c"backend",
            noargs(backend),
            ffi::METH_O,
            c"backend($self, name, /)\n--\n\nSays what served this call, such as \"cuda\".",
        ),
        method(
            c"bytes",
            noargs(bytes),
            ffi::METH_O,
            c"bytes($self, n, /)\n--\n\nSays how many bytes the open scope read and wrote.",
        ),
        method(
            c"elements",
            noargs(elements),
            ffi::METH_O,
            c"elements($self, n, /)\n--\n\nSays how many elements the open scope worked on.",
        ),
        method(
            c"flops",
            noargs(flops),
            ffi::METH_O,
            c"flops($self, n, /)\n--\n\nSays how many floating-point operations the open scope did.",
        ),
    ]);
    let members =
        heap_type::members(vec![offset_member(c"__vectorcalloffset__", offset_of!(ScopeObject, vectorcall))]);
    let kind = |name: &'static CStr, doc: &'static CStr| {
        let slots = [
            (ffi::Py_tp_members, members),
            (ffi::Py_tp_call, PyVectorcall_Call as *mut c_void),
            (ffi::Py_tp_methods, table.cast()),
            (ffi::Py_tp_dealloc, dealloc as *mut c_void),
            (ffi::Py_tp_repr, repr as *mut c_void),
            (ffi::Py_tp_new, refuse as *mut c_void),
            (ffi::Py_tp_doc, doc.as_ptr() as *mut c_void),
        ];
        heap_type::make::<ScopeObject>(py, name, HAVE_VECTORCALL, &slots)
    };
    let scope = kind(c"calor._calor.Scope", c"A scope: what runs inside `with` is timed under its name.")?;
    let block = kind(
        c"calor._calor.Block",
        c"A scope that can be reported alone, and that turns profiling on while it is open.",
    )?;
    with_protocol::add_to(&scope, &block)?;
    module.add("Scope", &scope)?;
    KINDS.get_or_init(|| [scope.unbind(), block.unbind()]);
    let nothing = make(py, Site::named("nothing"), false)?;
    // SAFETY: it was made just now, and nobody else has it.
    unsafe {
        let object = nothing.as_ptr().cast::<ScopeObject>();
        (*object).vectorcall = enter_nothing;
        (*object).is_nothing = true;
    }
    with_protocol::keep_nothing(nothing);
    with_protocol::set_recording(py, calor::is_enabled());
    Ok(())
}

/// A new object for a site.
pub(super) fn make<'py>(py: Python<'py>, site: &'static Site, is_block: bool) -> PyResult<Bound<'py, PyAny>> {
    let kind = &kinds()?[usize::from(is_block)];
    let exit = Exit::new(if is_block { exit_block } else { exit })?;
    // SAFETY: the type is ours, and its instances have these fields, which are written before anybody sees them.
    unsafe {
        let made = Bound::from_owned_ptr_or_err(py, ffi::PyType_GenericAlloc(kind.as_ptr().cast(), 0))?;
        let object = made.as_ptr().cast::<ScopeObject>();
        (&raw mut (*object).vectorcall).write(if is_block { enter_block } else { enter });
        (&raw mut (*object).site).write(site);
        (&raw mut (*object).exit).write(exit);
        (&raw mut (*object).n_open).write(0);
        (&raw mut (*object).is_block).write(is_block);
        (&raw mut (*object).is_nothing).write(false);
        Ok(made)
    }
}

fn kinds() -> PyResult<&'static [Py<PyType>; 2]> {
    KINDS.get().ok_or_else(|| PyTypeError::new_err("calor._calor is not loaded"))
}

/// The site of an object that Python hands over.
pub(super) fn site_of(object: &Bound<'_, PyAny>) -> PyResult<&'static Site> {
    let kind = object.get_type();
    if !kinds()?.iter().any(|own| kind.is(own.bind(object.py()))) {
        return Err(PyTypeError::new_err("expected a scope, as calor.scope(..) makes it"));
    }
    // SAFETY: its type is one of ours, which have no subtypes.
    Ok(unsafe { (*object.as_ptr().cast::<ScopeObject>()).site })
}

/// Scopes are made by `calor.scope`, which finds the place that asks.
unsafe extern "C" fn refuse(
    _kind: *mut ffi::PyTypeObject,
    _args: *mut ffi::PyObject,
    _keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    attached(|py| PyTypeError::new_err("scopes are made by calor.scope(\"name\")").restore(py));
    std::ptr::null_mut()
}

unsafe extern "C" fn dealloc(object: *mut ffi::PyObject) {
    // SAFETY: the last reference is gone. The memory stays until what closes it is not referred to either.
    unsafe { Exit::give_up(object.cast()) };
}

unsafe extern "C" fn repr(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls methods with instances of their type.
    let site = unsafe { (*object.cast::<ScopeObject>()).site };
    let kind = if site.is_context() { "ProfileContext" } else { "scope" };
    let labels: String = site.labels().iter().map(|(key, value)| format!(", {key}={value:?}")).collect();
    attached(|py| PyString::new(py, &format!("calor.{kind}({:?}{labels})", site.name())).into_ptr())
}

/// Opens a scope.
unsafe extern "C" fn enter(
    object: *mut ffi::PyObject,
    _: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    if n & !ARGUMENTS_OFFSET != 0 || !names.is_null() {
        return refuse_call();
    }
    let this = object.cast::<ScopeObject>();
    // SAFETY: the interpreter calls, with an instance, which it holds.
    unsafe { if calor::is_enabled() || (*this).n_open != 0 { open::enter(this) } else { held(object) } }
}

/// What opening the scope does that stands for others while nothing is recorded: nothing, also when something is.
unsafe extern "C" fn enter_nothing(
    object: *mut ffi::PyObject,
    _: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    if n & !ARGUMENTS_OFFSET != 0 || !names.is_null() {
        return refuse_call();
    }
    // SAFETY: the interpreter calls, with an instance, which it holds.
    unsafe { held(object) }
}

/// Opens a scope that turns the recorder on.
unsafe extern "C" fn enter_block(
    object: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    if n & !ARGUMENTS_OFFSET == 0 && names.is_null() {
        attached(control::begin_block);
    }
    // SAFETY: handed on as they came.
    unsafe { enter(object, args, n, names) }
}

/// A scope is called by `with` alone.
#[cold]
fn refuse_call() -> *mut ffi::PyObject {
    let words = "a scope is for `with` and no decorator: write @calor.profile(name=\"load\")";
    attached(|py| PyTypeError::new_err(words).restore(py));
    std::ptr::null_mut()
}

/// Closes a scope.
unsafe extern "C" fn exit(
    exit: *mut ffi::PyObject,
    _: *const *mut ffi::PyObject,
    _: usize,
    _: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let this = Exit::scope(exit);
    // SAFETY: the interpreter calls, with the part of an instance.
    unsafe { if (*this).n_open != 0 { open::leave(this) } else { none() } }
}

/// Closes a scope that turned the recorder on.
unsafe extern "C" fn exit_block(
    part: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: handed on as they came.
    let result = unsafe { exit(part, args, n, names) };
    attached(control::end_block);
    result
}

unsafe extern "C" fn enter_async(object: *mut ffi::PyObject, _: *mut ffi::PyObject) -> *mut ffi::PyObject {
    let this = object.cast::<ScopeObject>();
    // SAFETY: as above.
    unsafe {
        if (*this).is_block {
            attached(control::begin_block);
        }
        if !(*this).is_nothing {
            open::enter_with_care(this, true);
        }
    }
    // SAFETY: the interpreter holds it.
    attached(|py| at_once(unsafe { Bound::from_borrowed_ptr(py, object) }))
}

unsafe extern "C" fn exit_async(
    object: *mut ffi::PyObject,
    _: *const *mut ffi::PyObject,
    _: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    let this = object.cast::<ScopeObject>();
    // SAFETY: as above; a new reference to None.
    unsafe {
        if (*this).n_open != 0 {
            ffi::Py_DECREF(open::leave(this));
        }
        if (*this).is_block {
            attached(control::end_block);
        }
        attached(|py| at_once(Bound::from_owned_ptr(py, none())))
    }
}

/// Something to `await` that is there at once.
fn at_once(value: Bound<'_, PyAny>) -> *mut ffi::PyObject {
    let py = value.py();
    match Bound::new(py, AtOnce { value: value.unbind() }) {
        Ok(made) => made.into_ptr(),
        Err(error) => {
            error.restore(py);
            std::ptr::null_mut()
        }
    }
}

/// A value to `await` that is there at once.
#[pyclass(frozen)]
struct AtOnce {
    value: Py<PyAny>,
}

#[pymethods]
impl AtOnce {
    fn __await__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<()> {
        Err(pyo3::exceptions::PyStopIteration::new_err((self.value.clone_ref(py),)))
    }
}

/// A whole number that is not negative.
fn amount(py: Python<'_>, n: *mut ffi::PyObject) -> PyResult<u64> {
    let number = whole(py, n)?;
    u64::try_from(number)
        .map_err(|_| PyValueError::new_err(format!("expected a number from 0 to 2**64 - 1, got {number}")))
}

/// A whole number.
#[inline]
fn whole(py: Python<'_>, n: *mut ffi::PyObject) -> PyResult<i128> {
    // SAFETY: the interpreter holds arguments while it calls; an error is taken below.
    let (number, is_quick) = unsafe {
        let is_quick = ffi::PyLong_CheckExact(n) != 0;
        (if is_quick { ffi::PyLong_AsLongLong(n) } else { -1 }, is_quick)
    };
    if is_quick && (number != -1 || PyErr::take(py).is_none()) {
        return Ok(number.into());
    }
    // SAFETY: as above.
    let n = unsafe { Bound::from_borrowed_ptr(py, n) };
    n.call_method0("__index__")
        .and_then(|n| n.extract())
        .map_err(|_| PyTypeError::new_err(format!("expected a whole number, got {}", shown(&n))))
}

fn shown(object: &Bound<'_, PyAny>) -> String {
    object.repr().map_or_else(|_| String::from("?"), |text| text.to_string())
}

/// Runs a method, and gives its error to the interpreter.
fn answer(run: impl FnOnce(Python<'_>) -> PyResult<()>) -> *mut ffi::PyObject {
    attached(|py| match run(py) {
        Ok(()) => none(),
        Err(error) => {
            error.restore(py);
            std::ptr::null_mut()
        }
    })
}

unsafe extern "C" fn bytes(object: *mut ffi::PyObject, n: *mut ffi::PyObject) -> *mut ffi::PyObject {
    answer(|py| amount(py, n).map(|n| open::with_scope(object.cast(), |scope| drop_ref(scope.bytes(n)))))
}

unsafe extern "C" fn elements(object: *mut ffi::PyObject, n: *mut ffi::PyObject) -> *mut ffi::PyObject {
    answer(|py| amount(py, n).map(|n| open::with_scope(object.cast(), |scope| drop_ref(scope.elements(n)))))
}

unsafe extern "C" fn flops(object: *mut ffi::PyObject, n: *mut ffi::PyObject) -> *mut ffi::PyObject {
    answer(|py| amount(py, n).map(|n| open::with_scope(object.cast(), |scope| drop_ref(scope.flops(n)))))
}

unsafe extern "C" fn backend(object: *mut ffi::PyObject, name: *mut ffi::PyObject) -> *mut ffi::PyObject {
    answer(|py| {
        let name = name_of(py, name, "a backend")?;
        open::with_scope(object.cast(), |scope| drop_ref(scope.backend(name)));
        Ok(())
    })
}

unsafe extern "C" fn add(
    object: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n_args: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    answer(|py| {
        if n_args != 2 {
            return Err(PyTypeError::new_err(format!("expected add(counter, n), got {n_args} arguments")));
        }
        // SAFETY: there are two arguments.
        let (name, n) = unsafe { (*args, *args.add(1)) };
        let (name, n) = (name_of(py, name, "a counter")?, whole(py, n)?);
        let n = i64::try_from(n).map_err(|_| {
            PyValueError::new_err(format!("expected a number from -2**63 to 2**63 - 1, got {n}"))
        })?;
        open::with_scope(object.cast(), |scope| drop_ref(scope.add(name, n)));
        Ok(())
    })
}

/// What the recorder returns for chaining is not needed.
fn drop_ref(_scope: &Scope) {}

fn name_of(py: Python<'_>, name: *mut ffi::PyObject, what: &str) -> PyResult<&'static str> {
    // SAFETY: the interpreter holds arguments while it calls.
    let name = unsafe { Bound::from_borrowed_ptr(py, name) };
    let text = name
        .cast::<PyString>()
        .map_err(|_| PyTypeError::new_err(format!("the name of {what} is a str, not {}", shown(&name))))?;
    Ok(text::kept(&text.to_cow()?))
}
