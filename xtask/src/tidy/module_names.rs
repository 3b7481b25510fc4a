//! A module is named for what is in it; these names say only that something is.

use super::Problem;
use crate::repository::Repository;

const EMPTY_NAMES: [&str; 8] = ["util", "utils", "helper", "helpers", "common", "manager", "misc", "core"];

pub(super) fn check(repository: &Repository, problems: &mut Vec<Problem>) {
    for file in repository.files.iter().filter(|file| file.has_extension(&["rs", "py", "js"])) {
        let (path, _) = file.path.rsplit_once('.').unwrap_or((&file.path, ""));
        for name in path.split('/').filter(|name| EMPTY_NAMES.contains(name)) {
            let what = format!("a module called `{name}`: name it for what is in it");
            problems.push(Problem::new(&file.path, 1, what));
        }
        for (number, line) in file.lines() {
            if let Some(name) = inline_module(line).filter(|name| EMPTY_NAMES.contains(name)) {
                let what = format!("a module called `{name}`: name it for what is in it");
                problems.push(Problem::new(&file.path, number, what));
            }
        }
    }
}

/// The name in `mod name {`, with any visibility.
fn inline_module(line: &str) -> Option<&str> {
    let (before, name) = line.strip_suffix(" {")?.rsplit_once("mod ")?;
    (before.trim().is_empty() || before.trim_start().starts_with("pub")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    #[test]
    fn files_and_folders_are_named_for_what_is_in_them() {
        let files = [
            ("crates/calor/src/utils.rs", ""),
            ("crates/calor/src/common/clock.rs", ""),
            ("crates/calor/src/common_machine_factor.rs", ""),
            ("crates/calor/src/lib.rs", "mod tests {\n    pub(crate) mod helpers {\n"),
            ("docs/common.md", ""),
        ];
        let expect = [
            "crates/calor/src/common/clock.rs:1: a module called `common`",
            "crates/calor/src/lib.rs:2: a module called `helpers`",
            "crates/calor/src/utils.rs:1: a module called `utils`",
        ];
        check_rule(check, &files, &expect);
    }
}
