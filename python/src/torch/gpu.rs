//! What operations of PyTorch have GPUs do: the SDK's recorder of GPUs, turned on when the program begins to use one.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

use crate::notes::{self, Note};

/// Why it is not known; the page of an operation says so.
pub(super) const NOTE: &str = "torch_gpu_time";

/// Where CUPTI may lie, while it is to be asked again as soon as something is recorded.
static WAITING: Mutex<Option<Vec<PathBuf>>> = Mutex::new(None);

/// The program uses a GPU: begins to record kernels and copies, now or when something is recorded again; leaves a note where
/// that cannot be. CUPTI may lie in `folders`.
#[pyfunction]
pub(crate) fn torch_gpu_start(py: Python<'_>, folders: Vec<PathBuf>) {
    if calor::is_enabled() {
        start(py, &folders);
    } else {
        *lock() = Some(folders);
    }
}

fn start(py: Python<'_>, folders: &[PathBuf]) {
    // A library is loaded, and the driver works for a moment.
    match py.detach(|| calor::gpu::start_in(folders)) {
        Ok(()) => notes::remove(NOTE),
        Err(error) => notes::add(Note::new(
            NOTE,
            format!(
                "how long operations ran on GPUs is not known, only what the host took to start them: {error}"
            ),
        )),
    }
}

/// Ends it.
#[pyfunction]
pub(crate) fn torch_gpu_stop(py: Python<'_>) {
    *lock() = None;
    py.detach(calor::gpu::stop);
}

/// Nothing is recorded for now: each launch would cost time for nothing, and no other profiler could have CUPTI.
pub(crate) fn pause(py: Python<'_>) {
    if calor::gpu::is_on() {
        py.detach(calor::gpu::stop);
        // The library stays open, wherever it lay.
        *lock() = Some(Vec::new());
    }
}

/// Something is recorded again.
pub(crate) fn resume(py: Python<'_>) {
    let folders = lock().take();
    if let Some(folders) = folders {
        start(py, &folders);
    }
}

/// Nobody calls into Python with this lock, so it is held for an instant only.
fn lock() -> MutexGuard<'static, Option<Vec<PathBuf>>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}
