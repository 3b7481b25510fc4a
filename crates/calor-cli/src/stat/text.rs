//! The counters for people: aligned, with units, and what is not there in a line of its own.

use calor_analysis::quantity::{amount, bytes, count, counted, duration, percent};
use calor_model::Warning;
use calor_record::counters::Unit;
use calor_report::wrapped;

use super::derived;
use super::outcome::{Function, Outcome, Row, Simulation};
use crate::table::table;

/// Below this many, an event more or less shows.
const EXACT: f64 = 100_000.0;
/// Below this, a mean has digits behind the point.
const FEW: f64 = 100.0;
/// Counted for less than this of the time, a value is an estimate.
const WHOLE: f64 = 0.995;
/// Narrower text is harder to read than lines that the terminal breaks.
const NARROWEST: usize = 40;

/// The columns of repeated runs, and those of them that a narrow terminal does without.
const REPEATED: [&str; 7] = ["counter", "mean", "stddev", "95 % interval", "least", "most", ""];
const EXTREMES: std::ops::Range<usize> = 4..6;

pub(super) fn page(outcome: &Outcome, width: usize, is_coloured: bool) -> String {
    let paint = |code: &str, text: &str| match is_coloured {
        true => format!("\x1b[{code}m{text}\x1b[0m"),
        false => text.to_owned(),
    };
    let mut page = format!("{}\n\n", paint("1", &title(outcome)));
    let mut rows = cells(outcome);
    if table(&rows).iter().any(|line| line.chars().count() + 2 > width) {
        for row in rows.iter_mut().filter(|row| row.len() == REPEATED.len()) {
            row.drain(EXTREMES);
        }
    }
    let lines = table(&rows);
    for (at, line) in lines.iter().enumerate() {
        page += &format!("  {}\n", if at == 0 { paint("2", line) } else { line.clone() });
    }
    if let Some(simulation) = &outcome.simulation {
        page += &format!("\n  {}\n", cost(simulation));
        if !simulation.functions.is_empty() {
            page += &format!("\n{}\n\n", paint("1", "Functions by instructions, without what they call"));
            for (at, line) in table(&function_cells(&simulation.functions)).iter().enumerate() {
                page += &format!("  {}\n", if at == 0 { paint("2", line) } else { line.clone() });
            }
        }
    }
    let notes: Vec<String> = outcome.absences.iter().cloned().chain(notes(outcome)).collect();
    if !notes.is_empty() {
        page.push('\n');
    }
    for note in notes {
        for (at, line) in wrapped(&note, width.saturating_sub(4).max(NARROWEST)).iter().enumerate() {
            page += &format!("  {}{line}\n", if at == 0 { "" } else { "  " });
        }
    }
    page
}

fn title(outcome: &Outcome) -> String {
    let warmup = match outcome.warmup {
        0 => String::new(),
        warmup => format!(" after {} to warm up", warmup),
    };
    let of = if outcome.simulation.is_some() { "Simulated counters" } else { "Counters" };
    format!("{of} of `{}`: {}{warmup}", outcome.command, counted(outcome.runs as u64, "run"))
}

/// The table, its head first. Columns that say nothing are not there.
fn cells(outcome: &Outcome) -> Vec<Vec<String>> {
    let is_repeated = outcome.rows.iter().flat_map(|row| &row.spread).any(|spread| spread.n > 1);
    let value = if outcome.simulation.is_some() { "simulated" } else { "value" };
    let head: &[&str] = match is_repeated {
        true => &REPEATED,
        false => &["counter", value, ""],
    };
    let mut rows = vec![head.iter().map(|title| (*title).to_owned()).collect::<Vec<_>>()];
    for row in outcome.rows.iter() {
        let Some(spread) = &row.spread else { continue };
        let shown = |value: f64| shown(value, row.unit);
        let mut cells = vec![row.name.clone(), shown(spread.mean)];
        if is_repeated {
            cells.push(spread.relative().map_or_else(String::new, |share| format!("± {}", percent(share))));
            let interval = spread.interval().map(|(low, high)| format!("{} to {}", shown(low), shown(high)));
            cells.push(interval.unwrap_or_default());
            cells.extend([shown(spread.min), shown(spread.max)]);
        }
        cells.push(beside(outcome, row));
        rows.push(cells);
    }
    rows
}

