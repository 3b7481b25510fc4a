//! Saved runs where a file is asked for: `store:latest`, or the name of a run alone where there is no such file.

use std::path::Path;

use anyhow::{Context, Result};
use calor_model::Profile;
use calor_store::{Error, SavedRun, Selector, Store};

use super::place;

const PREFIX: &str = "store:";
/// A shorter name may be a slip of the pen for a file's.
const SHORTEST: usize = 4;

/// The profile that a path names in the store; `None` where it is a file's.
pub(crate) fn profile(path: &Path) -> Option<Result<Profile>> {
    let text = path.to_str()?;
    if let Some(text) = text.strip_prefix(PREFIX) {
        let read = || -> Result<Profile> { Ok(read(&place::open()?, &text.parse()?)?) };
        return Some(read().with_context(|| format!("cannot read {PREFIX}{text}")));
    }
    // What is there is meant, whatever it is called.
    if text.len() < SHORTEST || path.symlink_metadata().is_ok() {
        return None;
    }
    let selector: Selector = text.parse().ok()?;
    let is_latest = text.starts_with("latest");
    let store = match place::open() {
        Ok(store) => store,
        Err(error) => return is_latest.then(|| Err(error)),
    };
    match read(&store, &selector) {
        Err(Error::UnknownRun { .. } | Error::Label { .. }) if !is_latest => None,
        profile => Some(profile.with_context(|| format!("cannot read {text} of the store"))),
    }
}

fn read(store: &Store, selector: &Selector) -> Result<Profile, Error> {
    store.profile(&store.find_one(selector)?.id)
}

/// The runs of some names, `store:` or not, each once and in the order of the names.
pub(crate) fn runs(store: &Store, names: &[String]) -> Result<Vec<SavedRun>> {
    let mut runs: Vec<SavedRun> = Vec::new();
    for name in names {
        for run in store.find(&selector(name)?)? {
            if runs.iter().all(|known| known.id != run.id) {
                runs.push(run);
            }
        }
    }
    Ok(runs)
}

/// A name with or without `store:` before it.
pub(crate) fn selector(name: &str) -> Result<Selector> {
    Ok(name.strip_prefix(PREFIX).unwrap_or(name).parse()?)
}
