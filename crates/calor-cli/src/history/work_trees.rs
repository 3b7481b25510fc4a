//! Two commits checked out beside each other, built, and removed again. The user's own files are not touched: git makes work
//! trees in a temporary folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::news;

/// Where the trees are in their folder.
const NAMES: [&str; 2] = ["before", "after"];

/// Work trees of two commits, which are removed when it is dropped.
pub(super) struct WorkTrees {
    /// The repository's own work tree.
    root: PathBuf,
    /// From there to the folder that the command was called in.
    inside: PathBuf,
    folder: PathBuf,
    commits: [String; 2],
}

impl WorkTrees {
    /// Checks out two commits of the repository here.
    pub(super) fn of(commits: [&str; 2]) -> Result<Self> {
        let here = std::env::current_dir().context("cannot tell the working folder")?;
        let root = git(&here, &["rev-parse", "--show-toplevel"])
            .context("--build needs the git repository of the program: call it from there")?;
        let inside = git(&here, &["rev-parse", "--show-prefix"])?;
        let folder = std::env::temp_dir().join(format!("calor-history-{}", std::process::id()));
        std::fs::create_dir(&folder)
            .with_context(|| format!("cannot make a folder for the work trees: {}", folder.display()))?;
        let trees =
            Self { root: root.into(), inside: inside.into(), folder, commits: commits.map(str::to_owned) };
        for (tree, commit) in trees.trees().iter().zip(commits) {
            let tree = tree.to_string_lossy();
            git(&trees.root, &["worktree", "add", "--detach", "--quiet", &tree, commit]).with_context(|| {
                format!("cannot check out commit {commit}: fetch it, or name both sides as in `--confirm './old' './new'`")
            })?;
        }
        Ok(trees)
    }

    fn trees(&self) -> [PathBuf; 2] {
        NAMES.map(|name| self.folder.join(name))
    }

    /// The folders in which the program is built and run.
    fn folders(&self) -> [PathBuf; 2] {
        self.trees().map(|tree| tree.join(&self.inside))
    }

    /// A command of the repository as it is called in each tree. One that names nothing of the repository would be the same
    /// program twice.
    pub(super) fn commands(&self, command: &str) -> Result<[String; 2]> {
        let root = self.root.to_string_lossy();
        let is_inside = |word: &str| {
            let word = word.trim_matches(['\'', '"']);
            let is_path = word.contains('/') || word.contains('.');
            word.starts_with(&*root) || (is_path && !word.starts_with('/') && !word.starts_with(".."))
        };
        if !command.split_whitespace().any(is_inside) {
            bail!(
                "nothing of `{command}` lies in the repository, so both sides would run the same: give the command with \
                 --run, or both sides as in `--confirm './old' './new'`"
            );
        }
        let [before, after] = self.trees();
        let folders = self.folders();
        let called = |at: usize, tree: &Path| {
            let command = command.replace(&*root, &tree.to_string_lossy());
            format!("cd '{}' && {command}", folders[at].to_string_lossy().replace('\'', "'\\''"))
        };
        Ok([called(0, &before), called(1, &after)])
    }

    /// Builds both.
    pub(super) fn build(&self, command: &str) -> Result<()> {
        for (folder, commit) in self.folders().iter().zip(&self.commits) {
            let short: String = commit.chars().take(7).collect();
            news::say(format_args!("building {short}: {command}"));
            let built = Command::new("sh")
                .args(["-c", command])
                .current_dir(folder)
                // One folder for both would leave what was built last.
                .env_remove("CARGO_TARGET_DIR")
                .stdin(std::process::Stdio::null())
                .output()
                .context("cannot start sh")?;
            if !built.status.success() {
                let errors = String::from_utf8_lossy(&built.stderr);
                let lines: Vec<&str> = errors.trim_end().lines().collect();
                let last = lines[lines.len().saturating_sub(10)..].join("\n  ");
                let end = crate::launch::ending(built.status);
                bail!(
                    "building commit {short} failed: `{command}` {end}\nthe last lines it wrote:\n  {last}"
                );
            }
        }
        Ok(())
    }
}

impl Drop for WorkTrees {
    fn drop(&mut self) {
        for tree in self.trees() {
            let _ = git(&self.root, &["worktree", "remove", "--force", &tree.to_string_lossy()]);
        }
        let _ = std::fs::remove_dir_all(&self.folder);
        let _ = git(&self.root, &["worktree", "prune"]);
    }
}

/// What git answers, without its last line break.
fn git(folder: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .output()
        .context("cannot start git: install it, or name both sides as in `--confirm './old' './new'`")?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("git {}: {}", arguments.first().unwrap_or(&""), errors.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned())
}
