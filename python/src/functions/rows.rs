//! The samples as plain rows, one for each call path and thread: for tests, and for whoever wants figures without a report.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::control;

/// All samples that were taken.
#[pyfunction]
pub(crate) fn sample_rows(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let profile = py.detach(control::snapshot);
    let rows = PyList::empty(py);
    for (key, weight) in profile.samples.iter() {
        let text = |id| profile.strings.get(id);
        let path = profile.stacks.path(key.stack);
        let names: Vec<&str> = path.iter().map(|frame| text(profile.frames.get(*frame).name)).collect();
        let row = PyDict::new(py);
        if let Some(innermost) = path.last() {
            let frame = profile.frames.get(*innermost);
            row.set_item("module", frame.module.map(text))?;
            row.set_item("file", frame.file.map(text))?;
            row.set_item("line", frame.line)?;
        }
        row.set_item("path", names)?;
        row.set_item("thread", text(profile.threads.get(key.thread).name))?;
        row.set_item("samples", weight.count)?;
        row.set_item("ns", weight.nanos)?;
        rows.append(row)?;
    }
    Ok(rows)
}
