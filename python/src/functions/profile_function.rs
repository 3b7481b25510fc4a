//! Tracing by the interpreter's profile function (`PyEval_SetProfile`), for where neither of the better ways is to be had.
//! Each call costs four times as much, because the interpreter makes a frame object for it; it is there in all versions.
//! Every thread has one such function: those that run now get ours at once, those that start later by way of `threading`.

#![expect(unsafe_code, reason = "callbacks of the interpreter get objects as pointers")]

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use super::interpreter::symbol;
use super::{codes, open_calls};

/// What an event is, as in the interpreter's headers.
const CALL: c_int = 0;
const RETURN: c_int = 3;

type Callback = unsafe extern "C" fn(*mut PyObject, *mut PyObject, c_int, *mut PyObject) -> c_int;
type SetHere = unsafe extern "C" fn(Option<Callback>, *mut PyObject);
type SetOf = unsafe extern "C" fn(*mut c_void, Option<Callback>, *mut PyObject) -> c_int;
type ByInterpreter = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type CodeOf = unsafe extern "C" fn(*mut PyObject) -> *mut PyObject;

static IS_ON: AtomicBool = AtomicBool::new(false);
static INTERFACE: PyOnceLock<Option<Interface>> = PyOnceLock::new();
/// What threads that start later begin with.
static FIRST_EVENT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// The functions of the interpreter that this needs.
#[derive(Clone, Copy)]
struct Interface {
    set_here: SetHere,
    code_of: CodeOf,
    /// For other threads that run already; private, but there from 3.9 on.
    of_others: Option<(SetOf, ByInterpreter, ByInterpreter)>,
}

/// Tracing that is on.
#[derive(Debug)]
pub(super) struct ProfileFunction {
    /// What `threading` gave to new threads before.
    earlier: Option<Py<PyAny>>,
}

impl ProfileFunction {
    /// Begins, or tells why it cannot.
    pub(super) fn start(py: Python<'_>) -> PyResult<Result<Self, &'static str>> {
        let Some(interface) = INTERFACE.get_or_init(py, Interface::find) else {
            return Ok(Err("this interpreter has no profile function"));
        };
        let (sys, threading) = (py.import("sys")?, py.import("threading")?);
        if !sys.call_method0("getprofile")?.is_none() {
            return Ok(Err("another profiler is on (sys.getprofile() tells which); stop it first"));
        }
        let earlier =
            threading.getattr("_profile_hook").ok().filter(|earlier| !earlier.is_none()).map(Bound::unbind);
        let first_event = FIRST_EVENT.get_or_try_init(py, || first_event_function(py))?;
        IS_ON.store(true, Relaxed);
        if earlier.is_none() {
            threading.call_method1("setprofile", (first_event,))?;
        }
        // SAFETY: the lock is held.
        unsafe { interface.set_on_all_threads() };
        Ok(Ok(Self { earlier }))
    }

    /// Ends. Other threads take our function off at their next event: only they know whether it is still there.
    pub(super) fn stop(&self, py: Python<'_>) -> PyResult<()> {
        IS_ON.store(false, Relaxed);
        let threading = py.import("threading")?;
        let is_ours = |hook: &Bound<'_, PyAny>| FIRST_EVENT.get(py).is_some_and(|ours| hook.is(ours));
        if self.earlier.is_none() && threading.getattr("_profile_hook").is_ok_and(|hook| is_ours(&hook)) {
            threading.call_method1("setprofile", (py.None(),))?;
        }
        // Our function comes with its own object, which tells it from others.
        if is_ours(&py.import("sys")?.call_method0("getprofile")?)
            && let Some(Some(interface)) = INTERFACE.get(py)
        {
            // SAFETY: the lock is held.
            unsafe { (interface.set_here)(None, null_mut()) };
        }
        Ok(())
    }
}

impl Interface {
    fn find() -> Option<Self> {
        let (set_here, code_of) = (symbol(c"PyEval_SetProfile")?, symbol(c"PyFrame_GetCode")?);
        let of_others = || {
            let set_of = symbol(c"_PyEval_SetProfile")?;
            let first = symbol(c"PyInterpreterState_ThreadHead")?;
            let next = symbol(c"PyThreadState_Next")?;
            // SAFETY: these have been their types since 3.9.
            unsafe {
                Some((
                    transmute::<*mut c_void, SetOf>(set_of.as_ptr()),
                    transmute::<*mut c_void, ByInterpreter>(first.as_ptr()),
                    transmute::<*mut c_void, ByInterpreter>(next.as_ptr()),
                ))
            }
        };
        // SAFETY: as above.
        unsafe {
            Some(Self {
                set_here: transmute::<*mut c_void, SetHere>(set_here.as_ptr()),
                code_of: transmute::<*mut c_void, CodeOf>(code_of.as_ptr()),
                of_others: of_others(),
            })
        }
    }

