//! The samples as plain rows, one for each call path and thread: for tests, and for whoever wants figures without a report.

use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::control;
use crate::scope::place_row;

/// All samples that were taken.
#[pyfunction]
pub(crate) fn sample_rows(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let profile = py.detach(control::snapshot);
    let rows = PyList::empty(py);
    for (key, weight) in profile.samples.iter() {
        let row = place_row(py, &profile, key.stack, key.thread)?;
        row.set_item("samples", weight.count)?;
        row.set_item("ns", weight.nanos)?;
        rows.append(row)?;
    }
    Ok(rows)
}
