//! The interpreters that tests of several commands try.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

/// Every CPython that is installed, by its version: those of the system and of pyenv.
pub(crate) fn interpreters() -> BTreeMap<String, PathBuf> {
    let mut candidates = vec![PathBuf::from("python3"), PathBuf::from("/usr/bin/python3")];
    let home = std::env::var_os("PYENV_ROOT")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".pyenv")));
    let versions = home.and_then(|home| std::fs::read_dir(home.join("versions")).ok());
    candidates.extend(versions.into_iter().flatten().flatten().map(|entry| entry.path().join("bin/python3")));
    let mut found = BTreeMap::new();
    for candidate in candidates {
        let question =
            "import sys; print(sys.implementation.name, '%d.%d' % sys.version_info[:2], sys.executable)";
        let Ok(output) = Command::new(&candidate).args(["-c", question]).output() else { continue };
        let answer = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut words = answer.split_whitespace();
        let (Some("cpython"), Some(version), Some(path)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let minor: u32 = version.strip_prefix("3.").and_then(|minor| minor.parse().ok()).unwrap_or(0);
        if minor >= 8 {
            found.entry(format!("{version} in {}", PathBuf::from(path).display())).or_insert(path.into());
        }
    }
    assert!(!found.is_empty(), "there is no python3 of version 3.8 or newer: install one");
    found
}
