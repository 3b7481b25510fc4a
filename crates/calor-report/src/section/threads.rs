//! One line a thread, when there is more than one.

use calor_analysis::ThreadSummary;

use super::thread_name;
use crate::document::{Body, Cell, Column, Name, Row, Section, Table};
use crate::facts::Report;
use crate::quantity::count;

/// A pool may have hundreds of threads; the rest is counted.
const ROWS: usize = 16;

pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    let threads = &report.summary.threads;
    if threads.len() < 2 {
        return None;
    }
    let has_scopes = threads.iter().any(|thread| thread.scope_calls.is_some());
    let has_samples = threads.iter().any(|thread| thread.samples.is_some());
    let mut columns = Vec::new();
    if has_scopes {
        columns.push(Column::new("in scopes", 0, "time of the thread's outermost scopes"));
        columns.push(Column::new("calls", 0, "calls of scopes on this thread"));
    }
    if has_samples {
        columns.push(Column::new("CPU", 0, "CPU time by samples"));
        columns.push(Column::new("samples", 0, "samples taken of this thread"));
    }
    let rows = threads.iter().take(ROWS).map(|thread| row(report, thread, has_scopes, has_samples)).collect();
    let section = Section::new("threads", "Threads", Body::Table(Table { subject: "thread", columns, rows }));
    Some(match threads.len().saturating_sub(ROWS) {
        0 => section,
        1 => section.with_intro(format!("The first {ROWS} by time; 1 more is not shown.")),
        more => section
            .with_intro(format!("The first {ROWS} by time; {} more are not shown.", count(more as u64))),
    })
}

fn row(report: &Report<'_>, summary: &ThreadSummary, has_scopes: bool, has_samples: bool) -> Row {
    let name = thread_name(report.profile, summary.thread);
    let mut cells = Vec::new();
    if has_scopes {
        cells.push(Cell::duration(summary.recorded_nanos.map(|nanos| nanos as f64)));
        cells.push(Cell::count(summary.scope_calls));
    }
    if has_samples {
        cells.push(Cell::duration(summary.cpu_nanos.map(|nanos| nanos as f64)));
        cells.push(Cell::count(summary.samples));
    }
    Row::new(Name::plain(name), cells)
}
