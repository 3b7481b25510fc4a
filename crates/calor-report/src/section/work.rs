//! What scopes said they worked on, and how fast: elements, backends, counters of their own.

use calor_analysis::{Measure, WorkRate};

use super::path_name;
use crate::document::{Body, Cell, Column, Row, Section, Table};
use crate::facts::Report;
use crate::quantity::{amount, rate, signed_count};

pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    if report.work.is_empty() {
        return None;
    }
    let columns = vec![
        Column::new(
            "what",
            0,
            "what the scope counted: elements, calls of a backend or a counter of its own",
        ),
        Column::new("total", 0, "how much in all"),
        Column::new("per call", 1, "how much in a call"),
        Column::new("per second", 0, "how much in a second of the scope's time, children included"),
    ];
    let rows = report.work.iter().map(|entry| row(report, entry)).collect();
    Some(Section::new("work", "Work", Body::Table(Table { subject: "scope", columns, rows })))
}

fn row(report: &Report<'_>, entry: &WorkRate) -> Row {
    let name = |name| report.profile.strings.get(name);
    let what = match entry.measure {
        Measure::Elements => "elements".to_owned(),
        Measure::Backend(backend) => format!("calls on {}", name(backend)),
        Measure::Counter(counter) => name(counter).to_owned(),
    };
    let cells = vec![
        Cell::words(what),
        Cell::new(signed_count(entry.total), entry.total as f64),
        Cell::of(entry.per_call, amount, |value| value),
        Cell::of(entry.per_second, rate, |value| value).estimated(entry.is_estimated),
    ];
    Row::new(path_name(report.profile, report.tree.node(entry.node).stack), cells)
}
