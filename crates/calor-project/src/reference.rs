//! Saved runs where a file is asked for: `store:latest`, or the name of a run alone where there is no such file.

use std::path::Path;

use calor_model::Profile;
use calor_store::{Encoded, SavedRun, Selector, Store};

use crate::profile::{self, Progress};
use crate::{Error, Project};

const PREFIX: &str = "store:";
/// A shorter name may be a slip of the pen for a file's.
const SHORTEST: usize = 4;

impl<R, C> Project<R, C> {
    /// The profile that a name stands for: a file of any format, seen from the project's folder, or a run of the store.
    ///
    /// # Errors
    /// When there is none of that name, and when it cannot be read.
    pub fn profile(&self, name: &Path, progress: &impl Progress) -> Result<Profile, Error> {
        match self.saved_profile(name) {
            Some(saved) => saved,
            None => self.read(name, progress, |bytes| profile::decoded(&bytes)),
        }
    }

    /// The same with the bytes that are saved of it.
    ///
    /// # Errors
    /// As [`Project::profile`].
    pub fn encoded(&self, name: &Path, progress: &impl Progress) -> Result<Encoded, Error> {
        match self.saved_profile(name) {
            Some(saved) => Ok(Encoded::of(saved?)?),
            None => self.read(name, progress, profile::encoded),
        }
    }

    fn read<T>(
        &self,
        name: &Path,
        progress: &impl Progress,
        decode: impl FnOnce(Vec<u8>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        profile::of_file(&self.folder().join(name), &name.display().to_string(), progress, decode)
    }

    /// The profile of the run in the store that a name stands for; `None` where it is a file's.
    #[must_use]
    pub fn saved_profile(&self, name: &Path) -> Option<Result<Profile, Error>> {
        let text = name.to_str()?;
        let named = |name: String| move |cause: Error| Error::Read { name, cause: Box::new(cause) };
        if let Some(selector) = text.strip_prefix(PREFIX) {
            let read = || read(&self.open_store()?, &selector.parse()?);
            return Some(read().map_err(named(text.to_owned())));
        }
        // What is there is meant, whatever it is called.
        if text.len() < SHORTEST || self.folder().join(name).symlink_metadata().is_ok() {
            return None;
        }
        let selector: Selector = text.parse().ok()?;
        let is_latest = text.starts_with("latest");
        let store = match self.open_store() {
            Ok(store) => store,
            Err(error) => return is_latest.then_some(Err(error)),
        };
        match read(&store, &selector) {
            Err(Error::Store(calor_store::Error::UnknownRun { .. } | calor_store::Error::Label { .. }))
                if !is_latest =>
            {
                None
            }
            profile => Some(profile.map_err(named(format!("{text} of the store")))),
        }
    }
}

fn read(store: &Store, selector: &Selector) -> Result<Profile, Error> {
    Ok(store.profile(&store.find_one(selector)?.id)?)
}

/// The runs of some names, `store:` or not, each once and in the order of the names.
///
/// # Errors
/// When a name is no selector or the store cannot be read.
pub fn runs(store: &Store, names: &[String]) -> Result<Vec<SavedRun>, Error> {
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
///
/// # Errors
/// When it is no selector.
pub fn selector(name: &str) -> Result<Selector, Error> {
    Ok(name.strip_prefix(PREFIX).unwrap_or(name).parse()?)
}
