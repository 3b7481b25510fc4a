//! The call tree as an outline: the paths with the most time, each under its caller.

use std::collections::HashMap;

use calor_analysis::quantity::{count, counted, duration};
use calor_analysis::{CallTree, NodeId, OutlineRow, Source};
use calor_model::{Profile, SampleKind, StringId};

use super::{folded, frames_of, leaf_name, path_name};
use crate::document::{Body, Cell, Column, Row, Section, Table};
use crate::report::Report;

pub(crate) fn section(report: &Report<'_>, rows: usize) -> Option<Section> {
    let tree = report.answer.main_tree();
    if tree.is_empty() {
        return None;
    }
    let is_scopes = tree.source() == Source::Scopes;
    let mut columns = vec![
        Column::new("% total", 0, "time with children as a share of the recorded time"),
        Column::new("total", 0, "time with children"),
        Column::new("self", 1, "time without children"),
    ];
    let is_sum = report.answer.sampled.first().is_some_and(|sampled| sampled.is_sum);
    columns.push(match tree.source() {
        Source::Scopes => Column::new("calls", 2, "how often it was entered"),
        Source::Samples(SampleKind::OffCpu) => Column::new("waits", 2, "how often a thread waited in it"),
        _ if is_sum => Column::new("count", 2, "samples that found it innermost, and waits in it"),
        _ => Column::new("samples", 2, "samples that found it innermost"),
    });
    let lines = report.answer.hierarchy(rows);
    let n_shown: usize = lines.iter().map(|line| 1 + line.n_folded).sum();
    // Lists of hot paths leave out those that were never found innermost.
    let with_callers = if is_scopes { "" } else { ", callers included" };
    let intro = match tree.nodes().len().saturating_sub(n_shown) {
        0 if n_shown == 1 => "The only path.".to_owned(),
        0 => format!("All {}{with_callers}.", counted(n_shown as u64, "path")),
        hidden => {
            let shown = match n_shown {
                1 => "The longest path".to_owned(),
                n => format!("The {} longest paths{with_callers}", count(n as u64)),
            };
            let (ones, are) = if hidden == 1 { ("one", "is") } else { ("ones", "are") };
            format!("{shown}; {} shorter {ones} {are} not shown.", count(hidden as u64))
        }
    };
    let intro = match tree.source() {
        Source::Samples(SampleKind::OffCpu) => format!("By time waited. {intro}"),
        Source::Samples(SampleKind::Wall) => format!("By wall time. {intro}"),
        _ => intro,
    };
    let namesakes = Namesakes::among(tree, &lines);
    let rows = lines
        .iter()
        .map(|line| {
            let mut row = row(report, tree, line, is_scopes);
            if let Some(place) = namesakes.place(tree, line.node, row.name.location.as_deref()) {
                row.name.leaf = format!("{} ({place})", row.name.leaf);
            }
            row
        })
        .collect();
    let table = Table { subject: if is_scopes { "scope" } else { "function" }, columns, rows };
    Some(Section::new("hierarchy", "Call hierarchy", Body::Tree(table)).with_intro(intro))
}

/// Calls of one function from several lines of its caller: under one caller they have the same name, and only
/// where they are in the source tells them apart.
struct Namesakes(HashMap<(Option<NodeId>, StringId), usize>);

impl Namesakes {
    fn among(tree: &CallTree<'_>, lines: &[OutlineRow]) -> Self {
        let mut numbers = HashMap::new();
        lines.iter().for_each(|line| *numbers.entry(Self::key(tree, line.node)).or_default() += 1);
        Self(numbers)
    }

    fn key(tree: &CallTree<'_>, node: NodeId) -> (Option<NodeId>, StringId) {
        (tree.node(node).parent, tree.frame(node).name)
    }

    /// The file's name and the line, for one of several.
    fn place<'l>(&self, tree: &CallTree<'_>, node: NodeId, location: Option<&'l str>) -> Option<&'l str> {
        let is_one_of_several = self.0.get(&Self::key(tree, node)).is_some_and(|n| *n > 1);
        location.filter(|_| is_one_of_several)?.rsplit(['/', '\\']).next()
    }
}

fn row(report: &Report<'_>, tree: &CallTree<'_>, line: &OutlineRow, is_scopes: bool) -> Row {
    let node = tree.node(line.node);
    let cells = vec![
        Cell::share(tree.share(node.inclusive_nanos)),
        Cell::duration(Some(node.inclusive_nanos as f64)).estimated(node.is_estimated),
        Cell::duration(Some(node.self_nanos as f64)).estimated(node.is_self_estimated),
        Cell::count(if is_scopes { node.known_calls() } else { Some(node.samples) }),
    ];
    let hidden = (line.hidden_children > 0)
        .then(|| format!("+{} more, {}", line.hidden_children, duration(line.hidden_nanos as f64)));
    let mut name = leaf_name(report.answer.profile, node.stack);
    if line.n_folded > 0 {
        name.leaf = line_name(report.answer.profile, tree, line);
        name.whole = Some(path_name(report.answer.profile, node.stack).path());
    }
    Row { depth: line.depth, hidden, ..Row::new(name, cells) }
}

/// The frames between the line above and the end of this one: the first, the last, and one that lies between. A
/// repeat counts what is in this line alone.
pub(super) fn line_name(profile: &Profile, tree: &CallTree<'_>, line: &OutlineRow) -> String {
    let frames = frames_of(profile, tree.node(line.node).stack);
    let shared = frames.len().saturating_sub(line.n_folded + 1);
    let names = folded(&frames[shared..], |n| format!("×{n}"));
    match &names[..] {
        [first, _, .., last] if names.len() > 3 => format!("{first} › … › {last}"),
        _ => names.join(" › "),
    }
}
