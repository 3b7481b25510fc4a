//! Files that look like settings of Calor and that nobody reads: who wrote one believes that it says something.

use std::fmt;
use std::path::{Path, PathBuf};

use calor_store::FOLDER;

use crate::NAME;

/// What such files are called, before their last dot.
const STEMS: [&str; 5] = ["calor", ".calor", "config", "settings", "rules"];
/// And behind it.
const ENDINGS: [&str; 7] = ["toml", "json", "yaml", "yml", "ini", "cfg", "conf"];

/// A file that nobody reads.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Unread {
    /// The file.
    pub path: PathBuf,
}

impl fmt::Display for Unread {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        if self.path.file_stem().is_some_and(|stem| stem == "rules") {
            return write!(
                formatter,
                "nobody reads {path}: name it in {NAME} beside the folder {FOLDER}, as [findings] rules = [...]"
            );
        }
        write!(
            formatter,
            "nobody reads {path}: settings are in {NAME} in the project's folder, see docs/settings.md; move what it says \
             there, or remove it"
        )
    }
}

/// Such files in the folder of a store, and those called after Calor beside it and beside the settings; but for those that
/// are `known`.
pub(crate) fn unread(store: &Path, settings: Option<&Path>, known: &[PathBuf]) -> Vec<Unread> {
    let is_known = |path: &PathBuf| known.contains(path) || settings == Some(path.as_path());
    let store = Some(store).filter(|store| store.file_name().is_some_and(|name| name == FOLDER));
    let mut found: Vec<PathBuf> = Vec::new();
    if let Some(store) = store {
        found.extend(like_settings(store, |_, _| true));
    }
    for folder in [store, settings].into_iter().flatten().filter_map(Path::parent) {
        // A profile may well have been converted to `calor.json`.
        found.extend(like_settings(folder, |stem, ending| {
            stem == ".calor" || stem == "calor" && !matches!(ending, "toml" | "json")
        }));
    }
    found.retain(|path| !is_known(path));
    found.sort();
    found.dedup();
    found.into_iter().map(|path| Unread { path }).collect()
}

fn like_settings(folder: &Path, is_meant: impl Fn(&str, &str) -> bool) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_like = |name: &String| {
        let parts = name.rsplit_once('.');
        parts.is_some_and(|(stem, ending)| {
            STEMS.contains(&stem) && ENDINGS.contains(&ending) && is_meant(stem, ending)
        })
    };
    names.filter(is_like).map(|name| folder.join(name)).filter(|path| path.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_like_settings_are_named_and_others_are_not() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let place = |name: &str| folder.path().join(name);
        std::fs::create_dir(place(FOLDER)).expect("a folder can be made");
        for name in [
            ".calor/config.json",
            ".calor/calor.toml",
            ".calor/rules.toml",
            ".calor/own.toml",
            ".calor/store.db",
            "calor.yaml",
            "calor.json",
            "calor.toml",
            "config.json",
        ] {
            std::fs::write(place(name), "").expect("a file can be written");
        }
        let names = |known: &[PathBuf]| {
            let found = unread(&place(FOLDER), Some(&place(NAME)), known);
            let inside =
                |one: &Unread| one.path.strip_prefix(folder.path()).map(|path| path.display().to_string());
            found.iter().map(|one| inside(one).expect("it is inside")).collect::<Vec<_>>()
        };
        let rules = place(".calor/rules.toml");
        assert_eq!(
            names(&[]),
            [".calor/calor.toml", ".calor/config.json", ".calor/rules.toml", "calor.yaml"]
        );
        assert_eq!(
            names(std::slice::from_ref(&rules)),
            [".calor/calor.toml", ".calor/config.json", "calor.yaml"]
        );
        let said =
            unread(&place(FOLDER), None, &[]).iter().map(Unread::to_string).collect::<Vec<_>>().join("\n");
        assert!(said.contains("config.json: settings are in calor.toml"), "{said}");
        assert!(said.contains("rules.toml: name it in calor.toml"), "{said}");
    }
}
