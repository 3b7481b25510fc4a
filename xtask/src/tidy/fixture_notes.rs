//! Every folder of recorded input says what it is, why it is kept, and the exact command that made it.

use std::collections::BTreeSet;

use super::Problem;
use crate::repository::Repository;

const FIXTURES: &str = "tests/fixtures/";

pub(super) fn check(repository: &Repository, problems: &mut Vec<Problem>) {
    let folder = |path: &str| {
        let start = path.find(FIXTURES)? + FIXTURES.len();
        let length = path[start..].find('/')?;
        Some(path[..start + length].to_owned())
    };
    let folders: BTreeSet<String> = repository.files.iter().filter_map(|file| folder(&file.path)).collect();
    for note in folders.iter().map(|folder| format!("{folder}/README.md")) {
        if repository.file(&note).is_none() {
            let what = "missing: write what the folder holds, why, and the command that made it";
            problems.push(Problem::new(&note, 1, what));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    #[test]
    fn a_folder_without_a_note_is_told() {
        let files = [
            ("tests/fixtures/perf/a.data", ""),
            ("tests/fixtures/perf/README.md", ""),
            ("tests/fixtures/pprof/deep/a.pb", ""),
            ("crates/calor/tests/fixtures/old/a.calor", ""),
        ];
        let expect = [
            "crates/calor/tests/fixtures/old/README.md:1: missing",
            "tests/fixtures/pprof/README.md:1: missing",
        ];
        check_rule(check, &files, &expect);
    }
}
