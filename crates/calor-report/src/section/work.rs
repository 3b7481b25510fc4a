//! What scopes said they worked on, and how fast: one row a path for operations, bytes and elements; backends and
//! counters of their own, which differ from scope to scope, are a list.

use calor_analysis::quantity::{amount, giga, rate, signed_count};
use calor_analysis::{Measure, NodeId, WorkRate};

use super::path_name;
use crate::document::{Body, Cell, Column, Row, Section, Table};
use crate::report::Report;

pub(crate) fn sections(report: &Report<'_>) -> impl Iterator<Item = Section> {
    work(report).into_iter().chain(counters(report))
}

/// Which of the measures every scope may tell are told by any.
struct Told {
    has_flops: bool,
    has_bytes: bool,
    has_elements: bool,
}

fn work(report: &Report<'_>) -> Option<Section> {
    let has = |measure| report.answer.work.iter().any(|entry| entry.measure == measure);
    let told = Told {
        has_flops: has(Measure::Flops),
        has_bytes: has(Measure::Bytes),
        has_elements: has(Measure::Elements),
    };
    let mut columns = Vec::new();
    if told.has_flops {
        columns.push(Column::new("GFLOP", 0, "thousand million floating-point operations"));
        columns.push(Column::new(
            "GFLOP/s",
            0,
            "the same in a second of the scope's time, children included",
        ));
    }
    if told.has_bytes {
        columns.push(Column::new("GB", 0, "thousand million bytes read and written"));
        columns.push(Column::new("GB/s", 0, "the same in a second of the scope's time, children included"));
    }
    if told.has_flops && told.has_bytes {
        columns.push(Column::new("FLOP/B", 1, "floating-point operations for each byte read or written"));
    }
    if told.has_elements {
        columns.push(Column::new("elements", 1, "elements processed"));
        columns.push(Column::new(
            "elements/s",
            2,
            "the same in a second of the scope's time, children included",
        ));
    }
    let is_shown = |entry: &&WorkRate| !matches!(entry.measure, Measure::Backend(_) | Measure::Counter(_));
    let shown: Vec<WorkRate> = report.answer.work.iter().filter(is_shown).copied().collect();
    let rows: Vec<Row> =
        shown.chunk_by(|a, b| a.node == b.node).map(|counts| work_row(report, counts, &told)).collect();
    let intro = "As the scopes told, the longest first; rates are of their time with children.";
    let table = Table { subject: "scope", columns, rows };
    (!table.rows.is_empty()).then(|| Section::new("work", "Work", Body::Table(table)).with_intro(intro))
}

fn work_row(report: &Report<'_>, counts: &[WorkRate], told: &Told) -> Row {
    let of = |measure| counts.iter().find(|entry| entry.measure == measure);
    let [flops, bytes, elements] = [Measure::Flops, Measure::Bytes, Measure::Elements].map(of);
    let total = |entry: Option<&WorkRate>| entry.map(|entry| entry.total as f64);
    let per_second = |entry: Option<&WorkRate>, text: fn(f64) -> String| {
        Cell::of(entry.and_then(|entry| entry.per_second), text, |value| value)
            .estimated(entry.is_some_and(|entry| entry.is_estimated))
    };
    let mut cells = Vec::new();
    if told.has_flops {
        cells.push(Cell::of(total(flops), giga, |value| value));
        cells.push(per_second(flops, giga));
    }
    if told.has_bytes {
        cells.push(Cell::of(total(bytes), giga, |value| value));
        cells.push(per_second(bytes, giga));
    }
    if told.has_flops && told.has_bytes {
        let intensity = total(flops).zip(total(bytes)).map(|(flops, bytes)| flops / bytes);
        cells.push(Cell::of(intensity, |value| format!("{value:.2}"), |value| value));
    }
    if told.has_elements {
        let count = elements.map(|entry| entry.total);
        cells.push(Cell::of(count, signed_count, |value| value as f64));
        cells.push(per_second(elements, rate));
    }
    Row::new(name(report, counts[0].node), cells)
}

fn counters(report: &Report<'_>) -> Option<Section> {
    let columns = vec![
        Column::new("what", 0, "calls that a backend served, or a counter of the scope's own"),
        Column::new("total", 0, "how much in all"),
        Column::new("per call", 1, "how much in a call"),
        Column::new("per second", 0, "how much in a second of the scope's time, children included"),
    ];
    // What served operations on arrays stands in their own table.
    let rows: Vec<Row> =
        report.answer.own_counters().filter_map(|entry| counter_row(report, entry)).collect();
    let table = Table { subject: "scope", columns, rows };
    (!table.rows.is_empty()).then(|| Section::new("counters", "Counters", Body::Table(table)))
}

fn counter_row(report: &Report<'_>, entry: &WorkRate) -> Option<Row> {
    let text = |name| report.answer.profile.strings.get(name);
    let what = match entry.measure {
        Measure::Backend(backend) => format!("calls on {}", text(backend)),
        Measure::Counter(counter) => text(counter).to_owned(),
        _ => return None,
    };
    let cells = vec![
        Cell::words(what),
        Cell::new(signed_count(entry.total), entry.total as f64),
        Cell::of(entry.per_call, amount, |value| value),
        Cell::of(entry.per_second, rate, |value| value).estimated(entry.is_estimated),
    ];
    Some(Row::new(name(report, entry.node), cells))
}

fn name(report: &Report<'_>, node: NodeId) -> crate::document::Name {
    path_name(report.answer.profile, report.answer.tree.node(node).stack)
}
