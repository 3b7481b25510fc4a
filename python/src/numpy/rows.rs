//! Rows of operations as plain values, for the tests of this area: reports are made elsewhere, out of the same profile.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::control;

/// One dictionary for each row of an operation on arrays: its path, place, labels and figures.
#[pyfunction]
pub(crate) fn operation_rows(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let profile = py.detach(control::snapshot);
    let text = |id| profile.strings.get(id);
    let mut rows = Vec::new();
    for (key, stats) in profile.scopes.iter() {
        let labels = PyDict::new(py);
        for &(name, value) in profile.labels.get(key.labels) {
            labels.set_item(text(name), text(value))?;
        }
        if !labels.contains("op")? {
            continue;
        }
        let frame = profile.frames.get(profile.stacks.get(key.stack).frame);
        let row = PyDict::new(py);
        row.set_item("name", text(frame.name))?;
        row.set_item("path", profile.path_names(key.stack))?;
        row.set_item("file", frame.file.map(text))?;
        row.set_item("line", frame.line)?;
        row.set_item("labels", labels)?;
        row.set_item("calls", stats.calls)?;
        row.set_item("total_ns", stats.inclusive_nanos())?;
        row.set_item("elements", stats.work.elements)?;
        row.set_item("bytes", stats.work.bytes)?;
        row.set_item("flops", stats.work.flops)?;
        let counters: Vec<_> = stats.work.counters.iter().map(|&(name, n)| (text(name), n)).collect();
        row.set_item("counters", counters)?;
        let backends: Vec<_> = stats.work.backends.iter().map(|&(name, n)| (text(name), n)).collect();
        row.set_item("backends", backends)?;
        rows.push(row);
    }
    Ok(rows)
}
