//! What a Python user reads: pages, recommendations, files for other tools, comparisons and baselines. All of it is made by
//! the engines of the workspace from a [`Snapshot`], which is a profile that no longer changes.

mod baseline;
mod comparison;
mod export;
mod gathering;
mod snapshot;

pub(crate) use self::baseline::{baseline_runs, save_baseline};
pub(crate) use self::comparison::{Comparison, compare};
pub(crate) use self::export::check_export;
pub(crate) use self::gathering::Gathering;
pub(crate) use self::snapshot::Snapshot;

use std::ffi::CString;

use calor::model::Profile;
use calor_analysis::findings::{Circumstances, Findings, judge};
use calor_analysis::selection;
use calor_project::{Environment, Error, Project};
use pyo3::exceptions::{PyOSError, PyUserWarning, PyValueError};
use pyo3::prelude::*;

/// The project of the working folder, which may be another one the next time.
fn project() -> Project {
    Project::open(std::env::current_dir().unwrap_or_default(), Environment::of_process())
}

/// What the project says of findings in what this process recorded. What cannot be read of it is a warning.
fn circumstances(py: Python<'_>) -> PyResult<Circumstances> {
    let (circumstances, troubles) = py.detach(|| project().circumstances());
    for trouble in troubles {
        let message = CString::new(trouble.to_string().replace('\0', " ")).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)?;
    }
    Ok(Circumstances { is_of_itself: true, ..circumstances })
}

/// What to change in what this process recorded, or in a part of it.
fn judged(profile: &Profile, context: Option<&str>, circumstances: Circumstances) -> PyResult<Findings> {
    let part = selection::context(profile, context).map_err(|error| refused(&error))?;
    let roof = calor_project::kept_roof(&part);
    Ok(judge(&part, &Circumstances { roof, ..circumstances }).findings)
}

/// Settings that cannot be understood are a wrong value, as an argument is; the rest is the disk's.
fn in_project(error: &Error) -> PyErr {
    match error.cause() {
        Error::Settings { .. } => PyValueError::new_err(error.whole()),
        _ => PyOSError::new_err(error.whole()),
    }
}

/// What was asked for cannot be had; the message says what can. Options of the command are arguments here.
fn refused(error: &(impl std::error::Error + ?Sized)) -> PyErr {
    PyValueError::new_err(error.to_string().replace("--metric", "metric"))
}

/// The disk or the store did not take or give what it should.
fn failed(error: &(impl std::error::Error + ?Sized)) -> PyErr {
    PyOSError::new_err(error.to_string())
}
