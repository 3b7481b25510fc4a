//! A source file opens with why it exists.

use super::Problem;
use crate::repository::Repository;

pub(super) fn check(repository: &Repository, problems: &mut Vec<Problem>) {
    for file in repository.files.iter().filter(|file| is_source(&file.path)) {
        if !file.text.starts_with("//! ") {
            problems.push(Problem::new(
                &file.path,
                1,
                "no module docs: open the file with `//!` and why it exists",
            ));
        }
    }
}

fn is_source(path: &str) -> bool {
    let in_crate = path.strip_prefix("crates/").and_then(|rest| rest.split_once('/')).map(|(_, rest)| rest);
    let inside = in_crate.or_else(|| path.strip_prefix("xtask/"));
    inside.is_some_and(|rest| rest.starts_with("src/") && rest.ends_with(".rs"))
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    #[test]
    fn a_source_file_without_docs_is_told() {
        let files = [
            ("crates/calor/src/lib.rs", "//! Why.\n"),
            ("crates/calor/src/main.rs", "fn main() {}\n"),
            ("crates/calor/src/inner/deep.rs", "// Why.\n"),
            ("xtask/src/main.rs", "\n//! Late.\n"),
            ("crates/calor/tests/any.rs", "fn test() {}\n"),
        ];
        let expect = [
            "crates/calor/src/inner/deep.rs:1: no module docs",
            "crates/calor/src/main.rs:1",
            "xtask/src/main.rs:1",
        ];
        check_rule(check, &files, &expect);
    }
}
