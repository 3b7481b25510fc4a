//! Settings that stay: the nearest `calor.toml`, read here and nowhere else.

use std::path::{Path, PathBuf};

use calor_analysis::findings::Suppression;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::{Error, suppression};

/// The name of the file.
pub const NAME: &str = "calor.toml";

/// What the file may hold. How a program records (`R`) and checks (`C`) is that program's to say; sections that it does not
/// know are passed over, and in all others a key that nobody reads is an error.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings<R = IgnoredAny, C = IgnoredAny> {
    /// How programs are recorded.
    pub record: R,
    /// Where runs are kept, and how many.
    pub store: StoreSettings,
    /// What a gate asks for.
    pub check: C,
    /// What is found, and what is not to be told.
    pub findings: FindingsSettings,
}

/// Settings of the store.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct StoreSettings {
    /// Its folder; one that is not absolute is seen from the folder of the file.
    pub path: Option<PathBuf>,
    /// Whether recordings are saved without being asked for.
    pub save: Option<bool>,
    /// How many runs stay when another is saved.
    pub keep: Option<usize>,
}

/// Settings of findings.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct FindingsSettings {
    /// What is not to be told: a table of ids and reasons, or a list of tables.
    #[serde(deserialize_with = "suppression::settings")]
    pub suppress: Vec<Suppression>,
    /// Files of rules; those that are not absolute are seen from the folder of the file.
    pub rules: Vec<PathBuf>,
}

/// The file of settings for a folder: in it, or in the nearest folder above it.
pub(crate) fn file(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(NAME)).find(|path| path.is_file())
}

impl<R: DeserializeOwned + Default, C: DeserializeOwned + Default> Settings<R, C> {
    /// What a file says.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let unreadable = |cause| Error::SettingsUnreadable { path: path.to_owned(), cause };
        Self::parse(&std::fs::read_to_string(path).map_err(unreadable)?, path)
    }

    /// What the text of a file says.
    ///
    /// # Errors
    /// When it is not TOML, or has a key or a value that nobody reads.
    pub fn parse(text: &str, path: &Path) -> Result<Self, Error> {
        let wrong = |cause| Error::Settings { path: path.to_owned(), cause };
        let mut settings: Self = toml::from_str(text).map_err(wrong)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        if let Some(store) = &mut settings.store.path {
            *store = folder.join(&*store);
        }
        for rules in &mut settings.findings.rules {
            *rules = folder.join(&*rules);
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, path: &Path) -> Result<Settings, Error> {
        Settings::parse(text, path)
    }

    #[test]
    fn the_path_of_the_store_is_seen_from_the_file() {
        let path = Path::new("project/calor.toml");
        let settings = parse("[store]\npath = 'ci/runs'\nkeep = 9\nsave = true\n", path).unwrap();
        assert_eq!(settings.store.path, Some("project/ci/runs".into()));
        assert_eq!((settings.store.keep, settings.store.save), (Some(9), Some(true)));
        for (text, named) in [("[store]\npaht = 'x'\n", "paht"), ("[store]\nkeep = -1\n", "keep")] {
            let error = parse(text, path).unwrap_err().whole();
            assert!(error.contains(named) && error.contains("calor.toml"), "{error}");
        }
    }

    #[test]
    fn findings_are_suppressed_with_a_reason_and_rules_are_seen_from_the_file() {
        let path = Path::new("project/calor.toml");
        let table = "[findings]\nrules = ['own.toml']\n[findings.suppress]\nCPU-A = 'known'\n";
        let table = parse(table, path).unwrap().findings;
        assert_eq!(table.rules, [PathBuf::from("project/own.toml")]);
        let list = "[[findings.suppress]]\nrule = 'CPU-A'\nfunction = 'load'\nreason = 'known'\n";
        let list = parse(list, path).unwrap().findings;
        assert_eq!(
            (&list.suppress[0].function, &table.suppress[0].function),
            (&Some("load".to_owned()), &None)
        );
        assert_eq!(list.suppress[0].reason, table.suppress[0].reason);
        for text in ["[findings.suppress]\nCPU-A = ''\n", "[findings]\nsupress = 1\n"] {
            assert!(parse(text, path).is_err(), "{text}");
        }
    }

    #[test]
    fn a_section_of_another_program_is_passed_over_and_an_unknown_section_is_not() {
        let path = Path::new("calor.toml");
        assert!(parse("[record]\nfrequency = 99\n[check]\nmood = 'good'\n", path).is_ok());
        let error = parse("[recrod]\n", path).unwrap_err().whole();
        assert!(error.contains("recrod") && error.contains("calor.toml"), "{error}");
    }
}
