//! Where the events of each counter happened.

use calor_analysis::quantity::{amount, count, counted};
use calor_analysis::{EventCounter, EventPath};

use super::path_name;
use crate::document::{Body, Cell, Column, Row, Section, Table};
use crate::report::Report;

/// Paths that are listed of each counter, unless the options say otherwise.
const PATHS: usize = 5;
/// From here on a number is told by three digits and a unit.
const LARGE: u64 = 1_000_000;

/// `None` when nothing was counted.
pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    if report.answer.counters.is_empty() {
        return None;
    }
    let columns = vec![
        Column::words("counter", 0, "what was counted"),
        Column::new("events", 0, "events in the function itself, estimated from samples"),
        Column::new("% of events", 0, "that as a share of all events of the counter").shortened("%"),
        Column::new("samples", 1, "samples that the estimate rests on"),
    ];
    let row = |counter: &EventCounter, path: &EventPath| {
        let cells = vec![
            Cell::words(report.answer.profile.strings.get(counter.name)),
            Cell::new(shown(path.own.events), path.own.events as f64),
            Cell::share(Some(path.share)),
            Cell::count(Some(path.own.samples)),
        ];
        Row::new(path_name(report.answer.profile, path.stack), cells)
    };
    let n_paths = report.options.top.unwrap_or(PATHS);
    let rows = report.answer.counters.iter().flat_map(|counter| {
        let paths = counter.paths.iter().filter(|path| path.own.events > 0).take(n_paths);
        paths.map(|path| row(counter, path))
    });
    let table = Table { subject: "happened in", columns, rows: rows.collect() };
    let whole = report.answer.counters.iter().map(|counter| {
        let name = report.answer.profile.strings.get(counter.name);
        format!("{} {name} ({})", shown(counter.whole.events), counted(counter.whole.samples, "sample"))
    });
    let whole: Vec<String> = whole.collect();
    let intro = format!(
        "In all {}. Sums are what the kernel counted; where the events were is known from samples, each of which stands \
         for those since the one before.",
        whole.join(", ")
    );
    Some(Section::new("counters", "Counters", Body::Table(table)).with_intro(intro))
}

fn shown(events: u64) -> String {
    if events < LARGE { count(events) } else { amount(events as f64) }
}
