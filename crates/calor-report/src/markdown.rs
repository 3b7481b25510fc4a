//! The report as Markdown for a forge: tables with aligned columns, the call hierarchy as a block of text. What is long
//! is folded behind its first rows. The profile itself is carried along in a comment, which forges do not show, as far as
//! the page then still is short enough to be a comment on a pull request.

use std::fmt::Write;

use calor_analysis::quantity::counted;
use calor_formats::embedded;
use calor_model::Profile;

use crate::carried::{self, Carried};
use crate::document::{Body, Row, Section, Table, Told};
use crate::report::Report;
use crate::text::printable::{printable, width};
use crate::text::{path_within, plain_chart, plain_tree, plain_waterfall};
use crate::{Carry, Remarks, section};

/// Lines of the call hierarchy.
const TREE_ROWS: usize = 60;
/// Columns that a block of text may take before a forge scrolls it.
const TREE_COLUMNS: usize = 110;
/// Rows that are read at once; the rest of a list is folded.
const OPEN_ROWS: usize = 12;
/// Lines of a tree that are shown without being asked for.
const OPEN_LINES: usize = 24;
/// Columns that a call path may take: a page of whole paths would be too long to be a comment.
const NAME_COLUMNS: usize = 100;
/// Letters of a page that still is a comment on any forge: the best known one takes 65,536.
pub(crate) const MOST_LETTERS: usize = 60_000;
/// What the page says around the carried profile.
const FOOT_LETTERS: usize = 900;

/// The page. `whole` is the profile that the report is of, before any part of it was chosen.
pub(crate) fn page(report: &Report<'_>, whole: &Profile) -> String {
    let mut body = String::from("# Calor report\n");
    for section in section::all(report, report.options.top.unwrap_or(TREE_ROWS)) {
        draw(&section, &mut body);
    }
    let room = MOST_LETTERS.saturating_sub(body.len() + FOOT_LETTERS);
    let carried = carried::carried(whole, report.options.carry, room);
    let mut page = String::new();
    if carried.is_some() {
        let _ = writeln!(page, "{}", embedded::ANNOUNCEMENT);
    }
    page.push_str(&body);
    foot(report.options.carry, carried.as_ref(), &mut page);
    page + &report.options.remarks.as_ref().map(Remarks::markdown).unwrap_or_default()
}

/// Sections alone, without a profile behind them.
pub(crate) fn sections(sections: &[Section]) -> String {
    let mut page = String::new();
    sections.iter().for_each(|section| draw(section, &mut page));
    page.trim_start().to_owned()
}

/// What the page carries, in words, and the profile itself in a comment.
fn foot(carry: Carry, carried: Option<&Carried>, page: &mut String) {
    let Some(Carried { lines, left_out }) = carried else {
        if carry != Carry::Nothing {
            page.push_str("\n---\n\nThere is no room for the profile in this file: `--carry whole` carries it all the same.\n");
        }
        return;
    };
    page.push_str(
        "\n---\n\nThis file carries its profile out of sight: give it to `calor` like a profile. For instance, \
         `calor flame FILE -o flame.html` draws the flame graph, and `calor report FILE -o report.html` writes a page for \
         the browser.\n",
    );
    if !left_out.is_empty() {
        let _ = write!(
            page,
            "\nSo that the file fits a comment on a forge, the profile in it leaves out {}. `--carry whole` carries all, \
             `--carry none` nothing.\n",
            left_out.join(", ")
        );
    }
    let _ = write!(page, "\n<!--\n{lines}-->\n");
}

pub(crate) fn draw(section: &Section, page: &mut String) {
    let _ = write!(page, "\n## {}\n\n", escaped(&section.title));
    if let Some(intro) = &section.intro {
        let _ = write!(page, "{}\n\n", with_code(intro));
    }
    match &section.body {
        Body::Facts(facts) => {
            page.push_str("| | |\n|:--|:--|\n");
            for (name, value) in facts {
                let _ = writeln!(page, "| {} | {} |", escaped(name), escaped(value));
            }
        }
        Body::Lines(lines) | Body::Findings(Told { lines, .. }) => {
            for line in lines {
                let _ = writeln!(page, "- {}", with_code(line));
            }
        }
        Body::Table(table) => {
            // Behind a fold with a row or two nothing is gained.
            let n_open = if table.rows.len() > OPEN_ROWS + 3 { OPEN_ROWS } else { table.rows.len() };
            let telling = table.telling_callers();
            let rows: Vec<(&Row, &Vec<bool>)> = table.rows.iter().zip(&telling).collect();
            let (open, folded) = rows.split_at(n_open);
            draw_table(table, open, page);
            if !folded.is_empty() {
                fold(&format!("{} more", folded.len()), page, |page| draw_table(table, folded, page));
            }
        }
        Body::Chart(chart) => {
            let _ = write!(page, "```text\n{}```\n", plain_chart(chart, TREE_COLUMNS));
        }
        Body::Waterfall(waterfall) => {
            let text = plain_waterfall(waterfall, TREE_COLUMNS);
            let fence = fence(&text);
            let _ = write!(page, "{fence}text\n{text}{fence}\n");
        }
        Body::Tree(tree) => {
            let text = plain_tree(tree, TREE_COLUMNS);
            let fence = fence(&text);
            let block = |page: &mut String| {
                let _ = write!(page, "{fence}text\n{text}{fence}\n");
            };
            match tree.rows.len() {
                0..=OPEN_LINES => block(page),
                n => fold(&counted(n as u64, "path"), page, block),
            }
        }
    }
}

