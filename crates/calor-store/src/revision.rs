//! The state of the sources that a run was recorded from.
//!
//! Commit and branch are read from git's own files: that takes no program and no time, and works in containers that have
//! neither git nor the right owner of the folder. Whether files were changed since the commit only git itself can tell
//! (filters, line ends, submodules), so it is asked, if it is there and answers soon.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Git needs longer than this only in huge trees, where nobody wants to wait for it.
const PATIENCE: Duration = Duration::from_secs(2);
/// References that refer to each other end somewhere, or are a mistake.
const MOST_HOPS: usize = 5;

/// What was checked out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Revision {
    /// The commit, in full where git told it.
    pub commit: Option<String>,
    /// The branch; `None` when none is checked out.
    pub branch: Option<String>,
    /// Whether files that git knows were changed since the commit; `None` when nobody could tell.
    pub is_dirty: Option<bool>,
}

impl Revision {
    /// The state of the work tree that a folder lies in; nothing where there is none.
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        let Some((tree, git)) = folder.ancestors().find_map(|tree| Some((tree, git_folder(tree)?))) else {
            return Self::default();
        };
        let mut revision = git.head();
        if git.is_of_tables() {
            // References in tables, which only git reads.
            revision.commit = answer(tree, &["rev-parse", "HEAD"]);
            revision.branch = answer(tree, &["symbolic-ref", "--short", "HEAD"]);
        }
        if revision.commit.is_some() {
            revision.is_dirty = is_dirty(tree);
        }
        revision
    }
}

/// How many commits came after one of them, up to another that has it among its ancestors; `None` where git, asked in a folder
/// of the repository, does not know both, or does not answer soon.
#[must_use]
pub fn commits_after(folder: &Path, before: &str, after: &str) -> Option<u64> {
    // They come from files, and are not to be taken for options.
    let is_commit = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !(is_commit(before) && is_commit(after)) {
        return None;
    }
    let counts =
        answer(folder, &["rev-list", "--left-right", "--count", &format!("{before}...{after}"), "--"])?;
    // Commits that only the first one has would say that the second was not made upon it.
    counts.strip_prefix("0\t")?.parse().ok().filter(|n| *n > 0)
}

/// Where git keeps what it knows: of one work tree, and of all that share a repository.
struct GitFolder {
    own: PathBuf,
    shared: PathBuf,
}

/// Git's folder of a work tree. That of a linked one, or of a submodule, is elsewhere: a file tells where.
fn git_folder(tree: &Path) -> Option<GitFolder> {
    let path = tree.join(".git");
    let own = match fs::read_to_string(&path) {
        Ok(text) => tree.join(text.strip_prefix("gitdir:")?.trim()),
        Err(_) if path.is_dir() => path,
        Err(_) => return None,
    };
    let shared = match fs::read_to_string(own.join("commondir")) {
        Ok(text) => own.join(text.trim()),
        Err(_) => own.clone(),
    };
    Some(GitFolder { own, shared })
}

impl GitFolder {
    fn head(&self) -> Revision {
        let mut revision = Revision::default();
        let Ok(mut content) = fs::read_to_string(self.own.join("HEAD")) else { return revision };
        for _ in 0..MOST_HOPS {
            let Some(reference) = content.trim().strip_prefix("ref:").map(str::trim) else {
                revision.commit = Some(content.trim().to_owned()).filter(|text| is_hash(text));
                break;
            };
            if revision.branch.is_none() {
                revision.branch = reference.strip_prefix("refs/heads/").map(str::to_owned);
            }
            // A branch without a commit has no file yet.
            let Some(next) = self.reference(reference) else { break };
            content = next;
        }
        revision
    }

    /// What a reference holds: in a file of its own, or in the one of many that were packed.
    fn reference(&self, name: &str) -> Option<String> {
        let loose = [&self.own, &self.shared].into_iter().find_map(|folder| {
            let is_inside = !name.split('/').any(|part| part == "..") && !name.starts_with('/');
            is_inside.then(|| fs::read_to_string(folder.join(name)).ok())?
        });
        loose.or_else(|| {
            let packed = fs::read_to_string(self.shared.join("packed-refs")).ok()?;
            let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
            lines.find(|(_, packed)| *packed == name).map(|(hash, _)| hash.to_owned())
        })
    }

    fn is_of_tables(&self) -> bool {
        self.shared.join("reftable").is_dir()
    }
}

fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_dirty(tree: &Path) -> Option<bool> {
    // What git does not know is not of the commit; profiles and build outputs are often among it.
    let status = ["--no-optional-locks", "status", "--porcelain", "--untracked-files=no"];
    asked(tree, &status).map(|answer| !answer.is_empty())
}

