//! Reads as much of a `Cargo.toml` as the rules ask about, with line numbers.
//!
//! A TOML parser would be a dependency of the first thing a fresh clone builds. These files are ours and formatted
//! alike, so lines are enough: a section header, or a key with a value that may run on over brackets.

use crate::repository::{File, Repository};

pub(super) struct Manifest<'a> {
    pub(super) path: &'a str,
    entries: Vec<Entry>,
}

pub(super) struct Entry {
    pub(super) line: usize,
    section: String,
    /// Empty for the section header itself.
    pub(super) key: String,
    pub(super) value: String,
}

pub(super) struct Dependency {
    pub(super) line: usize,
    pub(super) package: String,
}

impl<'a> Manifest<'a> {
    /// The manifests of the workspace's own packages.
    pub(super) fn all(repository: &'a Repository) -> Vec<Self> {
        const ELSEWHERE: [&str; 3] = ["benches/", "fuzz/", "tests/"];
        let is_ours = |file: &&File| {
            file.path.ends_with("/Cargo.toml")
                && !ELSEWHERE
                    .iter()
                    .any(|folder| file.path.starts_with(folder) || file.path.contains("/tests/"))
        };
        repository.files.iter().filter(is_ours).map(Self::parse).collect()
    }

    pub(super) fn parse(file: &'a File) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        let mut section = String::new();
        let mut n_open = 0_usize;
        for (line, text) in file.lines() {
            let text = without_comment(text).trim();
            if n_open > 0 {
                if let Some(entry) = entries.last_mut() {
                    entry.value.push_str(text);
                }
                n_open = brackets_after(text, n_open);
            } else if let Some(header) = text.strip_prefix('[') {
                section = header.trim_matches(['[', ']']).to_owned();
                entries.push(Entry {
                    line,
                    section: section.clone(),
                    key: String::new(),
                    value: String::new(),
                });
            } else if let Some((key, value)) = text.split_once('=') {
                n_open = brackets_after(value, 0);
                let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
                entries.push(Entry { line, section: section.clone(), key, value });
            }
        }
        Self { path: &file.path, entries }
    }

    pub(super) fn name(&self) -> &str {
        self.entry("package", "name").map_or("", |entry| entry.value.trim_matches('"'))
    }

    pub(super) fn entry(&self, section: &str, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.section == section && entry.key == key)
    }

    /// Whether `key` is taken from the workspace, in either spelling.
    pub(super) fn inherits(&self, section: &str, key: &str) -> bool {
        self.entry(section, &format!("{key}.workspace")).is_some_and(|entry| entry.value == "true")
            || self
                .entry(section, key)
                .is_some_and(|entry| entry.value.replace(' ', "") == "{workspace=true}")
    }

    pub(super) fn entries_called(&self, key: &'a str) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.key == key)
    }

    /// What the package is built with; what only its tests use is not counted.
    pub(super) fn dependencies(&self) -> Vec<Dependency> {
        let mut dependencies: Vec<Dependency> = Vec::new();
        for entry in &self.entries {
            let package = match dependency_section(&entry.section) {
                Some("") if !entry.key.is_empty() => {
                    let key = entry.key.split('.').next().unwrap_or(&entry.key);
                    renamed_from(&entry.value).unwrap_or(key)
                }
                Some(table) if !table.is_empty() => match entry.key.as_str() {
                    "" => table,
                    "package" => entry.value.trim_matches('"'),
                    _ => continue,
                },
                _ => continue,
            };
            dependencies.push(Dependency { line: entry.line, package: package.trim_matches('"').to_owned() });
        }
        dependencies
    }
}

/// For `dependencies` the empty string, for `dependencies.name` the name, for any other section nothing.
fn dependency_section(section: &str) -> Option<&str> {
    let table = match section.rfind("dependencies") {
        Some(at) if !section[..at].ends_with("dev-") && !section.starts_with("workspace.") => {
            &section[at + "dependencies".len()..]
        }
        _ => return None,
    };
    match table {
        "" => Some(""),
        _ => table.strip_prefix('.'),
    }
}

/// The package in `{ package = "name", ... }`.
fn renamed_from(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("package")?;
    rest.trim_start().strip_prefix('=')?.split('"').nth(1)
}

fn without_comment(line: &str) -> &str {
    let mut is_quoted = false;
    for (at, c) in line.char_indices() {
        match c {
            '"' | '\'' => is_quoted = !is_quoted,
            '#' if !is_quoted => return &line[..at],
            _ => {}
        }
    }
    line
}

fn brackets_after(text: &str, n_open: usize) -> usize {
    text.chars().fold(n_open, |n_open, c| match c {
        '[' | '{' => n_open + 1,
        ']' | '}' => n_open.saturating_sub(1),
        _ => n_open,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"[package]
name = "calor-report"  # with a comment
edition.workspace = true
license = { workspace = true }
keywords = [
    "a = b",
]
[dependencies]
calor-model.workspace = true
serde = { version = "1", features = ["derive"] }
facts = { package = "calor-analysis", path = ".." }
[target.'cfg(unix)'.dependencies]
libc = "0.2"
[build-dependencies.cc]
version = "1"
[dev-dependencies]
insta = "1"
"#;

    #[test]
    fn dependencies_are_found_in_every_spelling_and_without_those_of_tests() {
        let file = File { path: "crates/calor-report/Cargo.toml".to_owned(), text: TEXT.to_owned() };
        let manifest = Manifest::parse(&file);
        let found: Vec<_> = manifest.dependencies().into_iter().map(|one| (one.line, one.package)).collect();
        let expect = [(9, "calor-model"), (10, "serde"), (11, "calor-analysis"), (13, "libc"), (14, "cc")];
        assert_eq!(found, expect.map(|(line, package)| (line, package.to_owned())));
    }

    #[test]
    fn keys_are_read_with_comments_and_inheritance() {
        let file = File { path: "crates/calor-report/Cargo.toml".to_owned(), text: TEXT.to_owned() };
        let manifest = Manifest::parse(&file);
        assert_eq!(manifest.name(), "calor-report");
        assert!(manifest.inherits("package", "edition"));
        assert!(manifest.inherits("package", "license"));
        assert!(!manifest.inherits("package", "version"));
    }
}
