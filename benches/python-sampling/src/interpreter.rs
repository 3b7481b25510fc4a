//! The CPythons of this machine: those of pyenv, those on the path, and those that a variable names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable in which more interpreters are named.
const VARIABLE: &str = "CALOR_PYTHONS";
/// Older ones are read by nobody any more.
const OLDEST: (u32, u32) = (3, 8);
/// Prints the implementation, the version, and `t` where there is no global interpreter lock.
const QUESTION: &str = "import sys, sysconfig\n\
    print(sys.implementation.name, '.'.join(map(str, sys.version_info[:3])), \
    't' if sysconfig.get_config_var('Py_GIL_DISABLED') else '')";

/// One interpreter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Interpreter {
    /// Its version, such as `3.11.7`, or `3.13.15t` without the global interpreter lock.
    pub(crate) name: String,
    /// Major and minor.
    pub(crate) version: (u32, u32),
    pub(crate) is_free_threaded: bool,
    pub(crate) path: PathBuf,
}

/// All that are found, the oldest first; one for each version.
pub(crate) fn all() -> Vec<Interpreter> {
    let mut found: BTreeMap<Vec<u32>, Interpreter> = BTreeMap::new();
    for path in candidates() {
        let Some(interpreter) = ask(&path) else { continue };
        let numbers = interpreter.name.trim_end_matches('t').split('.').filter_map(|part| part.parse().ok());
        let key = numbers.chain([u32::from(interpreter.is_free_threaded)]).collect();
        found.entry(key).or_insert(interpreter);
    }
    found.into_values().collect()
}

/// The one on which all peers are compared: 3.11, which all of them know, or the newest that is older or else any.
pub(crate) fn reference(all: &[Interpreter]) -> Option<&Interpreter> {
    all.iter().rfind(|one| one.version <= (3, 11) && !one.is_free_threaded).or(all.first())
}

fn candidates() -> Vec<PathBuf> {
    let named = std::env::var_os(VARIABLE).unwrap_or_default();
    let mut paths: Vec<PathBuf> = std::env::split_paths(&named).filter(|path| path.is_file()).collect();
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let root = std::env::var_os("PYENV_ROOT").map_or_else(|| home.join(".pyenv"), PathBuf::from);
    let versions = std::fs::read_dir(root.join("versions")).into_iter().flatten().flatten();
    paths.extend(versions.map(|version| version.path().join("bin/python")).filter(|path| path.is_file()));
    let folders = std::env::var_os("PATH").unwrap_or_default();
    for folder in std::env::split_paths(&folders).filter(|folder| !folder.starts_with(&root)) {
        paths.extend(
            (8..30).map(|minor| folder.join(format!("python3.{minor}"))).filter(|path| path.is_file()),
        );
    }
    paths
}

fn ask(path: &Path) -> Option<Interpreter> {
    let output = Command::new(path).args(["-c", QUESTION]).output().ok().filter(|o| o.status.success())?;
    understood(&String::from_utf8_lossy(&output.stdout), path)
}

fn understood(answer: &str, path: &Path) -> Option<Interpreter> {
    let mut words = answer.split_whitespace();
    let (implementation, version) = (words.next()?, words.next()?);
    let is_free_threaded = words.next() == Some("t");
    let mut numbers = version.split('.').filter_map(|number| number.parse().ok());
    let numbers = (numbers.next()?, numbers.next()?);
    let name = format!("{version}{}", if is_free_threaded { "t" } else { "" });
    (implementation == "cpython" && numbers >= OLDEST).then(|| Interpreter {
        name,
        version: numbers,
        is_free_threaded,
        path: path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(answer: &str) -> Option<Interpreter> {
        understood(answer, Path::new("/usr/bin/python3"))
    }

    #[test]
    fn an_interpreter_is_known_by_its_version_and_its_lock() {
        assert_eq!(of("cpython 3.11.7 \n").unwrap().name, "3.11.7");
        let free = of("cpython 3.13.15 t\n").unwrap();
        assert_eq!((free.name.as_str(), free.is_free_threaded, free.version), ("3.13.15t", true, (3, 13)));
        for other in ["pypy 3.9.16", "cpython 3.7.16", "cpython 2.7.18", "", "?"] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn peers_are_compared_on_a_version_that_all_of_them_know() {
        let all: Vec<_> = ["3.9.1", "3.11.7", "3.13.0"].map(|v| of(&format!("cpython {v}")).unwrap()).into();
        assert_eq!(reference(&all).unwrap().name, "3.11.7");
        assert_eq!(reference(&all[2..]).unwrap().name, "3.13.0");
        assert_eq!(reference(&[]), None);
    }
}
