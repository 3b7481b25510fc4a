//! The project itself: everything about it that does not change while a program works in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use calor_analysis::findings::{Circumstances, Severity, Suppression};
use calor_store::{Dismissal, Revision, Store};
use calor_wire::utc;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::unread::{Unread, unread};
use crate::{Environment, Error, Settings, Trouble, read_rules, settings};

/// A project, made once from a folder. `R` and `C` are the sections of the settings that a program brings the types of:
/// how it records, and what its gate asks for.
#[derive(Debug)]
pub struct Project<R = IgnoredAny, C = IgnoredAny> {
    folder: PathBuf,
    environment: Environment,
    /// The file of settings, where there is one.
    file: Option<PathBuf>,
    /// What is wrong with it matters to whoever asks, not to those who do not.
    settings: Result<Settings<R, C>, Arc<Error>>,
    /// The folder that is meant whatever else is said.
    given_store: Option<PathBuf>,
}

impl<R: DeserializeOwned + Default, C: DeserializeOwned + Default> Project<R, C> {
    /// The project that a folder lies in. An empty path stands for a folder that nobody knows: then there are no settings.
    #[must_use]
    pub fn open(folder: impl Into<PathBuf>, environment: Environment) -> Self {
        let folder = folder.into();
        let file = settings::file(&folder).filter(|_| !folder.as_os_str().is_empty());
        let settings = file.as_deref().map_or_else(|| Ok(Settings::default()), Settings::read);
        Self { folder, environment, file, settings: settings.map_err(Arc::new), given_store: None }
    }
}

impl<R, C> Project<R, C> {
    /// The same with a store that wins over those of the environment and of the settings; `None` changes nothing. It is taken
    /// as it is given, as the one of the environment is.
    #[must_use]
    pub fn with_store(self, folder: Option<PathBuf>) -> Self {
        Self { given_store: folder.or(self.given_store), ..self }
    }

    /// The folder that names are seen from.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the environment says.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The settings.
    ///
    /// # Errors
    /// When the file cannot be read or says what nobody understands.
    pub fn settings(&self) -> Result<&Settings<R, C>, Error> {
        self.settings.as_ref().map_err(|error| Error::Known(error.clone()))
    }

    /// The folder of the store: the one that was given, or that of the variable, or of the settings, or the nearest there is.
    ///
    /// # Errors
    /// When the settings cannot be read, and where no folder is known.
    pub fn store_folder(&self) -> Result<PathBuf, Error> {
        if let Some(folder) = self.given_store.as_ref().or(self.environment.store.as_ref()) {
            return Ok(folder.clone());
        }
        if let Some(folder) = &self.settings()?.store.path {
            return Ok(folder.clone());
        }
        if self.folder.as_os_str().is_empty() {
            return Err(Error::NoFolder);
        }
        Ok(calor_store::nearest(&self.folder).unwrap_or_else(|new| new))
    }

    /// The store, which has to be there.
    ///
    /// # Errors
    /// When it is not, or cannot be read.
    pub fn open_store(&self) -> Result<Store, Error> {
        Ok(Store::open(&self.store_folder()?)?)
    }

    /// The store, if there is one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn store_if_there(&self) -> Result<Option<Store>, Error> {
        match Store::open(&self.store_folder()?) {
            Ok(store) => Ok(Some(store)),
            Err(calor_store::Error::NoStore { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The store, which is made where it is missing.
    ///
    /// # Errors
    /// When that cannot be done.
    pub fn create_store(&self) -> Result<Store, Error> {
        Ok(Store::create(&self.store_folder()?)?)
    }

    /// What the project says of findings: rules of its own, and what is suppressed or was dismissed. What cannot be read is
    /// no reason to find nothing: it comes back beside the rest.
    #[must_use]
    pub fn circumstances(&self) -> (Circumstances, Vec<Trouble>) {
        let mut circumstances = Circumstances::default();
        // Where the store is stands in the settings, too.
        let settings = match self.settings() {
            Ok(settings) => &settings.findings,
            Err(error) => return (circumstances, vec![Trouble::Settings(error)]),
        };
        let mut troubles = Vec::new();
        circumstances.suppressions.clone_from(&settings.suppress);
        match read_rules(&settings.rules) {
            Ok(rules) => circumstances.own_rules = rules,
            Err(error) => troubles.push(Trouble::Rules(error)),
        }
        match self.dismissed() {
            Ok(dismissed) => circumstances.suppressions.extend(dismissed),
            Err(error) => troubles.push(Trouble::Dismissals(error)),
        }
        (circumstances, troubles)
    }

    /// What is not to be told, as the store remembers it.
    ///
    /// # Errors
    /// When there is a store that cannot be read.
    pub fn dismissed(&self) -> Result<Vec<Suppression>, Error> {
        let Some(store) = self.store_if_there()? else { return Ok(Vec::new()) };
        Ok(store.dismissals()?.into_iter().map(suppression).collect())
    }

    /// The state of the sources in a folder, in whichever way it was checked out.
    #[must_use]
    pub fn revision(&self, folder: &Path) -> Revision {
        let mut revision = Revision::of(folder);
        if revision.commit.is_some() && revision.branch.is_none() {
            revision.branch.clone_from(&self.environment.branch);
        }
        revision
    }

    /// Files that look like settings and that nobody reads.
    #[must_use]
    pub fn unread(&self) -> Vec<Unread> {
        let Ok(settings) = self.settings() else { return Vec::new() };
        let Ok(store) = self.store_folder() else { return Vec::new() };
        unread(&store, self.file.as_deref(), &settings.findings.rules)
    }
}

fn suppression(dismissal: Dismissal) -> Suppression {
    let day = utc(dismissal.at_unix_nanos).unwrap_or_default();
    let day = day.get(..10).unwrap_or_default();
    Suppression {
        function: Some(dismissal.function),
        up_to: Severity::ALL.into_iter().find(|severity| severity.word() == dismissal.severity),
        reason: format!("dismissed on {day}: {}", dismissal.reason),
        ..Suppression::of(dismissal.rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_store_remembers_suppresses_up_to_its_severity() {
        let kept = Dismissal {
            rule: "CPU-A".to_owned(),
            function: "load".to_owned(),
            severity: "medium".to_owned(),
            reason: "known".to_owned(),
            at_unix_nanos: 1_700_000_000_000_000_000,
        };
        let found = suppression(kept);
        assert_eq!((found.up_to, found.function.as_deref()), (Some(Severity::Medium), Some("load")));
        assert_eq!(found.reason, "dismissed on 2023-11-14: known");
    }
}
