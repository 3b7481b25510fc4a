//! Subjects of commits fit the lists that git shows: 70 characters at most. Those that are not yet anywhere else are
//! checked, since what others have cannot be worded anew.

use std::process::Command;

use super::Problem;

const LONGEST: usize = 70;

/// How many of the newest commits are looked at.
const NEWEST: &str = "-30";

/// Looks at the newest commits of the repository in the working folder; none where there is no git.
pub(super) fn problems(root: &std::path::Path) -> Vec<Problem> {
    let mut git = Command::new("git");
    git.args(["log", NEWEST, "--no-merges", "--format=%h %s"]).current_dir(root);
    let log =
        git.output().map_or_else(|_| String::new(), |it| String::from_utf8_lossy(&it.stdout).into_owned());
    log.lines().filter_map(problem).collect()
}

fn problem(line: &str) -> Option<Problem> {
    let (commit, subject) = line.split_once(' ')?;
    let length = subject.chars().count();
    let what = match subject.split_once(": ") {
        _ if length > LONGEST => format!("the subject has {length} characters, at most {LONGEST}: {subject}"),
        None => format!("the subject is not `area: what`: {subject}"),
        Some(_) => return None,
    };
    Some(Problem::new(&format!("commit {commit}"), 1, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_have_an_area_and_fit() {
        assert_eq!(problem("0123abc report: one escaping for HTML"), None);
        assert_eq!(problem(&format!("0123abc a: {}", "b".repeat(67))), None);
        for subject in [format!("a: {}", "b".repeat(68)), "mend things".to_owned(), "x".to_owned()] {
            assert!(problem(&format!("0123abc {subject}")).is_some(), "{subject}");
        }
    }
}
