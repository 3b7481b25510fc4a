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
    for chart in &bench.charts {
        let _ = writeln!(page, "\n{}", palette.heading(&printable(&chart.title)));
        letters::draw(chart, columns, palette, &mut page);
        note(chart.note.as_deref(), columns, palette, &mut page);
    }
    if !bench.advice.is_empty() {
        let _ = writeln!(page, "\n{}", palette.heading("Advice"));
    }
    for advice in &bench.advice {
        item(&format!("{} {}", advice.title, advice.text), "  - ", columns, &mut page);
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
    let widths = widths(table, columns);
    let heads: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
    let line = |row: &[String]| {
        let cells = table
            .columns
            .iter()
            .zip(&widths)
            .zip(row)
            .map(|((column, room), cell)| laid(column, *room, cell));
        format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_owned()
    };
    let _ = writeln!(page, "{}", palette.quiet(&line(&heads)));
    for row in &table.rows {
        let _ = writeln!(page, "{}", line(row));
    }
}

fn laid(column: &Column, room: usize, cell: &str) -> String {
    let cell = cut_back(&printable(cell), room);
    let blank = " ".repeat(room.saturating_sub(width(&cell)));
    if column.is_number { format!("{blank}{cell}") } else { format!("{cell}{blank}") }
}

/// The width of each column. Where room is short the widest column of words gives way; numbers are never cut.
fn widths(table: &Table, columns: usize) -> Vec<usize> {
    let cells =
        |at: usize| table.rows.iter().filter_map(move |row| row.get(at)).map(|cell| width(&printable(cell)));
    let mut widths: Vec<usize> = table
        .columns
        .iter()
        .enumerate()
        .map(|(at, column)| cells(at).chain([width(&column.name)]).max().unwrap_or(0))
        .collect();
    loop {
        let taken: usize = widths.iter().map(|room| room + 2).sum();
        let words = (0..widths.len()).filter(|at| !table.columns[*at].is_number && widths[*at] > LEAST_WORDS);
        match words.max_by_key(|at| widths[*at]) {
            Some(widest) if taken > columns => widths[widest] -= 1,
            _ => return widths,
        }
    }
}
