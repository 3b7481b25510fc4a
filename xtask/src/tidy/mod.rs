//! The rules of the repository as checks. One rule one file; a problem names its place and what to do.

mod arrows;
mod commit_subjects;
mod decisions;
mod emoji;
mod file_size;
mod fixture_notes;
mod machine_paths;
mod manifest;
mod minimum_rust;
mod module_cycles;
mod module_docs;
mod module_names;
mod package_inheritance;
mod readme_commands;
mod registry_hosts;
mod safety_notes;
mod words;

use std::fmt;

use crate::Outcome;
use crate::repository::{self, Repository};

type Rule = fn(&Repository, &mut Vec<Problem>);

const RULES: &[Rule] = &[
    arrows::check,
    decisions::check,
    emoji::check,
    file_size::check,
    fixture_notes::check,
    machine_paths::check,
    minimum_rust::check,
    module_cycles::check,
    module_docs::check,
    module_names::check,
    package_inheritance::check,
    readme_commands::check,
    registry_hosts::check,
    safety_notes::check,
    words::check,
];

/// A place that breaks a rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Problem {
    path: String,
    line: usize,
    /// What is wrong, and what to do.
    what: String,
}

impl Problem {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

pub(crate) fn run() -> anyhow::Result<Outcome> {
    let repository = Repository::read(&repository::root())?;
    let mut problems = problems(&repository);
    problems.extend(commit_subjects::problems(&repository::root()));
    for problem in &problems {
        println!("{problem}");
    }
    println!("{} rules, {} files, {} problems", RULES.len() + 1, repository.files.len(), problems.len());
    Ok(if problems.is_empty() { Outcome::Passed } else { Outcome::Failed })
}

fn problems(repository: &Repository) -> Vec<Problem> {
    let mut problems = Vec::new();
    for rule in RULES {
        rule(repository, &mut problems);
    }
    problems.sort();
    problems
}

/// Runs one rule over the given files and compares the problems it prints; how every rule is tested.
#[cfg(test)]
#[track_caller]
fn check_rule(rule: Rule, files: &[(&str, &str)], expect: &[&str]) {
    let mut problems = Vec::new();
    rule(&Repository::of(files), &mut problems);
    problems.sort();
    let printed: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(printed.len(), expect.len(), "{printed:#?}");
    for (printed, expect) in printed.iter().zip(expect) {
        assert!(printed.starts_with(expect), "expected {expect}\nfound    {printed}");
    }
}