/// A part that is shown when it is asked for.
pub(crate) fn fold(summary: &str, page: &mut String, content: impl FnOnce(&mut String)) {
    let _ = write!(page, "\n<details>\n<summary>{summary}</summary>\n\n");
    content(page);
    page.push_str("\n</details>\n");
}

fn draw_table(table: &Table, rows: &[(&Row, &Vec<bool>)], page: &mut String) {
    let titles: Vec<String> = table.columns.iter().map(|column| escaped(column.title)).collect();
    let _ = writeln!(page, "| {} | {} |", table.subject, titles.join(" | "));
    let sides = table.columns.iter().map(|column| if column.is_words { ":--|" } else { "--:|" });
    let _ = writeln!(page, "|:--|{}", sides.collect::<String>());
    for (row, telling) in rows {
        let cells: Vec<String> = row.cells.iter().map(|cell| escaped(&cell.text)).collect();
        let kept = row.name.place_within(NAME_COLUMNS / 2).filter(|_| row.name.keeps_line);
        let name_columns = NAME_COLUMNS - kept.as_deref().map_or(0, |place| width(place) + 3);
        let name = path_within(&row.name, telling, name_columns);
        // A long path has its functions' names to tell where it is.
        let beside = || row.name.place().filter(|place| width(&name) + width(place) < NAME_COLUMNS);
        let place = kept.or_else(|| beside().map(str::to_owned));
        let place = place.map(|place| format!(" ({})", escaped(&place))).unwrap_or_default();
        let mark = row.mark.map(|mark| format!(" ← {}", escaped(mark))).unwrap_or_default();
        let _ = writeln!(page, "| {}{place}{mark} | {} |", escaped(&name), cells.join(" | "));
    }
}

/// Code between fences.
pub(crate) fn fenced(code: &str) -> String {
    let lines: Vec<_> = code.lines().map(printable).collect();
    let (code, fence) = (lines.join("\n"), fence(code));
    format!("{fence}\n{code}\n{fence}\n")
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
pub(crate) fn escaped(text: &str) -> String {
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

/// The same for text in which names stand between backticks. Only plain names stay there: nothing could be escaped.
pub(crate) fn with_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    // An odd backtick opens nothing.
    if parts.len().is_multiple_of(2) {
        return escaped(text);
    }
    // Commands have spaces between their words; at the ends of code, Markdown would take them away.
    let is_plain = |part: &str| {
        part.trim() == part
            && part.chars().all(|letter| letter.is_alphanumeric() || "_:.-=/, ".contains(letter))
    };
    let part = |(index, part): (usize, &&str)| match index % 2 {
        0 => escaped(part),
        _ if !part.is_empty() && is_plain(part) => format!("`{part}`"),
        _ => format!("<code>{}</code>", escaped(part)),
    };
    parts.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_be_markup() {
        assert_eq!(escaped("Vec<u8>|a_b*\n"), "Vec&lt;u8&gt;\\|a\\_b\\*\u{fffd}");
    }

    #[test]
    fn plain_names_are_code_and_others_cannot_leave_it() {
        assert_eq!(with_code("`layer_norm` waits_"), "`layer_norm` waits\\_");
        assert_eq!(with_code("see `calor machine`"), "see `calor machine`");
        assert_eq!(with_code("`Vec<u8>` waits"), "<code>Vec&lt;u8&gt;</code> waits");
        assert!(!with_code("```<img>` waits").contains("<img"));
        assert_eq!(with_code("a ` b"), "a ` b");
    }

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(fence("a ```` b"), "`````");
        assert_eq!(fence("plain"), "```");
    }
}
