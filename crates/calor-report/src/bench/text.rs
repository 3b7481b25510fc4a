//! A run for people in a terminal: facts, tables, small charts, and last, where it is read first, what to do.

use std::fmt::Write;

use super::{Bench, BenchOptions, Column, Table, letters};
use crate::text::palette::Palette;
use crate::text::printable::{cut_back, printable, width};
use crate::wrap::wrapped;

/// Narrower than this, nothing can be laid out.
const NARROWEST: usize = 40;
/// A column of words may be cut to this.
const LEAST_WORDS: usize = 10;
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
        draw_table(table, columns, palette, &mut page);
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
        let stop = if advice.title.ends_with(['.', '!', '?', ':']) { "" } else { "." };
        item(&format!("{}{stop} {}", advice.title, advice.text), "  - ", columns, &mut page);
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

fn draw_table(table: &Table, columns: usize, palette: Palette, page: &mut String) {
    let (heads, widths) = heads(table, columns);
    let line = |row: &[String]| {
        let cells = table
            .columns
            .iter()
            .zip(&widths)
            .zip(row)
            .map(|((column, room), cell)| laid(column, *room, cell));
        format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_owned()
    };
    for row in &heads {
        let _ = writeln!(page, "{}", palette.quiet(&line(row)));
    }
    for row in &table.rows {
        let _ = writeln!(page, "{}", line(row));
    }
}

fn laid(column: &Column, room: usize, cell: &str) -> String {
    let cell = cut_back(&printable(cell), room);
    let blank = " ".repeat(room.saturating_sub(width(&cell)));
    if column.is_number { format!("{blank}{cell}") } else { format!("{cell}{blank}") }
}

/// The head, in one line or, where that is too wide, in two; and the width of each column.
fn heads(table: &Table, columns: usize) -> (Vec<Vec<String>>, Vec<usize>) {
    let names: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
    let wide = widths(table, std::slice::from_ref(&names), usize::MAX);
    if taken(&wide) <= columns {
        return (vec![names], wide);
    }
    let (above, below): (Vec<String>, Vec<String>) = names.iter().map(|name| in_two(name)).unzip();
    let heads = if above.iter().all(String::is_empty) { vec![below] } else { vec![above, below] };
    let widths = widths(table, &heads, columns);
    (heads, widths)
}

/// A name where it is broken with the least width; one word is below.
fn in_two(name: &str) -> (String, String) {
    let parts = name.match_indices(' ').map(|(at, _)| (&name[..at], &name[at + 1..]));
    match parts.min_by_key(|(above, below)| width(above).max(width(below))) {
        Some((above, below)) => (above.to_owned(), below.to_owned()),
        None => (String::new(), name.to_owned()),
    }
}

fn taken(widths: &[usize]) -> usize {
    widths.iter().map(|room| room + 2).sum()
}

/// The width of each column. Where room is short the widest column of words gives way; numbers are never cut.
fn widths(table: &Table, heads: &[Vec<String>], columns: usize) -> Vec<usize> {
    let cells = |at: usize| {
        heads.iter().chain(&table.rows).filter_map(move |row| row.get(at)).map(|cell| width(&printable(cell)))
    };
    let mut widths: Vec<usize> = (0..table.columns.len()).map(|at| cells(at).max().unwrap_or(0)).collect();
    loop {
        let taken = taken(&widths);
        let words = (0..widths.len()).filter(|at| !table.columns[*at].is_number && widths[*at] > LEAST_WORDS);
        match words.max_by_key(|at| widths[*at]) {
            Some(widest) if taken > columns => widths[widest] -= 1,
            _ => return widths,
        }
    }
}
