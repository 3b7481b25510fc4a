//! An unsafe block or impl has the fact it relies on written above it. A file whose blocks all rely on the same facts may
//! say them once, in a section `# Safety` of its opening.

use super::Problem;
use crate::repository::Repository;

/// How far above the note may stand: a longer note starts higher than the line before the block.
const REACH: usize = 6;

/// Written in pieces so that this file passes its own check.
const STARTS: [&str; 2] = [concat!("unsafe", " {"), concat!("unsafe", " impl")];

pub(super) fn check(repository: &Repository, problems: &mut Vec<Problem>) {
    for file in repository.files.iter().filter(|file| file.has_extension(&["rs"])) {
        let lines: Vec<&str> = file.text.lines().collect();
        if lines.iter().take_while(|line| line.starts_with("//!")).any(|line| line.trim() == "//! # Safety") {
            continue;
        }
        for (idx, line) in lines.iter().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if !STARTS.iter().any(|start| code.contains(start)) {
                continue;
            }
            let near = &lines[idx.saturating_sub(REACH)..=idx];
            if !near.iter().any(|line| line.contains("// SAFETY:")) {
                let what = "unsafe code without a note: say above it, after `// SAFETY:`, what it relies on";
                problems.push(Problem::new(&file.path, idx + 1, what));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    #[track_caller]
    fn check_text(text: &str, expect: &[&str]) {
        for start in STARTS {
            check_rule(check, &[("a.rs", &text.replace("UNSAFE", start))], expect);
        }
    }

    #[test]
    fn a_note_within_six_lines_above_is_enough() {
        check_text("// SAFETY: it holds.\n\n\n\n\n\nUNSAFE x }", &[]);
        check_text("// SAFETY: too far.\n\n\n\n\n\n\nUNSAFE x }", &["a.rs:8: unsafe code without a note"]);
        check_text("UNSAFE x } // SAFETY: beside it.", &[]);
    }

    #[test]
    fn a_section_of_the_opening_is_enough_for_all() {
        check_text("//! Why.\n//!\n//! # Safety\n//! It holds.\n\nUNSAFE x }", &[]);
        check_text("//! Why.\n\n// # Safety\nUNSAFE x }", &["a.rs:4: unsafe code without a note"]);
    }

    #[test]
    fn no_note_is_told_but_a_comment_is_not_code() {
        check_text("let x =\n    UNSAFE x };", &["a.rs:2: unsafe code without a note"]);
        check_text("/// Never write UNSAFE x }.", &[]);
    }
}
