//! On, off and clear: the recorder of the SDK, and the areas that feed it. An area is turned on once and off once however
//! often Python asks, and what one of them cannot do is a note and no error.

use std::sync::Mutex;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use calor::model::Profile;

use crate::notes::{self, Note};
use crate::{functions, numpy, torch};

/// How functions of the program are recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Functions {
    /// Not at all.
    Off,
    /// Each call, in the way that is safest for this interpreter.
    Trace,
    /// Each call, in the quickest way.
    Eval,
    /// Stacks at intervals.
    Sample,
}

/// What is recorded.
#[allow(dead_code, reason = "areas read their part")]
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    pub(crate) numpy: bool,
    pub(crate) torch: bool,
    pub(crate) functions: Functions,
    pub(crate) memory: bool,
    /// Every call is counted and one in so many is timed.
    pub(crate) sample_every: Option<u32>,
}

/// What is recorded now.
static CURRENT: Mutex<Option<Options>> = Mutex::new(None);

/// Turns the recorder and its areas on; `calor.enable_profiling` checks what it is given.
#[pyfunction]
pub(crate) fn enable(
    py: Python<'_>,
    numpy: bool,
    torch: bool,
    functions: &str,
    memory: bool,
    sample_every: Option<u32>,
) -> PyResult<()> {
    let functions = match functions {
        "off" => Functions::Off,
        "trace" => Functions::Trace,
        "eval" => Functions::Eval,
        "sample" => Functions::Sample,
        other => return Err(PyValueError::new_err(format!("there is no way {other:?} to record functions"))),
    };
    let options = Options { numpy, torch, functions, memory, sample_every };
    // Waiting without the interpreter: whoever has the lock may need it.
    let mut current = CURRENT.lock_py_attached(py).unwrap_or_else(std::sync::PoisonError::into_inner);
    if current.as_ref() == Some(&options) && calor::is_enabled() {
        return Ok(());
    }
    if let Some(earlier) = current.take() {
        disable_areas(py, &earlier)?;
    }
    calor::enable_with(&calor::Options::new().time_one_in(sample_every.unwrap_or(1)));
    *current = Some(options.clone());
    for note in enable_areas(py, &options)? {
        notes::add(note);
    }
    Ok(())
}

/// Turns the areas and the recorder off. What was recorded stays.
#[pyfunction]
pub(crate) fn disable(py: Python<'_>) -> PyResult<()> {
    let mut current = CURRENT.lock_py_attached(py).unwrap_or_else(std::sync::PoisonError::into_inner);
    let outcome = current.take().map_or(Ok(()), |earlier| disable_areas(py, &earlier));
    calor::disable();
    outcome
}

/// Forgets what was recorded.
#[pyfunction]
pub(crate) fn clear(py: Python<'_>) {
    py.detach(calor::reset);
}

/// Whether scopes are recorded.
#[pyfunction]
pub(crate) fn is_enabled() -> bool {
    calor::is_enabled()
}

/// Code and message of everything that could not be recorded as asked.
#[pyfunction]
pub(crate) fn warnings() -> Vec<(&'static str, String)> {
    notes::all()
}

/// What was recorded so far, with notes as warnings. The interpreter need not wait for it: `py.detach(control::snapshot)`.
#[allow(dead_code, reason = "reports read it")]
pub(crate) fn snapshot() -> Profile {
    let mut profile = calor::snapshot();
    notes::add_to(&mut profile);
    profile
}

fn enable_areas(py: Python<'_>, options: &Options) -> PyResult<Vec<Note>> {
    let mut found = Vec::new();
    if options.numpy {
        found.extend(numpy::enable(py, options)?);
    }
    if options.torch {
        found.extend(torch::enable(py, options)?);
    }
    if options.functions != Functions::Off {
        found.extend(functions::enable(py, options)?);
    }
    Ok(found)
}

/// In the order opposite to that of enabling; one that fails does not keep the others on.
fn disable_areas(py: Python<'_>, options: &Options) -> PyResult<()> {
    let mut outcome = Ok(());
    if options.functions != Functions::Off {
        outcome = outcome.and(functions::disable(py));
    }
    if options.torch {
        outcome = outcome.and(torch::disable(py));
    }
    if options.numpy {
        outcome = outcome.and(numpy::disable(py));
    }
    outcome
}
