//! What was recorded, as plain rows: what the tests of the package look at.

use calor::model::{Frame, Profile, StackId};
use pyo3::prelude::*;

use crate::control;

/// A path of names from the root on, with module, file and line of its last, how often it was called or met, and its
/// nanoseconds.
type Row = (Vec<String>, String, String, u32, u64, u64);

/// The call paths of all scopes that are closed or open, one row for each thread and set of labels.
#[pyfunction]
pub(crate) fn call_paths(py: Python<'_>) -> Vec<Row> {
    py.detach(|| {
        let profile = control::snapshot();
        let rows = profile.scopes.iter();
        rows.map(|(key, stats)| row(&profile, key.stack, stats.calls, stats.inclusive_nanos())).collect()
    })
}

/// The call paths of all samples.
#[pyfunction]
pub(crate) fn sampled_paths(py: Python<'_>) -> Vec<Row> {
    py.detach(|| {
        let profile = control::snapshot();
        let rows = profile.samples.iter();
        rows.map(|(key, weight)| row(&profile, key.stack, weight.count, weight.nanos)).collect()
    })
}

fn row(profile: &Profile, stack: StackId, calls: u64, nanos: u64) -> Row {
    let text = |id| profile.strings.get(id).to_owned();
    let frame = |stack: StackId| profile.frames.get(profile.stacks.get(stack).frame);
    let mut names: Vec<String> =
        std::iter::successors(Some(stack), |stack| profile.stacks.get(*stack).parent)
            .map(|stack| text(frame(stack).name))
            .collect();
    names.reverse();
    let Frame { module, file, line, .. } = frame(stack);
    (
        names,
        module.map(text).unwrap_or_default(),
        file.map(text).unwrap_or_default(),
        line.unwrap_or(0),
        calls,
        nanos,
    )
}
