//! Absolute paths of one person's machine mean nothing on another. The sample data of tests may hold them.

use super::Problem;
use crate::repository::Repository;

/// Written in pieces so that this file passes its own check.
const FOLDERS: [&str; 4] =
    [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];

pub(super) fn check(repository: &Repository, problems: &mut Vec<Problem>) {
    for file in repository.files.iter().filter(|file| !is_of_tests(&file.path) && !file.is_lock()) {
        let first_test_line = file.first_test_line();
        for (number, line) in file.lines().take_while(|(number, _)| *number < first_test_line) {
            for folder in FOLDERS.iter().filter(|folder| starts_a_path(line, folder)) {
                let what = format!("an absolute path into `{folder}`: use a relative path, or a made-up one");
                problems.push(Problem::new(&file.path, number, what));
            }
        }
    }
}

fn is_of_tests(path: &str) -> bool {
    path.starts_with("tests/") || path.contains("/tests/")
}

/// Whether the folder stands at the root, and not inside a longer path or an address.
fn starts_a_path(line: &str, folder: &str) -> bool {
    let is_path_before =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-' | '}' | '~' | '$');
    line.match_indices(folder).any(|(at, _)| !line[..at].ends_with(is_path_before))
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    #[test]
    fn a_path_at_the_root_is_told() {
        let text = format!("fine\nsee {}me/train.py\n", FOLDERS[2]);
        check_rule(check, &[("docs/a.md", &text)], &["docs/a.md:2: an absolute path into"]);
    }

    #[test]
    fn a_longer_path_or_an_address_is_not_meant() {
        let text = FOLDERS.map(|folder| format!("src{folder}a https://a.org{folder}")).join("\n");
        check_rule(check, &[("docs/a.md", &text)], &[]);
    }

    #[test]
    fn tests_may_hold_sample_paths() {
        let sample = format!("fine\n#[cfg(test)]\nmod tests {{ \"{}a\" }}\n", FOLDERS[0]);
        check_rule(check, &[("a/src/a.rs", &sample), ("a/tests/a.rs", FOLDERS[1])], &[]);
        let function = format!("#[cfg(test)]\nfn sample() {{}}\n\"{}a\"\n", FOLDERS[0]);
        check_rule(check, &[("a/src/a.rs", &function)], &["a/src/a.rs:3: an absolute path"]);
    }
}
