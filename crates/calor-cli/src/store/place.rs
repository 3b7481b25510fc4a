//! The store of the project.

use anyhow::Result;
use calor_store::Store;

use crate::project::current;

/// The store, which has to be there.
pub(crate) fn open() -> Result<Store> {
    Ok(current().open_store()?)
}

/// The store, if there is one.
pub(crate) fn open_if_there() -> Result<Option<Store>> {
    Ok(current().store_if_there()?)
}

/// The store, which is made where it is missing.
pub(crate) fn create() -> Result<Store> {
    Ok(current().create_store()?)
}
