//! A run as Markdown for a forge. Charts are drawn in letters; the run's profile is carried out of sight where there is room.

use std::fmt::Write;

use calor_formats::embedded;

use super::{Bench, Carried, Table, letters};
use crate::markdown::{escaped, fold, with_code};
use crate::text::palette::Palette;

/// Columns that a block of text may take before a forge scrolls it.
const COLUMNS: usize = 110;
/// Rows that are read at once; the rest is folded.
const OPEN_ROWS: usize = 24;

pub(super) fn page(bench: &Bench) -> String {
    let mut page = format!("# {}\n", escaped(&bench.title));
    if !bench.facts.is_empty() {
        page.push_str("\n| | |\n|:--|:--|\n");
        for fact in &bench.facts {
            let _ = writeln!(page, "| {} | {} |", escaped(&fact.name), escaped(&fact.value));
        }
    }
    if !bench.warnings.is_empty() {
        page.push_str("\n## What was not seen\n\n");
        for warning in &bench.warnings {
            let _ = writeln!(page, "- {}", with_code(&warning.message));
        }
    }
    if !bench.advice.is_empty() {
        page.push_str("\n## Advice\n\n");
        for advice in &bench.advice {
            let _ = writeln!(page, "- **{}** {}", with_code(&advice.sentence()), with_code(&advice.text));
            for line in &advice.evidence {
                let _ = writeln!(page, "  - {}", with_code(line));
            }
        }
    }
    for table in &bench.tables {
        let _ = write!(page, "\n## {}\n\n", escaped(&table.title));
        let (open, folded) = table.rows.split_at(table.rows.len().min(OPEN_ROWS));
        draw_table(table, open, &mut page);
        if !folded.is_empty() {
            fold(&format!("{} more", folded.len()), &mut page, |page| draw_table(table, folded, page));
        }
        note(table.note.as_deref(), &mut page);
    }
    for chart in &bench.charts {
        let _ = write!(page, "\n## {}\n\n", escaped(&chart.title));
        let mut text = String::new();
        letters::draw(chart, COLUMNS, Palette { is_coloured: false }, &mut text);
        let _ = write!(page, "```text\n{}```\n", text.replace('`', "'"));
        note(chart.note.as_deref(), &mut page);
    }
    page
}

/// The page with the profile it carries.
pub(super) fn with_profile(page: &str, carried: &Carried) -> String {
    let left_out = match carried.left_out.is_empty() {
        true => String::new(),
        false => format!(" It leaves out {}.", carried.left_out.join(", ")),
    };
    format!(
        "{}\n{page}\n---\n\nThis file carries the profile of its run out of sight: give it to `calor` like a \
         profile.{left_out}\n\n<!--\n{}-->\n",
        embedded::ANNOUNCEMENT,
        carried.lines
    )
}

fn note(note: Option<&str>, page: &mut String) {
    if let Some(note) = note {
        let _ = write!(page, "\n{}\n", with_code(note));
    }
}

fn draw_table(table: &Table, rows: &[Vec<String>], page: &mut String) {
    let titles: Vec<String> = table.columns.iter().map(|column| escaped(&column.name)).collect();
    let sides = table.columns.iter().map(|column| if column.is_number { "--:|" } else { ":--|" });
    let _ = write!(page, "| {} |\n|{}\n", titles.join(" | "), sides.collect::<String>());
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    }
}
