//! What Python calls its threads.

#![expect(unsafe_code, reason = "the interpreter is asked for what it knows of the thread")]

use std::ffi::c_int;

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
    let name = known(py).ok();
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
