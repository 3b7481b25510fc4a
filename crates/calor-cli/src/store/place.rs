//! Which store is meant: the one that is named by a flag, a variable or the settings, or else that of the project.

use std::path::PathBuf;
use std::sync::OnceLock;

use anyhow::{Context, Result};
use calor_store::Store;

use crate::settings::Settings;

const VARIABLE: &str = "CALOR_STORE";

static GIVEN: OnceLock<PathBuf> = OnceLock::new();

/// Means this folder from now on: the flag wins over everything else.
pub(crate) fn choose(folder: PathBuf) {
    GIVEN.get_or_init(|| folder);
}

/// The store, which has to be there.
pub(crate) fn open() -> Result<Store> {
    Ok(Store::open(&folder()?)?)
}

/// The store, if there is one.
pub(crate) fn open_if_there() -> Result<Option<Store>> {
    match Store::open(&folder()?) {
        Ok(store) => Ok(Some(store)),
        Err(calor_store::Error::NoStore { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The store, which is made where it is missing.
pub(crate) fn create() -> Result<Store> {
    Ok(Store::create(&folder()?)?)
}

fn folder() -> Result<PathBuf> {
    let by_variable = || std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = GIVEN.get().cloned().or_else(by_variable) {
        return Ok(folder);
    }
    if let Some(folder) = Settings::load()?.store.path {
        return Ok(folder);
    }
    let here =
        std::env::current_dir().context("cannot tell the working folder: name the store with --store DIR")?;
    Ok(calor_store::nearest(&here).unwrap_or_else(|new| new))
}
