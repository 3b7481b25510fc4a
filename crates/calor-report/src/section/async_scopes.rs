//! Async scopes: how long futures lived, and how little of it they were busy.

use calor_analysis::HotPath;

use super::path_name;
use crate::document::{Body, Cell, Column, Row, Section, Table};
use crate::report::Report;

pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    if report.answer.futures.is_empty() {
        return None;
    }
    let columns = vec![
        Column::new("calls", 0, "futures that completed"),
        Column::new("wall p50", 0, "half of the futures completed within"),
        Column::new("wall p95", 0, "95 of 100 futures completed within"),
        Column::new("wall", 2, "wall time of all futures together"),
        Column::new("busy", 0, "time spent in polls"),
        Column::new("% busy", 1, "time in polls as a share of wall time"),
        Column::new("polls", 0, "how often the futures were polled"),
        Column::new("cancelled", 3, "futures dropped before they completed"),
    ];
    let rows = report.answer.futures.iter().map(|entry| row(report, entry)).collect();
    let intro =
        "Wall time runs from the first poll of a future to its completion; busy time is what its polls took.";
    let table = Table { subject: "async scope", columns, rows };
    Some(Section::new("async", "Async scopes", Body::Table(table)).with_intro(intro))
}

fn row(report: &Report<'_>, entry: &HotPath) -> Row {
    let future = entry.stats.future.as_deref();
    let wall = future.map(|future| &future.wall);
    let wall_nanos = wall.map(|wall| wall.total_nanos).filter(|nanos| *nanos > 0);
    let cells = vec![
        Cell::count(wall.map(|wall| wall.count)),
        Cell::duration(wall.and_then(|wall| wall.quantile_nanos(0.5))),
        Cell::duration(wall.and_then(|wall| wall.quantile_nanos(0.95))),
        Cell::duration(wall_nanos.map(|nanos| nanos as f64)),
        Cell::duration(Some(entry.total_nanos as f64)).estimated(entry.is_estimated),
        Cell::share(wall_nanos.map(|nanos| entry.total_nanos as f64 / nanos as f64)),
        Cell::count(entry.calls),
        Cell::count(future.map(|future| future.cancelled)),
    ];
    Row::new(path_name(report.answer.profile, report.answer.tree.node(entry.nodes[0]).stack), cells)
}
