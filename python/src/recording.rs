//! Recordings to a file while the program runs: the SDK's, which survive a kill and can be read before they end.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use calor::model::{Profile, Warning};
use calor::{RecordingError, RecordingOptions};
use pyo3::exceptions::{PyFileExistsError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::{control, memory, numpy, scope, words};

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
    let options = RecordingOptions::new().timeline(timeline).interval(interval).tell(tell);
    *lock() = Told::default();
    memory::look(py);
    match py.detach(|| calor::try_start_recording(path, &options)) {
        Ok(_) => {
            scope::follow_recorder(py);
            HAS_TIMELINE.store(timeline, Relaxed);
            Ok(())
        }
        Err(RecordingError::UnderWay { path }) => Err(PyRuntimeError::new_err(format!(
            "a recording is under way already; stop it with calor.stop_recording(): {}",
            path.display()
        ))),
        Err(RecordingError::Foreign { path }) => {
            let what = "a file is there that is no calor profile, and it is not written over; name another file for the recording, or \
                        remove that one first";
            Err(PyFileExistsError::new_err((libc::EEXIST, what, path.display().to_string())))
        }
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
    memory::look(py);
    let recorded = py.detach(calor::stop_recording);
    scope::follow_recorder(py);
    let recorded = recorded?;
    Some((recorded.path, recorded.bytes, recorded.problem))
}

/// What the recording under way was told beside its scopes.
#[derive(Default)]
struct Told {
    has_scopes: bool,
    /// Warnings with the counts that it was told.
    warnings: Vec<Warning>,
}

static TOLD: Mutex<Told> = Mutex::new(Told { has_scopes: false, warnings: Vec::new() });

/// Adds what could not be recorded to a part of the recording. Parts are added up, so counts are of what is new.
fn tell(part: &mut Profile) {
    let mut told = lock();
    if !part.scopes.is_empty() && !std::mem::replace(&mut told.has_scopes, true) {
        numpy::add_to(part);
    }
    words::translate(&mut part.warnings);
    // Areas may look at the warnings of the recorder; its own are new in each part already.
    let mut all = Profile { warnings: part.warnings.clone(), ..Profile::default() };
    control::warn(&mut all, told.has_scopes);
    words::translate(&mut all.warnings);
    for warning in all.warnings {
        let is_same = |known: &Warning| (&known.code, &known.message) == (&warning.code, &warning.message);
        if !part.warnings.iter().any(is_same)
            && let Some(news) = told.news(&warning)
        {
            part.warn(news);
        }
    }
}

impl Told {
    /// What is new in a warning; `None` where nothing is.
    fn news(&mut self, warning: &Warning) -> Option<Warning> {
        let is_same = |known: &Warning| (&known.code, &known.message) == (&warning.code, &warning.message);
        let Some(at) = self.warnings.iter().position(is_same) else {
            let has_room = self.warnings.len() < MAX_TOLD;
            return has_room.then(|| {
                self.warnings.push(warning.clone());
                warning.clone()
            });
        };
        let earlier = std::mem::replace(&mut self.warnings[at].count, warning.count)?;
        let more = warning.count?.checked_sub(earlier).filter(|more| *more > 0)?;
        Some(Warning { count: Some(more), ..warning.clone() })
    }
}

/// Warnings of a recording that are told apart; there are fewer codes than that.
const MAX_TOLD: usize = 256;

/// Nobody calls into Python with this lock, so it is held for an instant only.
fn lock() -> MutexGuard<'static, Told> {
    TOLD.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_recording_add_up_to_what_was_counted() {
        let mut told = Told::default();
        let counted = |count| Warning::counted("lines", "rows for all lines", count);
        let news: Vec<Option<Warning>> = [3, 3, 7].map(counted).iter().map(|it| told.news(it)).collect();
        assert_eq!(news, [Some(counted(3)), None, Some(counted(4))]);
        let plain = Warning::new("numpy_fallback", "slower");
        assert_eq!([told.news(&plain), told.news(&plain)], [Some(plain), None]);
    }
}
