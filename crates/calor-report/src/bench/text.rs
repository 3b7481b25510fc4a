//! A run for people in a terminal: facts, tables, small charts, and last, where it is read first, what to do.

use std::fmt::Write;

use super::{Bench, BenchOptions, grid, letters};
use crate::text::palette::Palette;
use crate::text::printable::{printable, width};
use crate::wrap::wrapped;

/// Narrower than this, nothing can be laid out.
const NARROWEST: usize = 40;
/// More charts than this are no longer looked at between tables; the page in HTML has all of them.
const MOST_CHARTS: usize = 4;

pub(super) fn page(bench: &Bench, options: &BenchOptions) -> String {
    let palette = Palette { is_coloured: options.color };
    let columns = options.width.max(NARROWEST);
    let mut page = format!("{}\n", palette.heading(&printable(&bench.title)));
    let names = bench.facts.iter().map(|fact| width(&fact.name)).max().unwrap_or(0);
    for fact in &bench.facts {
        let blank = " ".repeat(names - width(&fact.name));
        let name = palette.quiet(&printable(&fact.name));
        for (at, line) in
            wrapped(&printable(&fact.value), columns.saturating_sub(names + 4)).iter().enumerate()
        {
            let _ = match at {
                0 => writeln!(page, "  {name}{blank}  {line}"),
                _ => writeln!(page, "  {}  {line}", " ".repeat(names)),
            };
        }
    }
    for table in &bench.tables {
        let _ = writeln!(page, "\n{}", palette.heading(&printable(&table.title)));
        grid::draw(table, columns, palette, &mut page);
        note(table.note.as_deref(), columns, palette, &mut page);
    }
    for chart in bench.charts.iter().take(MOST_CHARTS) {
        let _ = writeln!(page, "\n{}", palette.heading(&printable(&chart.title)));
        letters::draw(chart, columns, palette, &mut page);
        note(chart.note.as_deref(), columns, palette, &mut page);
    }
    if let Some(more @ 1..) = bench.charts.len().checked_sub(MOST_CHARTS) {
        let charts = if more == 1 { "chart is" } else { "charts are" };
        let _ = writeln!(page, "\n{more} more {charts} on the page that `-o page.html` writes.");
    }
    if !bench.advice.is_empty() {
        let _ = writeln!(page, "\n{}", palette.heading("Advice"));
    }
    for advice in &bench.advice {
        item(&format!("{} {}", advice.sentence(), advice.text), "  - ", columns, &mut page);
        for line in &advice.evidence {
            item(line, "      ", columns, &mut page);
        }
    }
    if !bench.warnings.is_empty() {
        let _ = writeln!(page, "\n{}", palette.heading("What was not seen"));
    }
    for warning in &bench.warnings {
        item(&warning.message, "  - ", columns, &mut page);
    }
    page
}

fn note(note: Option<&str>, columns: usize, palette: Palette, page: &mut String) {
    let Some(note) = note else { return };
    for line in wrapped(&printable(note), columns - 2) {
        let _ = writeln!(page, "  {}", palette.quiet(&line));
    }
}

/// A sentence behind its mark; further lines are indented.
fn item(text: &str, mark: &str, columns: usize, page: &mut String) {
    let indent = " ".repeat(mark.len());
    for (at, line) in wrapped(&printable(text), columns - mark.len()).iter().enumerate() {
        let _ = writeln!(page, "{}{line}", if at == 0 { mark } else { &indent });
    }
}
