//! A history for a terminal.

use calor_analysis::history::{History, HistorySeries};

use super::plot::Plot;
use super::{HistoryOptions, words};
use crate::text::palette::Palette;
use crate::text::printable::{printable, width};
use crate::wrap::wrapped;

/// Rows of the plot of what was asked for, and of each scope besides.
const ROWS: usize = 8;
const FEW_ROWS: usize = 4;
/// A plot that is wider is no clearer.
const MOST_COLUMNS: usize = 100;
const NARROWEST: usize = 40;
const INDENT: &str = "     ";

pub(super) fn page(history: &History, options: &HistoryOptions) -> String {
    let palette = Palette { is_coloured: options.color };
    let columns = options.width.max(NARROWEST);
    let mut page = String::new();
    for line in wrapped(&printable(&words::subject(history)), columns) {
        page += &format!("{}\n", palette.heading(&line));
    }
    for (at, series) in history.series.iter().enumerate() {
        page.push('\n');
        draw(history, series, if at == 0 { ROWS } else { FEW_ROWS }, columns, palette, &mut page);
    }
    if let Some(rest) = words::rest(history) {
        page += &format!("\n{}\n", palette.quiet(&rest));
    }
    if let Some(confirmation) = &history.confirmation {
        page.push('\n');
        say(&confirmation.conclusion, "", columns, &mut page);
        say(&confirmation.sentence, "  ", columns, &mut page);
        for (name, side) in ["A", "B"].iter().zip(&confirmation.sides) {
            say(&format!("{name}  {side}"), "  ", columns, &mut page);
        }
    }
    if !history.warnings.is_empty() {
        page.push('\n');
    }
    for warning in &history.warnings {
        say(&format!("warning: {}", warning.message), "", columns, &mut page);
    }
    page
}

fn draw(
    history: &History,
    series: &HistorySeries,
    rows: usize,
    columns: usize,
    palette: Palette,
    page: &mut String,
) {
    let title = words::title(series);
    let standing = words::standing(history, series);
    *page += &format!("{}: {standing}\n", palette.strong(&printable(&title)));
    let levels = series.levels();
    let plot = |columns: usize| Plot {
        values: &series.values,
        levels: &levels,
        changes: series.changes.iter().map(|change| change.at).collect(),
        columns,
        rows,
    };
    let labels = plot(1).draw().range.map(|value| words::figure(history, value));
    let side = labels.iter().map(|label| width(label)).max().unwrap_or(0);
    let room = columns.saturating_sub(side + 3).clamp(10, MOST_COLUMNS);
    let drawn = plot(room).draw();
    for (at, line) in drawn.lines.iter().enumerate() {
        let label = match at {
            0 => labels[0].as_str(),
            at if at + 1 == rows => labels[1].as_str(),
            _ => "",
        };
        let blanks = " ".repeat(side - width(label));
        *page += &format!(" {blanks}{label} {}{}\n", palette.quiet("│"), line.trim_end());
    }
    let axis: String =
        drawn.marks.chars().map(|mark| if mark == ' ' { '─' } else { mark }).collect::<String>();
    *page += &format!(" {} {}{}\n", " ".repeat(side), palette.quiet("└"), palette.quiet(&axis));
    for (number, change) in series.changes.iter().enumerate() {
        let sentence = words::change(history, change);
        let lines = wrapped(&printable(&sentence), columns.saturating_sub(INDENT.len()));
        for (at, line) in lines.iter().enumerate() {
            let begin = if at == 0 { format!("  {}  ", number + 1) } else { INDENT.to_owned() };
            *page += &format!("{begin}{}\n", palette.tone(words::tone(change), line));
        }
    }
}

fn say(text: &str, indent: &str, columns: usize, page: &mut String) {
    for line in wrapped(&printable(text), columns.saturating_sub(indent.len())) {
        *page += &format!("{indent}{line}\n");
    }
}
