//! A profile as Python holds it: what was recorded so far, or what a file has. It does not change, so all that is made of it
//! can be made without the interpreter.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use calor::model::Profile;
use calor_analysis::findings::Circumstances;
use calor_analysis::selection;
use calor_project::{Error, Silent};
use calor_report::{OperationsOptions, ReportFormat, recommendations_json, render_operations};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use super::{circumstances, export, failed, judged, project, refused};
use crate::{control, memory};

/// What was recorded, as it was at one moment. Made by ``calor.snapshot()`` and ``calor.load(path)``; it does not change.
///
/// >>> import calor
/// >>> before = calor.snapshot("before")
/// >>> before.name
/// 'before'
/// >>> isinstance(calor.profile_report(profile=before), str)
/// True
#[pyclass(module = "calor", frozen)]
pub(crate) struct Snapshot {
    pub(super) profile: Arc<Profile>,
    pub(super) name: String,
}

impl Snapshot {
    pub(super) fn new(name: impl Into<String>, profile: Profile) -> Self {
        Self { profile: Arc::new(profile), name: name.into() }
    }
}

/// A profile that cannot be read is a FileNotFoundError, a PermissionError and so on where the system says so.
fn unread(py: Python<'_>, error: Error, path: &Path) -> PyErr {
    let cause = match error {
        Error::Open { cause, .. } => cause,
        Error::Folder { .. } => std::io::Error::from_raw_os_error(libc::EISDIR),
        // What Rust programs call is called otherwise here.
        error => {
            let what = error.whole().replace("calor::start_recording(..)", "calor.export(\"run.calor\")");
            return PyOSError::new_err(what);
        }
    };
    let kind = PyErr::from(std::io::Error::from(cause.kind()));
    let message = format!("cannot read the profile ({cause}): {}", path.display());
    PyErr::from_type(kind.get_type(py), (cause.raw_os_error(), message))
}

#[pymethods]
impl Snapshot {
    /// What was recorded in this process so far.
    #[staticmethod]
    fn take(py: Python<'_>, name: String) -> Self {
        memory::look(py);
        Self::new(name, py.detach(control::snapshot))
    }

    /// What a file has, of any format that Calor reads, or a run of the store, such as "store:latest".
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let profile = py.detach(|| project().profile(&path, &Silent));
        let profile = profile.map_err(|error| unread(py, error, &path))?;
        Ok(Self::new(path.display().to_string(), profile))
    }

    /// What it is called in comparisons.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Whether nothing was recorded.
    #[getter]
    fn is_empty(&self) -> bool {
        self.profile.is_empty()
    }

    /// A page about it; `calor.profile_report` checks what it is given.
    fn page(
        &self,
        py: Python<'_>,
        format: &str,
        context: Option<String>,
        top: Option<usize>,
        width: usize,
        color: bool,
    ) -> PyResult<String> {
        let format = format.parse::<ReportFormat>().map_err(|error| refused(&error))?;
        let circumstances = circumstances(py)?;
        py.detach(|| {
            let findings = judged(&self.profile, context.as_deref(), circumstances)?;
            let roof = calor_project::kept_roof(&self.profile);
            let options =
                OperationsOptions { format, context, top, width, color, roof, findings, carries: false };
            let mut page = Vec::new();
            render_operations(&self.profile, &options, &mut page).map_err(|error| refused(&error))?;
            Ok(String::from_utf8_lossy(&page).into_owned())
        })
    }

    /// What to change, as a JSON list.
    fn recommendations(&self, py: Python<'_>, context: Option<String>) -> PyResult<String> {
        let circumstances = circumstances(py)?;
        py.detach(|| {
            let findings = judged(&self.profile, context.as_deref(), circumstances)?;
            recommendations_json(&findings.found).map_err(|error| failed(&error))
        })
    }

    /// Writes it to a file of the format that the ending names.
    fn export(&self, py: Python<'_>, path: PathBuf, context: Option<&str>) -> PyResult<()> {
        let circumstances =
            if export::is_page(&path) { circumstances(py)? } else { Circumstances::default() };
        py.detach(|| {
            let profile = selection::context(&self.profile, context).map_err(|error| refused(&error))?;
            export::write(&profile, &path, circumstances)
        })
    }

    fn __repr__(&self) -> String {
        let profile = &self.profile;
        format!(
            "<calor.Snapshot {:?}: {} rows of scopes, {} call paths>",
            self.name,
            profile.scopes.len(),
            profile.stacks.len()
        )
    }
}
