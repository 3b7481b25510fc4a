//! The one setting of `calor.toml` that the package needs: where the project's store is. What else may stand there is the
//! command's to judge.

use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use toml::{Table, Value};

const NAME: &str = "calor.toml";

/// The folder of the store that the nearest file of settings names, seen from that file.
pub(super) fn store_folder(from: &Path) -> PyResult<Option<PathBuf>> {
    let Some(path) = from.ancestors().map(|folder| folder.join(NAME)).find(|path| path.is_file()) else {
        return Ok(None);
    };
    let text = std::fs::read_to_string(&path).map_err(|error| {
        PyOSError::new_err(format!("cannot read the settings ({error}): {}", path.display()))
    })?;
    let unusable =
        |what: &str| PyValueError::new_err(format!("cannot use the settings: {what}; {}", path.display()));
    let settings: Table = text.parse().map_err(|error: toml::de::Error| unusable(error.message()))?;
    let named = match settings.get("store") {
        None => None,
        Some(Value::Table(store)) => store.get("path"),
        Some(_) => return Err(unusable("[store] is a table")),
    };
    match named {
        None => Ok(None),
        Some(Value::String(folder)) => Ok(Some(path.parent().unwrap_or(Path::new("")).join(folder))),
        Some(_) => Err(unusable("path of [store] is the name of a folder")),
    }
}
