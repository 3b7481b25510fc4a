//! Which interpreter the module may be loaded into: one recorder serves the process, and its Python side holds objects of
//! one interpreter.

#![expect(unsafe_code, reason = "the interpreter is asked for its number")]

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;

/// Refuses sub-interpreters.
pub(crate) fn check() -> PyResult<()> {
    // SAFETY: the interpreter that loads the module is the one that runs.
    let number = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    if number == 0 {
        return Ok(());
    }
    Err(PyImportError::new_err(
        "calor cannot be imported in a sub-interpreter: import it in the main one, or record each in a process of its own",
    ))
}
