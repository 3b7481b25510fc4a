//! The scopes as plain rows, one for each call path, thread and set of labels: for tests, and for whoever wants figures
//! without a report.

use calor::model::{Profile, ScopeKey, ScopeStats, StackId, StringId, ThreadId};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::control;

/// All scopes that were recorded.
#[pyfunction]
pub(crate) fn scope_rows(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let profile = py.detach(control::snapshot);
    let rows = PyList::empty(py);
    for (key, stats) in profile.scopes.iter() {
        rows.append(row(py, &profile, key, stats)?)?;
    }
    Ok(rows)
}

/// A row with the call path and the thread that it is of.
pub(crate) fn place_row<'py>(
    py: Python<'py>,
    profile: &Profile,
    stack: StackId,
    thread: ThreadId,
) -> PyResult<Bound<'py, PyDict>> {
    let text = |id: StringId| profile.strings.get(id);
    let path = profile.stacks.path(stack);
    let names: Vec<&str> = path.iter().map(|frame| text(profile.frames.get(*frame).name)).collect();
    let frame = profile.frames.get(profile.stacks.get(stack).frame);
    let row = PyDict::new(py);
    row.set_item("module", frame.module.map(text))?;
    row.set_item("file", frame.file.map(text))?;
    row.set_item("line", frame.line)?;
    row.set_item("path", names)?;
    row.set_item("thread", text(profile.threads.get(thread).name))?;
    Ok(row)
}

fn row<'py>(
    py: Python<'py>,
    profile: &Profile,
    key: ScopeKey,
    stats: &ScopeStats,
) -> PyResult<Bound<'py, PyDict>> {
    let row = place_row(py, profile, key.stack, key.thread)?;
    let text = |id: StringId| profile.strings.get(id);
    let frame = profile.frames.get(profile.stacks.get(key.stack).frame);
    row.set_item("is_context", frame.kind == calor::model::FrameKind::Context)?;
    row.set_item("calls", stats.calls)?;
    row.set_item("timed", stats.timed.count)?;
    row.set_item("total_ns", stats.total_nanos)?;
    row.set_item("open", stats.open_calls)?;
    row.set_item("bytes", stats.work.bytes)?;
    row.set_item("flops", stats.work.flops)?;
    row.set_item("elements", stats.work.elements)?;
    let pairs = PyDict::new(py);
    for (name, value) in &stats.work.counters {
        pairs.set_item(text(*name), value)?;
    }
    row.set_item("counters", pairs)?;
    let pairs = PyDict::new(py);
    for (name, calls) in &stats.work.backends {
        pairs.set_item(text(*name), calls)?;
    }
    row.set_item("backends", pairs)?;
    let pairs = PyDict::new(py);
    for (name, value) in profile.labels.get(key.labels) {
        pairs.set_item(text(*name), text(*value))?;
    }
    row.set_item("labels", pairs)?;
    let future = stats.future.as_ref();
    row.set_item("lives", future.map_or(0, |future| future.wall.count))?;
    row.set_item("life_ns", future.map_or(0, |future| future.wall.total_nanos))?;
    row.set_item("cancelled", future.map_or(0, |future| future.cancelled))?;
    Ok(row)
}
