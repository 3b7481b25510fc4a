//! Decorated coroutines and generators run in steps: a scope is open during each step and closed in between, and the life
//! of the whole is kept beside. `calor/_scope.py` puts these into real coroutine and generator functions, because much
//! asks whether a function is one.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyGeneratorExit, PyRecursionError};
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit, intern};

use super::profiled::NO_ROOM;
use super::{object, open};
use crate::stack_room;

/// The life of one coroutine or generator.
#[pyclass(frozen, module = "calor._calor")]
pub(crate) struct Life(Mutex<Option<calor::Life>>);

#[pymethods]
impl Life {
    #[new]
    fn new(scope: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(Mutex::new(Some(calor::Life::new(object::site_of(scope)?)))))
    }

    /// It has ended.
    fn complete(&self) {
        if let Some(mut life) = self.take() {
            life.complete(None);
        }
    }
}

impl Life {
    /// Nobody calls into Python with the lock, so it is held for an instant only.
    fn take(&self) -> Option<calor::Life> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put_back(&self, life: Option<calor::Life>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = life;
    }

    /// Runs a step. One within another, which the generator itself refuses, is no step of its own.
    fn step<T>(&self, ends: bool, run: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
        open::settle();
        let Some(mut life) = self.take() else { return run() };
        let scope = life.step();
        let result = run();
        life.pause(&scope);
        if ends && result.is_err() {
            life.complete(Some(&scope));
        }
        drop(scope);
        self.put_back(Some(life));
        result
    }
}

/// Raises where the machine's stack has no room for another step: generators inside one another nest on it.
fn look_for_room() -> PyResult<()> {
    if stack_room::is_there() {
        return Ok(());
    }
    stack_room::DECORATED.fetch_add(1, Relaxed);
    Err(PyRecursionError::new_err(NO_ROOM.to_string_lossy().into_owned()))
}

/// Drives a coroutine or a generator, each step within its scope.
#[pyclass(frozen, module = "calor._calor")]
pub(crate) struct Steps {
    life: Py<Life>,
    inner: Py<PyAny>,
    /// Whether the life ends with it.
    ends: bool,
}

#[pymethods]
impl Steps {
    #[new]
    fn new(life: Py<Life>, inner: Py<PyAny>, ends: bool) -> Self {
        Self { life, inner, ends }
    }

    fn __await__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.send(py, py.None().into_bound(py))
    }

    fn send<'py>(&self, py: Python<'py>, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        look_for_room()?;
        let inner = self.inner.bind(py);
        self.life.get().step(self.ends, || inner.call_method1(intern!(py, "send"), (value,)))
    }

    #[pyo3(signature = (*exception))]
    fn throw<'py>(
        &self,
        py: Python<'py>,
        exception: Bound<'py, pyo3::types::PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.inner.bind(py);
        // What is thrown to close it is no end of its own.
        let closes = exception.get_item(0).is_ok_and(|what| {
            let exit = py.get_type::<PyGeneratorExit>();
            what.is(&exit) || what.is_instance(&exit).unwrap_or(false)
        });
        self.life.get().step(self.ends && !closes, || inner.call_method1(intern!(py, "throw"), exception))
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let inner = self.inner.bind(py);
        self.life.get().step(false, || inner.call_method0(intern!(py, "close")).map(drop))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.life)?;
        visit.call(&self.inner)
    }
}
