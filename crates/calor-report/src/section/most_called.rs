//! What is called most often, and by whom.

use calor_analysis::HotPath;

use super::leaf_name;
use crate::document::{Body, Cell, Column, Row, Section, Table};
use crate::facts::Report;
use crate::quantity::percent;

/// More rows than this say little: the list falls off quickly.
const ROWS: usize = 10;

pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    if report.most_called.is_empty() {
        return None;
    }
    let columns = vec![
        Column::new("calls", 0, "how often it was entered, all paths together"),
        Column::new("self/call", 1, "self time of a call"),
        Column::new("self", 0, "self time of all calls"),
        Column::new("% of run", 0, "self time as a share of the recorded time"),
        Column::new("paths", 3, "call paths that end in it"),
        Column::new("mostly called by", 2, "the most frequent caller and its share of the calls"),
    ];
    let rows = report.options.top.unwrap_or(ROWS);
    let rows = report.most_called.iter().take(rows).map(|entry| row(report, entry)).collect();
    Some(Section::new(
        "most-called",
        "Most called",
        Body::Table(Table { subject: "function", columns, rows }),
    ))
}

fn row(report: &Report<'_>, entry: &HotPath) -> Row {
    let calls = entry.calls.unwrap_or(0);
    let per_call = (calls > 0).then(|| entry.self_nanos as f64 / calls as f64);
    let cells = vec![
        Cell::count(entry.calls),
        Cell::duration(per_call).estimated(entry.is_self_estimated),
        Cell::duration(Some(entry.self_nanos as f64)).estimated(entry.is_self_estimated),
        Cell::share(entry.share),
        Cell::count(Some(entry.nodes.len() as u64)),
        main_caller(report, entry, calls),
    ];
    Row::new(leaf_name(report.profile, report.tree.node(entry.nodes[0]).stack), cells)
}

fn main_caller(report: &Report<'_>, entry: &HotPath, calls: u64) -> Cell {
    let (profile, name) = (report.profile, report.tree.frame(entry.nodes[0]).name);
    // Edges are sorted by calls, so the first that ends here is the most frequent.
    let edge = report.edges.iter().find(|edge| profile.frames.get(edge.callee).name == name);
    let Some(edge) = edge.filter(|_| calls > 0) else { return Cell::count(None) };
    let share = (edge.calls as f64 / calls as f64).min(1.0);
    let caller =
        edge.caller.map_or("(outermost)", |caller| profile.strings.get(profile.frames.get(caller).name));
    Cell::new(format!("{caller}, {}", percent(share)), share)
}
