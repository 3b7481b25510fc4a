//! The files of the repository: those git knows, and new ones it does not ignore.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

pub(crate) struct Repository {
    pub(crate) files: Vec<File>,
}

pub(crate) struct File {
    /// Relative to the root, with forward slashes.
    pub(crate) path: String,
    /// Empty for a file that is not text.
    pub(crate) text: String,
}

impl Repository {
    pub(crate) fn read(root: &Path) -> anyhow::Result<Self> {
        let mut files = Vec::new();
        for path in paths(root)? {
            let bytes = match std::fs::read(root.join(&path)) {
                Ok(bytes) => bytes,
                // Deleted but not yet committed, or a link to a folder.
                Err(_) => continue,
            };
            files.push(File { path, text: String::from_utf8(bytes).unwrap_or_default() });
        }
        Ok(Self { files })
    }

    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let file = |&(path, text): &(&str, &str)| File { path: path.to_owned(), text: text.to_owned() };
        Self { files: files.iter().map(file).collect() }
    }
}

impl File {
    /// The lines with their numbers, from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(idx, line)| (idx + 1, line))
    }

    pub(crate) fn has_extension(&self, extensions: &[&str]) -> bool {
        extensions.iter().any(|extension| self.path.ends_with(&format!(".{extension}")))
    }

    /// Written by a tool, and not ours to word.
    pub(crate) fn is_lock(&self) -> bool {
        self.path.ends_with(".lock") || self.path.ends_with("package-lock.json")
    }

    /// Recorded input of a test, as some other program wrote it.
    pub(crate) fn is_sample_data(&self) -> bool {
        self.path.contains("tests/fixtures/") && !self.path.ends_with("README.md")
    }

    /// The number of the line where a Rust file's unit tests begin; past every line when it has none.
    pub(crate) fn first_test_line(&self) -> usize {
        let next = self.text.lines().skip(1);
        let mut pairs = self.lines().zip(next);
        let first = pairs.find(|((_, line), next)| *line == "#[cfg(test)]" && next.starts_with("mod "));
        first.map_or(usize::MAX, |((number, _), _)| number)
    }
}

/// The root of the repository, wherever in it the chore was started.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_owned()
}

/// The paths of all files that are, or could be, committed.
pub(crate) fn paths(root: &Path) -> anyhow::Result<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"])
        .current_dir(root)
        .output()
        .context("cannot start git, which lists the files of the repository")?;
    anyhow::ensure!(
        output.status.success(),
        "git ls-files failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    let list = String::from_utf8(output.stdout).context("a path in the repository is not UTF-8")?;
    Ok(list.split('\0').filter(|path| !path.is_empty()).map(ToOwned::to_owned).collect())
}
