//! A history for a comment or a wiki: a table of changes, and a line that shows each trend.

use std::fmt::Write;

use calor_analysis::history::{History, HistorySeries};

use super::words;
use crate::markdown::escaped;

/// Letters of a trend.
const COLUMNS: usize = 40;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub(super) fn page(history: &History) -> String {
    let mut page = format!("## History\n\n{}\n", escaped(&words::subject(history)));
    page += "\n| scope | trend | now |\n|---|---|---|\n";
    for series in &history.series {
        let title = escaped(&words::title(series));
        let now = escaped(&words::standing(history, series));
        let _ = writeln!(page, "| {title} | `{}` | {now} |", trend(series));
    }
    for series in history.series.iter().filter(|series| !series.changes.is_empty()) {
        let _ = writeln!(page, "\n**{}**\n", escaped(&words::title(series)));
        for (number, change) in series.changes.iter().enumerate() {
            let _ = writeln!(page, "{}. {}", number + 1, escaped(&words::change(history, change)));
        }
    }
    if let Some(rest) = words::rest(history) {
        let _ = writeln!(page, "\n{}", escaped(&rest));
    }
    if let Some(confirmation) = &history.confirmation {
        let _ =
            writeln!(page, "\n**{}** {}", escaped(&confirmation.conclusion), escaped(&confirmation.sentence));
    }
    for warning in &history.warnings {
        let _ = writeln!(page, "\n> warning: {}", escaped(&warning.message));
    }
    page
}

/// The medians of as many parts as there are letters, as bars; blanks where nothing was measured.
fn trend(series: &HistorySeries) -> String {
    let n = series.values.len();
    let n_columns = n.clamp(1, COLUMNS);
    let medians: Vec<Option<f64>> = (0..n_columns)
        .map(|column| {
            let part = &series.values[column * n / n_columns..(column + 1) * n / n_columns];
            let mut known: Vec<f64> = part.iter().copied().flatten().collect();
            known.sort_unstable_by(f64::total_cmp);
            known.get(known.len() / 2).copied()
        })
        .collect();
    let known = || medians.iter().copied().flatten();
    let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(0.0, f64::max));
    let bar = |value: f64| {
        let share = if high > low { (value - low) / (high - low) } else { 0.0 };
        BARS[((share * 8.0) as usize).min(7)]
    };
    medians.iter().map(|value| value.map_or(' ', bar)).collect()
}
