//! One figure of the heap as a call tree: what each function has with all that it called.

use calor_analysis::quantity::{bytes, count, counted};
use calor_analysis::{CallTree, HeapOrder, HeapTree, OutlineRow};
use calor_model::Profile;

use super::super::hierarchy::line_name;
use super::super::{leaf_name, path_name};
use super::is_sampled;
use super::paths::title;
use crate::document::{Body, Cell, Column, Row, Section, Table};

/// The `rows` lines with the most bytes.
pub(crate) fn section(profile: &Profile, weights: &HeapTree, order: HeapOrder, rows: usize) -> Section {
    let tree = weights.tree();
    let (id, title) = title(order);
    if tree.is_empty() {
        return Section::new(id, title, Body::Lines(vec!["Nothing.".to_owned()]));
    }
    let columns = vec![
        Column::new("% total", 0, "bytes with those of callees as a share of all"),
        Column::new("total", 0, "bytes with those of callees"),
        Column::new("self", 1, "bytes of the function itself"),
        Column::new("blocks", 2, "blocks of the function itself"),
    ];
    let lines = tree.outline(rows);
    let n_shown: usize = lines.iter().map(|line| 1 + line.n_folded).sum();
    let rows = lines.iter().map(|line| row(profile, &tree, line)).collect();
    let section = Section::new(id, title, Body::Tree(Table { subject: "function", columns, rows }));
    match tree.nodes().len().saturating_sub(n_shown) {
        0 => section,
        hidden => section.with_intro(format!(
            "The {} with the most bytes, callers included; {} more are not shown.",
            counted(n_shown as u64, "path"),
            count(hidden as u64)
        )),
    }
}

fn row(profile: &Profile, tree: &CallTree<'_>, line: &OutlineRow) -> Row {
    let node = tree.node(line.node);
    let is_estimated = is_sampled(profile);
    let mark = if is_estimated { "~" } else { "" };
    let cells = vec![
        Cell::share(tree.share(node.inclusive_nanos)),
        Cell::bytes(Some(node.inclusive_nanos)).estimated(is_estimated),
        Cell::bytes(Some(node.self_nanos)).estimated(is_estimated),
        Cell::count(Some(node.samples)).estimated(is_estimated),
    ];
    let hidden = (line.hidden_children > 0)
        .then(|| format!("+{} more, {mark}{}", line.hidden_children, bytes(line.hidden_nanos)));
    let mut name = leaf_name(profile, node.stack);
    if line.n_folded > 0 {
        name.leaf = line_name(profile, tree, line);
        name.whole = Some(path_name(profile, node.stack).path());
    }
    Row { depth: line.depth, hidden, ..Row::new(name, cells) }
}
