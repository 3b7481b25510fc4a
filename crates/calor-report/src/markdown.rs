//! The report as Markdown for a forge: tables with aligned columns, the call hierarchy as a block of text.

use std::fmt::Write;

use crate::document::{Body, Section, Table};
use crate::facts::Report;
use crate::section;
use crate::text::plain_tree;
use crate::text::printable::printable;

/// Lines of the call hierarchy.
const TREE_ROWS: usize = 60;
/// Columns that a block of text may take before a forge scrolls it.
const TREE_COLUMNS: usize = 110;

pub(crate) fn page(report: &Report<'_>) -> String {
    let mut page = String::from("# Calor report\n");
    for section in section::all(report, report.options.top.unwrap_or(TREE_ROWS)) {
        draw(&section, &mut page);
    }
    page
}

fn draw(section: &Section, page: &mut String) {
    let _ = write!(page, "\n## {}\n\n", escaped(&section.title));
    if let Some(intro) = &section.intro {
        let _ = write!(page, "{}\n\n", escaped(intro));
    }
    match &section.body {
        Body::Facts(facts) => {
            page.push_str("| | |\n|:--|:--|\n");
            for (name, value) in facts {
                let _ = writeln!(page, "| {} | {} |", escaped(name), escaped(value));
            }
        }
        Body::Lines(lines) => {
            for line in lines {
                let _ = writeln!(page, "- {}", escaped(line));
            }
        }
        Body::Table(table) => draw_table(table, page),
        Body::Tree(tree) => {
            let text = plain_tree(tree, TREE_COLUMNS);
            let fence = fence(&text);
            let _ = write!(page, "{fence}text\n{text}{fence}\n");
        }
    }
}

fn draw_table(table: &Table, page: &mut String) {
    let titles: Vec<String> = table.columns.iter().map(|column| escaped(column.title)).collect();
    let _ = writeln!(page, "| {} | {} |", table.subject, titles.join(" | "));
    let _ = writeln!(page, "|:--|{}", "--:|".repeat(titles.len()));
    for row in &table.rows {
        let cells: Vec<String> = row.cells.iter().map(|cell| escaped(&cell.text)).collect();
        let _ = writeln!(page, "| {} | {} |", escaped(&row.name.path()), cells.join(" | "));
    }
}

/// A fence that no line of the text can close.
fn fence(text: &str) -> String {
    let mut longest = 0;
    for run in text.split(|letter| letter != '`') {
        longest = longest.max(run.len());
    }
    "`".repeat(longest.max(2) + 1)
}

/// Text that stands for itself: nothing in it is markup, and it stays on its line. Names keep no backticks
/// of ours, because in a code span nothing, not even a bar, could be escaped.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in printable(text).chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '|' | '*' | '_' | '[' | ']' | '#' | '~' | '@' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_be_markup() {
        assert_eq!(escaped("Vec<u8>|a_b*\n"), "Vec&lt;u8&gt;\\|a\\_b\\*\u{fffd}");
    }

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(fence("a ```` b"), "`````");
        assert_eq!(fence("plain"), "```");
    }
}
