//! The call tree as an outline: the paths with the most time, each under its caller.

use calor_analysis::{CallTree, OutlineRow, Source, outline};

use super::leaf_name;
use crate::document::{Body, Cell, Column, Row, Section, Table};
use crate::facts::Report;
use crate::quantity::{count, duration};

pub(crate) fn section(report: &Report<'_>, rows: usize) -> Option<Section> {
    let tree = report.main_tree();
    if tree.is_empty() {
        return None;
    }
    let is_scopes = tree.source() == Source::Scopes;
    let mut columns = vec![
        Column::new("% total", 0, "time with children as a share of the recorded time"),
        Column::new("total", 0, "time with children"),
        Column::new("self", 1, "time without children"),
    ];
    columns.push(match is_scopes {
        true => Column::new("calls", 2, "how often it was entered"),
        false => Column::new("samples", 2, "samples that found it innermost"),
    });
    let lines = outline(tree, rows);
    let intro = match tree.nodes().len().saturating_sub(lines.len()) {
        0 => format!("All {} paths.", count(lines.len() as u64)),
        hidden => {
            format!("The {} longest paths; {} shorter ones are not shown.", lines.len(), count(hidden as u64))
        }
    };
    let rows = lines.iter().map(|line| row(report, tree, line, is_scopes)).collect();
    let table = Table { subject: if is_scopes { "scope" } else { "function" }, columns, rows };
    Some(Section::new("hierarchy", "Call hierarchy", Body::Tree(table)).with_intro(intro))
}

fn row(report: &Report<'_>, tree: &CallTree<'_>, line: &OutlineRow, is_scopes: bool) -> Row {
    let node = tree.node(line.node);
    let cells = vec![
        Cell::share(tree.share(node.inclusive_nanos)),
        Cell::duration(Some(node.inclusive_nanos as f64)).estimated(node.is_estimated),
        Cell::duration(Some(node.self_nanos as f64)).estimated(node.is_self_estimated),
        Cell::count(Some(if is_scopes { node.calls } else { node.samples })),
    ];
    let hidden = (line.hidden_children > 0)
        .then(|| format!("+{} more, {}", line.hidden_children, duration(line.hidden_nanos as f64)));
    Row { depth: node.depth as usize, hidden, ..Row::new(leaf_name(report.profile, node.stack), cells) }
}
