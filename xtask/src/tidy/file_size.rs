//! A file holds one idea, and past 500 lines there is a second one in it.

use super::Problem;
use crate::repository::Repository;

const MAX_LINES: usize = 500;
const MAX_TABLE_LINES: usize = 1_000;

pub(super) fn check(repository: &Repository, problems: &mut Vec<Problem>) {
    for file in repository.files.iter().filter(|file| file.has_extension(&["rs", "py", "js"])) {
        let n_lines = file.text.lines().count();
        let first = file.text.lines().next().unwrap_or_default().to_lowercase();
        let is_table = first.split(|c: char| !c.is_alphanumeric()).any(|word| word == "table");
        let limit = if is_table { MAX_TABLE_LINES } else { MAX_LINES };
        if n_lines > limit {
            let what =
                format!("{n_lines} lines, {limit} are allowed: move the second idea into a file of its own");
            problems.push(Problem::new(&file.path, limit + 1, what));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    #[track_caller]
    fn check_lines(first: &str, n_lines: usize, expect: &[&str]) {
        let text = format!("{first}\n{}", "x\n".repeat(n_lines - 1));
        check_rule(check, &[("a.rs", &text), ("a.csv", &text)], expect);
    }

    #[test]
    fn code_may_have_500_lines() {
        check_lines("//! Code.", 500, &[]);
        check_lines("//! Code.", 501, &["a.rs:501: 501 lines, 500 are allowed"]);
    }

    #[test]
    fn a_table_that_says_so_may_have_1000() {
        check_lines("//! Table of opcodes.", 1_000, &[]);
        check_lines("//! Table of opcodes.", 1_001, &["a.rs:1001: 1001 lines, 1000 are allowed"]);
        check_lines("//! Suitable code.", 501, &["a.rs:501"]);
    }
}
