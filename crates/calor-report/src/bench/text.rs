//! A run for people in a terminal.

use super::{Bench, BenchOptions, Table};
use crate::wrap::wrapped;

pub(super) fn page(bench: &Bench, options: &BenchOptions) -> String {
    let mut page = format!("{}\n", bench.title);
    for fact in &bench.facts {
        page += &format!("  {}: {}\n", fact.name, fact.value);
    }
    for table in &bench.tables {
        page += &format!("\n{}\n{}", table.title, drawn(table));
        for line in table.note.iter().flat_map(|note| wrapped(note, options.width)) {
            page += &format!("{line}\n");
        }
    }
    for advice in &bench.advice {
        page += &format!("\n{}\n", advice.title);
        for line in wrapped(&advice.text, options.width).into_iter().chain(advice.evidence.clone()) {
            page += &format!("  {line}\n");
        }
    }
    for warning in &bench.warnings {
        for line in wrapped(&format!("warning: {}", warning.message), options.width) {
            page += &format!("{line}\n");
        }
    }
    page
}

fn drawn(table: &Table) -> String {
    let cell = |row: &[String], at: usize| row.get(at).cloned().unwrap_or_default();
    let heads: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
    let rows: Vec<&[String]> =
        std::iter::once(&heads[..]).chain(table.rows.iter().map(Vec::as_slice)).collect();
    let widths: Vec<usize> = (0..heads.len())
        .map(|at| rows.iter().map(|row| cell(row, at).chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let cells = table.columns.iter().zip(&widths).enumerate().map(|(at, (column, &width))| {
            let cell = cell(row, at);
            if column.is_number { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        let line = format!("  {}", cells.collect::<Vec<_>>().join("  "));
        text += line.trim_end();
        text.push('\n');
    }
    text
}
