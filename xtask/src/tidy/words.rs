//! Words that do not belong into a finished repository: unfinished code, slogans, and how the project is made.
//!
//! The lists are written in pieces so that this file passes its own check.

use super::Problem;
use crate::repository::{File, Repository};

/// Only in Rust, and exactly as written.
const UNFINISHED_CODE: &[(&str, &str)] = &[
    (concat!("todo", "!("), "write the code"),
    (concat!("unimplemented", "!("), "write the code, or return an error that says what is missing"),
    (concat!("dbg", "!("), "remove it"),
    (concat!("#[", "ignore"), "make the test run, or remove it"),
];

/// As whole words, with the case as written here.
const UNFINISHED_NOTES: &[&str] = &[concat!("FIX", "ME"), concat!("XX", "X")];

/// As whole words in any case.
const SLOGANS: &[&str] = &[concat!("blaz", "ing"), concat!("blaz", "ingly")];

/// As whole words in any case: a reader of the project is told what it does, not who was asked to do it.
const MAKING_OF: &[&str] = &[
    concat!("sub", "agent"),
    concat!("sub", "agents"),
    concat!("C", "EO"),
    concat!("prototype", " folder"),
    concat!("../", "shared"),
];

pub(super) fn check(repository: &Repository, problems: &mut Vec<Problem>) {
    for file in repository.files.iter().filter(|file| !file.is_lock() && !file.is_sample_data()) {
        for (number, line) in file.lines() {
            for (found, what_to_do) in found_in(file, line) {
                problems.push(Problem::new(&file.path, number, format!("`{found}`: {what_to_do}")));
            }
        }
    }
}

fn found_in(file: &File, line: &str) -> Vec<(&'static str, &'static str)> {
    let lowercase = line.to_lowercase();
    let code = UNFINISHED_CODE.iter().copied();
    let code = code.filter(|(text, _)| file.has_extension(&["rs"]) && line.contains(text));
    let notes = UNFINISHED_NOTES.iter().filter(|word| has_word(line, word));
    let slogans = SLOGANS.iter().filter(|word| has_word(&lowercase, word));
    let making_of = MAKING_OF.iter().filter(|word| has_word(&lowercase, &word.to_lowercase()));
    code.chain(notes.map(|word| (*word, "do it now, or describe the limitation in plain words")))
        .chain(slogans.map(|word| (*word, "a slogan; give the number and its source")))
        .chain(making_of.map(|word| (*word, "the project speaks of what it does, not of how it is made")))
        .collect()
}

/// Whether `word` stands in `line` with no letter, digit or underscore beside it.
fn has_word(line: &str, word: &str) -> bool {
    let is_inside_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(is_inside_word) && !line[at + word.len()..].starts_with(is_inside_word)
    })
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    #[test]
    fn every_listed_word_is_found_at_its_line() {
        let exact = UNFINISHED_CODE.iter().map(|(text, _)| *text);
        for word in exact.chain(UNFINISHED_NOTES.iter().chain(SLOGANS).chain(MAKING_OF).copied()) {
            let expect = format!("a.rs:2: `{word}`: ");
            check_rule(check, &[("a.rs", &format!("fine\nhere {word} is\n"))], &[&expect]);
        }
    }

    #[test]
    fn a_word_inside_another_is_not_meant() {
        check_rule(check, &[("a.md", concat!("blaz", "ingstar XX", "XX_name /shared"))], &[]);
    }

    #[test]
    fn recorded_input_and_lock_files_are_not_ours_to_word() {
        let text = UNFINISHED_NOTES[0];
        check_rule(check, &[("tests/fixtures/perf/a.txt", text), ("Cargo.lock", text)], &[]);
        check_rule(check, &[("tests/fixtures/perf/README.md", text)], &["tests/fixtures/perf/README.md:1"]);
    }
}