    /// # Safety
    /// The caller holds the interpreter's lock.
    unsafe fn set_on_all_threads(&self) {
        let own = own_object();
        // SAFETY: the lock is held: no thread starts or ends meanwhile, and none runs Python.
        unsafe {
            (self.set_here)(Some(event), own);
            let Some((set_of, first, next)) = self.of_others else { return };
            let here = ffi::PyThreadState_Get().cast::<c_void>();
            let mut thread = first(ffi::PyInterpreterState_Get().cast());
            while !thread.is_null() {
                if thread != here && set_of(thread, Some(event), own) < 0 {
                    ffi::PyErr_Clear();
                }
                thread = next(thread);
            }
        }
    }
}

/// The object that our function comes with.
fn own_object() -> *mut PyObject {
    // SAFETY: the callers hold the interpreter's lock.
    let py = unsafe { Python::assume_attached() };
    FIRST_EVENT.get(py).map_or(null_mut(), Py::as_ptr)
}

/// What `threading` calls with the first event of a new thread: a native function takes its place.
fn first_event_function(py: Python<'_>) -> PyResult<Py<PyAny>> {
    let definition = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: c"calor".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunction: first_event },
        ml_flags: ffi::METH_VARARGS,
        ml_doc: null(),
    }));
    // SAFETY: the definition is kept for good; the result is a new reference or null with an error.
    unsafe {
        Bound::from_owned_ptr_or_err(py, ffi::PyCFunction_NewEx(definition, null_mut(), null_mut()))
            .map(Bound::unbind)
    }
}

unsafe extern "C" fn first_event(_: *mut PyObject, _arguments: *mut PyObject) -> *mut PyObject {
    // SAFETY: the interpreter calls this with its lock held. The event itself is of `threading`, before the program's
    // function, or of a return to it.
    unsafe {
        let py = Python::assume_attached();
        if let Some(Some(interface)) = INTERFACE.get(py) {
            let own = own_object();
            let is_on = IS_ON.load(Relaxed);
            (interface.set_here)(is_on.then_some(event as Callback), if is_on { own } else { null_mut() });
        }
        ffi::Py_INCREF(ffi::Py_None());
        ffi::Py_None()
    }
}

/// A call, a return, or something that is of no interest.
unsafe extern "C" fn event(_: *mut PyObject, frame: *mut PyObject, what: c_int, _: *mut PyObject) -> c_int {
    if what != CALL && what != RETURN {
        return 0;
    }
    // SAFETY: the interpreter calls this with its lock held.
    let py = unsafe { Python::assume_attached() };
    let Some(Some(interface)) = INTERFACE.get(py) else { return 0 };
    if !IS_ON.load(Relaxed) {
        // SAFETY: as above; it is this thread's function that is being called.
        unsafe { (interface.set_here)(None, null_mut()) };
        return 0;
    }
    // SAFETY: as above: the frame is one of Python's, and the current one. The frame holds its code object as well.
    unsafe {
        let code = (interface.code_of)(frame);
        ffi::Py_DECREF(code);
        if what == RETURN {
            open_calls::end(code);
        } else {
            let (site, last) = codes::found(code, || ffi::PyEval_GetGlobals());
            if let Some(site) = site.as_ref() {
                open_calls::begin(code, site, last);
            }
        }
    }
    0
}
