//! What Python calls its threads.

#![expect(unsafe_code, reason = "the interpreter is asked for what it knows of the thread")]

use std::ffi::c_int;

use pyo3::exceptions::PyLookupError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

// In every CPython, though no part of the limited interface.
unsafe extern "C" {
    fn PyGILState_Check() -> c_int;
}

/// From now on, threads are called what `threading` calls them.
pub(crate) fn tell() {
    calor::name_threads_by(of_this_thread);
}

/// Looks without calling a function of Python; nothing for threads that do not hold the interpreter, and for those that
/// `threading` does not know.
fn of_this_thread() -> Option<String> {
    // SAFETY: both may be asked at any time.
    if unsafe { ffi::Py_IsInitialized() == 0 || PyGILState_Check() == 0 } {
        return None;
    }
    // SAFETY: the interpreter is held, as it just said.
    let py = unsafe { Python::assume_attached() };
    // Whoever opens the scope may be on the way with an error.
    let error = PyErr::take(py);
    let name = known(py).or_else(|_| starting(py)).ok();
    if let Some(error) = error {
        error.restore(py);
    }
    name
}

fn known(py: Python<'_>) -> PyResult<String> {
    let modules = py.import("sys")?.getattr("modules")?;
    let threads = modules.get_item("threading")?.getattr("_active")?;
    // SAFETY: the number by which Python knows a thread is that of the C library.
    let number = unsafe { libc::pthread_self() };
    threads.cast::<PyDict>()?.as_any().get_item(number)?.getattr("_name")?.extract()
}

/// The same of a thread that `threading` has not noted yet, because its first functions are traced: the outermost of them is
/// a method of its thread. Looking at frames calls no function of Python either.
fn starting(py: Python<'_>) -> PyResult<String> {
    // SAFETY: the interpreter is held; the frame is borrowed, or null where no Python runs.
    let frame = unsafe { Bound::from_borrowed_ptr_or_opt(py, ffi::PyEval_GetFrame().cast()) };
    let mut frame = frame.ok_or_else(|| PyLookupError::new_err("no Python runs"))?;
    loop {
        let caller = frame.getattr("f_back")?;
        if caller.is_none() {
            break;
        }
        frame = caller;
    }
    let code_name: String = frame.getattr("f_code")?.getattr("co_name")?.extract()?;
    if code_name != "_bootstrap" {
        return Err(PyLookupError::new_err("the thread was not started by threading"));
    }
    frame.getattr("f_locals")?.get_item("self")?.getattr("_name")?.extract()
}
