//! Two commits checked out beside each other, built, and removed again. The user's own files are not touched: git makes work
//! trees in a temporary folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use calor_model::quoted_word;

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
            is_below(word, &root) || (is_path && !word.starts_with('/') && !word.starts_with(".."))
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
            let command = moved(command, &root, &tree.to_string_lossy());
            format!("cd {} && {command}", quoted_word(&folders[at].to_string_lossy()))
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

/// Whether a word is a path of a folder, and not of one whose name begins alike.
fn is_below(word: &str, folder: &str) -> bool {
    word.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A command with the paths of one folder in another.
fn moved(command: &str, from: &str, to: &str) -> String {
    let mut parts = command.split(from);
    let mut moved = parts.next().unwrap_or_default().to_owned();
    for rest in parts {
        // `/src/calor` is neither in `/src/calor2` nor in `/old/src/calor`.
        let ends = rest.chars().next().is_none_or(|next| next == '/' || is_between_words(next));
        let begins = moved.chars().next_back().is_none_or(is_between_words);
        moved.push_str(if ends && begins { to } else { from });
        moved.push_str(rest);
    }
    moved
}

fn is_between_words(letter: char) -> bool {
    letter.is_whitespace() || "'\"`=:;,|&<>()".contains(letter)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_repository_are_moved_and_those_of_its_neighbours_are_not() {
        for (command, expected) in [
            ("/a/main/run /a/main2/data", "/tmp/t/run /a/main2/data"),
            (
                "/a/main2/run --in=/a/main/x '/a/main' \"/a/main/y z\"",
                "/a/main2/run --in=/tmp/t/x '/tmp/t' \"/tmp/t/y z\"",
            ),
            ("/b/a/main/run /a/main-old/x /a/main", "/b/a/main/run /a/main-old/x /tmp/t"),
            ("./run", "./run"),
        ] {
            assert_eq!(moved(command, "/a/main", "/tmp/t"), expected);
        }
    }

    #[test]
    fn a_command_of_a_neighbour_alone_is_not_of_the_repository() {
        let [root, inside, folder] = ["/a/main", "", "/nowhere/trees"].map(PathBuf::from);
        let trees = WorkTrees { root, inside, folder, commits: Default::default() };
        assert!(trees.commands("/a/main2/run").is_err());
        let [before, after] = trees.commands("/a/main/run /a/main2/data").expect("it is of the repository");
        assert!(
            before.ends_with("/before/run /a/main2/data") && after.contains("/after/run "),
            "{before} {after}"
        );
    }
}
