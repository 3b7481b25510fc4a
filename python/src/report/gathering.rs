//! Profiles added up as they come: those of many tests, of many processes. The recorder has room for some thousand call
//! paths, what is gathered for all there are.

use std::sync::{Mutex, MutexGuard, PoisonError};

use calor::model::Profile;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::{Snapshot, failed};

/// A profile that others are added to.
#[pyclass(module = "calor", frozen)]
pub(crate) struct Gathering {
    profile: Mutex<Profile>,
}

impl Gathering {
    /// Only held without the interpreter, and only while profiles are added or copied.
    fn profile(&self) -> MutexGuard<'_, Profile> {
        self.profile.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Gathering {
    #[new]
    fn new() -> Self {
        Self { profile: Mutex::new(Profile::default()) }
    }

    /// Adds what a snapshot has.
    fn add(&self, py: Python<'_>, snapshot: &Snapshot) {
        py.detach(|| self.profile().merge(&snapshot.profile));
    }

    /// Adds what another process gathered.
    fn add_bytes(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        py.detach(|| {
            let profile = calor_formats::read(bytes).map_err(|error| {
                PyValueError::new_err(format!("these are not the bytes of a profile: {error}"))
            })?;
            self.profile().merge(&profile);
            Ok(())
        })
    }

    /// All of it, for another process.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| {
            let mut bytes = Vec::new();
            calor_formats::native::write(&self.profile(), &mut bytes).map_err(|error| failed(&error))?;
            Ok::<_, PyErr>(bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// What was gathered so far.
    fn snapshot(&self, py: Python<'_>, name: String) -> Snapshot {
        Snapshot::new(name, py.detach(|| self.profile().clone()))
    }
}
