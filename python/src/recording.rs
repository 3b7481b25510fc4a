//! Recordings to a file while the program runs: the SDK's, which survive a kill and can be read before they end.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use calor::{RecordingError, RecordingOptions};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// Whether the recording under way has a timeline, which other settings must not end.
static HAS_TIMELINE: AtomicBool = AtomicBool::new(false);

/// Whether when scopes ran is to be kept.
pub(crate) fn has_timeline() -> bool {
    HAS_TIMELINE.load(Relaxed)
}

/// Begins a recording; `calor.start_recording` turns profiling on before.
#[pyfunction]
pub(crate) fn start_recording(py: Python<'_>, path: PathBuf, timeline: bool, interval: f64) -> PyResult<()> {
    let interval = Duration::try_from_secs_f64(interval)
        .map_err(|error| PyValueError::new_err(format!("interval is no time ({error}): give seconds")))?;
    let options = RecordingOptions::new().timeline(timeline).interval(interval);
    match py.detach(|| calor::try_start_recording(path, &options)) {
        Ok(_) => {
            HAS_TIMELINE.store(timeline, Relaxed);
            Ok(())
        }
        Err(RecordingError::UnderWay { path }) => Err(PyRuntimeError::new_err(format!(
            "a recording is under way already; stop it with calor.stop_recording(): {}",
            path.display()
        ))),
        Err(RecordingError::File { path, cause }) => {
            let code = cause.raw_os_error().unwrap_or(0);
            let what = "cannot write the recording, choose a writable place with free space";
            Err(PyOSError::new_err((code, format!("{what} ({cause})"), path.display().to_string())))
        }
        Err(error) => Err(PyRuntimeError::new_err(error.to_string())),
    }
}

/// Ends the recording: its path, its size and what went wrong; None where there is none.
#[pyfunction]
pub(crate) fn stop_recording(py: Python<'_>) -> Option<(PathBuf, u64, Option<String>)> {
    HAS_TIMELINE.store(false, Relaxed);
    let recorded = py.detach(calor::stop_recording)?;
    Some((recorded.path, recorded.bytes, recorded.problem))
}
