//! What a Python user reads: pages, recommendations, files for other tools, comparisons and baselines. All of it is made by
//! the engines of the workspace from a [`Snapshot`], which is a profile that no longer changes.

mod baseline;
mod comparison;
mod export;
mod gathering;
mod machine;
mod settings;
mod snapshot;

pub(crate) use self::baseline::{baseline_runs, save_baseline};
pub(crate) use self::comparison::{Comparison, compare};
pub(crate) use self::export::check_export;
pub(crate) use self::gathering::Gathering;
pub(crate) use self::snapshot::Snapshot;

use calor::model::Profile;
use calor_analysis::findings::{Circumstances, Findings, judge};
use calor_analysis::selection;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::{PyErr, PyResult};

/// What to change in what this process recorded, or in a part of it.
fn judged(profile: &Profile, context: Option<&str>) -> PyResult<Findings> {
    let part = selection::context(profile, context).map_err(|error| refused(&error))?;
    let roof = machine::roof_of(&part);
    let circumstances = Circumstances { roof, is_of_itself: true, ..Circumstances::default() };
    Ok(judge(&part, &circumstances).findings)
}

/// What was asked for cannot be had; the message says what can. Options of the command are arguments here.
fn refused(error: &(impl std::error::Error + ?Sized)) -> PyErr {
    PyValueError::new_err(error.to_string().replace("--metric", "metric"))
}

/// The disk or the store did not take or give what it should.
fn failed(error: &(impl std::error::Error + ?Sized)) -> PyErr {
    PyOSError::new_err(error.to_string())
}
