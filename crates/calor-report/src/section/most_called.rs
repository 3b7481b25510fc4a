//! What is called most often, and by whom.

use calor_analysis::Function;
use calor_analysis::quantity::percent;

use super::leaf_name;
use crate::carried;
use crate::document::{Body, Cell, Column, Row, Section, Table};
use crate::report::Report;

/// More rows than this say little: the list falls off quickly.
const ROWS: usize = 10;

pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    if report.answer.most_called.is_empty() {
        return None;
    }
    let columns = vec![
        Column::new("calls", 0, "how often it was entered, all paths together"),
        Column::new("self/call", 1, "self time of a call"),
        Column::new("self", 0, "self time of all calls"),
        Column::new("% of run", 0, "self time as a share of the recorded time").shortened("% run"),
        Column::new("paths", 3, "call paths that end in it"),
        Column::new("mostly called by", 2, "the most frequent caller and its share of the calls"),
    ];
    let rows = report.options.top.unwrap_or(ROWS);
    let rows = report.answer.most_called.iter().take(rows).map(|function| row(report, function)).collect();
    let table = Body::Table(Table { subject: "function", columns, rows });
    let section = Section::new("most-called", "Most called", table);
    Some(match carried::caution(report.answer.profile) {
        Some(_) => section.with_intro(super::REDUCED),
        None => section,
    })
}

fn row(report: &Report<'_>, function: &Function) -> Row {
    let Function { nodes, totals } = function;
    let per_call = (totals.calls > 0).then(|| totals.self_nanos as f64 / totals.calls as f64);
    let cells = vec![
        Cell::count(Some(totals.calls)),
        Cell::duration(per_call).estimated(totals.is_self_estimated),
        Cell::duration(Some(totals.self_nanos as f64)).estimated(totals.is_self_estimated),
        Cell::share(report.answer.tree.share(totals.self_nanos)),
        Cell::count(Some(nodes.len() as u64)),
        main_caller(report, function),
    ];
    Row::new(leaf_name(report.answer.profile, report.answer.tree.node(nodes[0]).stack), cells)
}

fn main_caller(report: &Report<'_>, function: &Function) -> Cell {
    let profile = report.answer.profile;
    let edges = report.answer.calls_of(function);
    let Some(edge) = edges.first() else { return Cell::count(None) };
    let share = edge.calls as f64 / function.totals.calls as f64;
    let caller =
        edge.caller.map_or("(outermost)", |caller| profile.strings.get(profile.frames.get(caller).name));
    Cell::new(format!("{caller}, {}", percent(share)), share)
}