/// A line that git answers with, unless it is empty.
fn answer(tree: &Path, arguments: &[&str]) -> Option<String> {
    let text = String::from_utf8(asked(tree, arguments)?).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// What git says, if it is there, content and quick.
fn asked(tree: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let mut command = Command::new("git");
    command.arg("-C").arg(tree).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut git = command.spawn().ok()?;
    let mut output = git.stdout.take()?;
    let (told, said) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.read_to_end(&mut bytes);
        // Whoever asked may have gone on.
        let _ = told.send(read.map(|_| bytes));
    });
    let said = said.recv_timeout(PATIENCE);
    if said.is_err() {
        let _ = git.kill();
    }
    let has_succeeded = git.wait().is_ok_and(|status| status.success());
    said.ok()?.ok().filter(|_| has_succeeded)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";

    fn put(folder: &Path, name: &str, content: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    #[track_caller]
    fn check(tree: &Path, commit: Option<&str>, branch: Option<&str>) {
        let git = git_folder(tree).expect("there is one");
        let head = git.head();
        assert_eq!((head.commit.as_deref(), head.branch.as_deref()), (commit, branch));
    }

    #[test]
    fn the_commit_is_found_wherever_git_keeps_it() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path();
        put(tree, ".git/HEAD", "ref: refs/heads/feature/a\n");
        check(tree, None, Some("feature/a"));
        put(
            tree,
            ".git/packed-refs",
            &format!("# pack-refs with: peeled\n{ONE} refs/heads/feature/a\n^{TWO}\n"),
        );
        check(tree, Some(ONE), Some("feature/a"));
        put(tree, ".git/refs/heads/feature/a", &format!("{TWO}\n"));
        check(tree, Some(TWO), Some("feature/a"));
        put(tree, ".git/HEAD", ONE);
        check(tree, Some(ONE), None);
        put(tree, ".git/HEAD", "ref: refs/heads/loop\n");
        put(tree, ".git/refs/heads/loop", "ref: refs/heads/loop\n");
        check(tree, None, Some("loop"));
        put(tree, ".git/HEAD", "ref: ../../secret\n");
        put(tree, "../secret-of-the-test", "");
        check(tree, None, None);
        put(tree, ".git/HEAD", "nonsense");
        check(tree, None, None);
        fs::remove_file(tree.join("../secret-of-the-test")).unwrap();
    }

    #[test]
    fn a_linked_work_tree_has_a_head_of_its_own_and_shares_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let (main, linked) = (folder.path().join("main"), folder.path().join("linked"));
        put(&main, ".git/HEAD", "ref: refs/heads/main\n");
        put(&main, ".git/refs/heads/main", ONE);
        put(&main, ".git/packed-refs", &format!("{TWO} refs/heads/other\n"));
        put(&main, ".git/worktrees/linked/HEAD", "ref: refs/heads/other\n");
        put(&main, ".git/worktrees/linked/commondir", "../..\n");
        put(&linked, ".git", "gitdir: ../main/.git/worktrees/linked\n");
        check(&main, Some(ONE), Some("main"));
        check(&linked, Some(TWO), Some("other"));
    }

    #[test]
    fn a_folder_outside_of_any_work_tree_has_no_revision() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Revision::of(folder.path()), Revision::default());
        put(folder.path(), ".git", "not what git writes");
        assert_eq!(Revision::of(folder.path()), Revision::default());
    }

    fn git(tree: &Path, arguments: &[&str]) -> bool {
        let mut command = Command::new("git");
        command.arg("-C").arg(tree).args(["-c", "user.name=A", "-c", "user.email=a@example.org"]);
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    #[test]
    fn changed_files_are_told_where_git_is_installed() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path();
        if !git(tree, &["init", "-q", "-b", "trunk"]) {
            return;
        }
        assert_eq!(Revision::of(tree).branch.as_deref(), Some("trunk"));
        put(tree, "inner/file", "one");
        assert!(git(tree, &["add", "."]) && git(tree, &["commit", "-q", "-m", "first"]));
        let clean = Revision::of(&tree.join("inner"));
        assert_eq!((clean.branch.as_deref(), clean.is_dirty), (Some("trunk"), Some(false)));
        assert_eq!(clean.commit, answer(tree, &["rev-parse", "HEAD"]));
        put(tree, "unknown", "to git");
        assert_eq!(Revision::of(tree), clean);
        put(tree, "inner/file", "two");
        assert_eq!(Revision::of(tree), Revision { is_dirty: Some(true), ..clean });
    }

    #[test]
    fn commits_are_counted_from_one_to_its_descendants_alone() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path();
        if !git(tree, &["init", "-q"]) {
            return;
        }
        let commit = |message: &str| {
            assert!(git(tree, &["commit", "-q", "--allow-empty", "-m", message]));
            Revision::of(tree).commit.unwrap()
        };
        let [first, second, third] = ["one", "two", "three"].map(commit);
        assert_eq!(commits_after(tree, &first, &second), Some(1));
        assert_eq!(commits_after(tree, &first[..10], &third), Some(2));
        assert!(git(tree, &["checkout", "-q", "--detach", &first]));
        let beside = commit("beside");
        for (before, after) in [
            (&second, &first),
            (&second, &beside),
            (&first, &first),
            (&ONE.to_owned(), &first),
            (&first, &"--all".to_owned()),
            (&String::new(), &beside),
        ] {
            assert_eq!(commits_after(tree, before, after), None, "{before} {after}");
        }
        assert_eq!(commits_after(Path::new("/"), &first, &second), None);
    }
}