/// What follows from a value, and how much of it was seen.
fn beside(outcome: &Outcome, row: &Row) -> String {
    let derived = derived::beside(outcome, &row.name);
    let scaled = (row.counted_share < WHOLE)
        .then(|| format!("counted {} of the time, scaled", percent(row.counted_share)));
    derived.into_iter().chain(scaled).collect::<Vec<_>>().join("; ")
}

fn shown(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Nanos => duration(value),
        Unit::Bytes => bytes(value.round().max(0.0) as u64),
        _ if value >= EXACT => amount(value),
        _ if value < FEW && value.fract() != 0.0 => format!("{value:.1}"),
        _ => count(value.round().max(0.0) as u64),
    }
}

fn cost(simulation: &Simulation) -> String {
    let nanos = |time: std::time::Duration| duration(time.as_nanos() as f64);
    match &simulation.cost {
        Some(cost) => format!(
            "simulated by {}: {} instead of {}, {:.1} times as long",
            simulation.tool,
            nanos(cost.simulated),
            nanos(cost.plain),
            cost.slowdown()
        ),
        None => format!("simulated by {}", simulation.tool),
    }
}

fn function_cells(functions: &[Function]) -> Vec<Vec<String>> {
    const COLUMNS: [(&str, &str); 4] = [
        ("instructions", "instructions"),
        ("L1-dcache-load-misses", "L1d load misses"),
        ("cache-misses", "cache misses"),
        ("branch-misses", "branch misses"),
    ];
    let mut head = vec!["function".to_owned(), "share".to_owned()];
    head.extend(COLUMNS.map(|(_, title)| title.to_owned()));
    head.push("file".to_owned());
    let row = |function: &Function| {
        let of = |name: &str| {
            let found = function.counters.iter().find(|(known, _)| *known == name);
            found.map_or_else(String::new, |(_, value)| shown(*value as f64, Unit::Count))
        };
        let mut cells = vec![function.name.clone().unwrap_or_else(|| "(without a name)".to_owned())];
        cells.push(percent(function.share));
        cells.extend(COLUMNS.map(|(name, _)| of(name)));
        let file = function.file.as_deref().and_then(|file| file.rsplit('/').next());
        cells.push(file.unwrap_or_default().to_owned());
        cells
    };
    std::iter::once(head).chain(functions.iter().map(row)).collect()
}

/// What else a reader has to know; reasons for missing values have their lines already.
fn notes(outcome: &Outcome) -> Vec<String> {
    let is_told =
        |warning: &&Warning| warning.code == "one_run" || outcome.absences.contains(&warning.message);
    let mut notes: Vec<String> = Vec::new();
    for warning in outcome.warnings.iter().filter(|warning| !is_told(warning)) {
        // A sentence that has its number in it needs no second one.
        let count = warning.count.filter(|_| warning.code != "runs_failed");
        let times = count.map_or_else(String::new, |count| format!(" ({count})"));
        notes.push(format!("{}{times}", warning.message));
    }
    for simulation in outcome.simulation.iter() {
        let caches: Vec<String> = simulation.caches.iter().map(|line| squeezed(line)).collect();
        notes.push(format!("modelled: {}", caches.join("; ")));
    }
    notes
}

/// The same words with one space between them.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_unit_that_fits_and_small_counts_are_exact() {
        for (value, unit, expected) in [
            (12_345_678.0, Unit::Nanos, "12.3 ms"),
            (1_500_000.0, Unit::Bytes, "1.43 MiB"),
            (99_999.0, Unit::Count, "99,999"),
            (40_123_531.0, Unit::Count, "40.1 M"),
            (2.5, Unit::Count, "2.5"),
            (2.0, Unit::Count, "2"),
            (1234.5, Unit::Count, "1,235"),
            (0.0, Unit::Count, "0"),
        ] {
            assert_eq!(shown(value, unit), expected);
        }
    }
}
