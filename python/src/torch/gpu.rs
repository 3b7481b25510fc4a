//! What operations of PyTorch have GPUs do: the SDK's recorder of GPUs, turned on when the program begins to use one.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::notes::{self, Note};

/// Why it is not known; the page of an operation says so.
pub(super) const NOTE: &str = "torch_gpu_time";

/// Begins to record kernels and copies; leaves a note where that cannot be. CUPTI may lie in `folders`.
#[pyfunction]
pub(crate) fn torch_gpu_start(py: Python<'_>, folders: Vec<PathBuf>) -> bool {
    // A library is loaded, and the driver works for a moment.
    let begun = py.detach(|| calor::gpu::start_in(&folders));
    match &begun {
        Ok(()) => notes::remove(NOTE),
        Err(error) => notes::add(Note::new(
            NOTE,
            format!(
                "how long operations ran on GPUs is not known, only what the host took to start them: {error}"
            ),
        )),
    }
    begun.is_ok()
}

/// Ends it.
#[pyfunction]
pub(crate) fn torch_gpu_stop(py: Python<'_>) {
    py.detach(calor::gpu::stop);
}
