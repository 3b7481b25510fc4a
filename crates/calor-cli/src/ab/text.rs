//! The outcome for people: the verdict first.

use calor_analysis::{Comparison, ExperimentOutcome, Verdict};
use calor_report::wrapped;

use super::cells::cells;
use crate::table::table;

/// Narrower text is harder to read than lines that the terminal breaks.
const NARROWEST: usize = 40;
/// Before the lines of a sentence that follow its first.
const INDENT: &str = "    ";

pub(super) fn page(outcome: &ExperimentOutcome, width: usize, is_coloured: bool) -> String {
    let paint = |code: &str, text: &str| match is_coloured {
        true => format!("\x1b[{code}m{text}\x1b[0m"),
        false => text.to_owned(),
    };
    let columns = width.max(NARROWEST);
    let mut page = String::new();
    for found in &outcome.comparisons {
        for line in wrapped(&found.to_string(), columns) {
            page += &format!("{}\n", paint(colour(found), &line));
        }
    }
    page.push('\n');
    for (name, command) in ('A'..).zip(&outcome.commands) {
        page += &format!("  {name}  {}\n", cut(command, columns.saturating_sub(5)));
    }
    page.push('\n');
    for (at, line) in table(&cells(outcome)).iter().enumerate() {
        page += &format!("  {}\n", if at == 0 { paint("2", line) } else { line.clone() });
    }
    page.push('\n');
    let mut say = |text: &str| {
        for (at, line) in wrapped(text, columns.saturating_sub(INDENT.len())).iter().enumerate() {
            page += &format!("{}{line}\n", if at == 0 { "  " } else { INDENT });
        }
    };
    outcome.notes().iter().for_each(|note| say(note));
    outcome.warnings.iter().for_each(|warning| say(&format!("warning: {}", warning.message)));
    for (at, sentence) in outcome.advice.iter().enumerate() {
        say(&format!("{}: {sentence}", if at == 0 { "next" } else { "or" }));
    }
    page
}

fn colour(found: &Comparison) -> &'static str {
    match found.verdict {
        Verdict::Regressed => "1;31",
        Verdict::Improved => "1;32",
        Verdict::Same => "1",
        Verdict::Undecided => "1;33",
    }
}

/// One line, cut where it is too long.
fn cut(text: &str, columns: usize) -> String {
    let line = text.split('\n').map(str::trim).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(columns) {
        Some(_) => line.chars().take(columns.saturating_sub(1)).chain(['…']).collect(),
        None => line,
    }
}
