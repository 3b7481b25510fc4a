//! Baselines in the project's store, the same that `calor baseline` and `calor check` know.

use std::path::PathBuf;

use calor_store::{BaselineNote, Note, SavedId, Store, check_baseline_name};
use pyo3::exceptions::{PyKeyError, PyOSError};
use pyo3::prelude::*;

use super::{Snapshot, failed, in_project, project, refused};

/// Keeps runs under a name, in the place of those that had it. Says whether there were any.
#[pyfunction]
#[pyo3(signature = (name, runs, *, store))]
pub(crate) fn save_baseline(
    py: Python<'_>,
    name: &str,
    runs: Vec<Bound<'_, Snapshot>>,
    store: Option<PathBuf>,
) -> PyResult<bool> {
    check_baseline_name(name).map_err(|error| refused(&error))?;
    let project = project().with_store(store);
    let folder = project.store_folder().map_err(|error| in_project(&error))?;
    let profiles: Vec<_> = runs.iter().map(|run| run.get().profile.clone()).collect();
    py.detach(|| {
        let mut store = Store::create(&folder).map_err(|error| failed(&error))?;
        let revision = project.revision(project.folder());
        let mut note = Note::default();
        note.revision = revision.clone();
        let mut ids: Vec<SavedId> = Vec::new();
        for profile in &profiles {
            let id = store.save(profile, &note).map_err(|error| failed(&error))?.id;
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let set_by = project.environment().user.clone();
        let note = BaselineNote { set_by, revision, set_at_unix_nanos: None };
        store.set_baseline(name, &ids, &note).map_err(|error| failed(&error))
    })
}

/// The runs of a baseline.
#[pyfunction]
#[pyo3(signature = (name, *, store))]
pub(crate) fn baseline_runs(py: Python<'_>, name: &str, store: Option<PathBuf>) -> PyResult<Vec<Snapshot>> {
    let folder = project().with_store(store).store_folder().map_err(|error| in_project(&error))?;
    py.detach(|| {
        let store = Store::open(&folder).map_err(|error| match error {
            calor_store::Error::NoStore { path } => PyOSError::new_err(format!(
                "there is no store yet: calor.set_baseline({name:?}) keeps what was recorded in one: {}",
                path.display()
            )),
            error => failed(&error),
        })?;
        let baseline = store.baseline(name).map_err(|error| PyKeyError::new_err(error.to_string()))?;
        let run = |run: &calor_store::SavedRun| {
            let profile = store.profile(&run.id).map_err(|error| failed(&error))?;
            Ok(Snapshot::new(format!("store:{}", run.id), profile))
        };
        baseline.runs.iter().map(run).collect()
    })
}
