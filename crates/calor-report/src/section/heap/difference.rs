//! Two heaps side by side.

use calor_analysis::{HeapChange, HeapDifference, HeapMove};
use calor_model::Profile;

use super::super::path_name;
use crate::document::{Body, Cell, Column, Row, Section, Table};
use crate::quantity::{bytes, counted, signed_bytes, signed_count};

/// The first `rows` changes. Paths that are gone are named by the profile of before.
pub(crate) fn section(
    before: &Profile,
    after: &Profile,
    difference: &HeapDifference,
    what: &str,
    rows: usize,
) -> Section {
    let delta = i128::from(difference.after.bytes) - i128::from(difference.before.bytes);
    let intro = format!(
        "{what}: {} in {} before, {} in {} after, {}.",
        bytes(difference.before.bytes),
        counted(difference.before.count, "block"),
        bytes(difference.after.bytes),
        counted(difference.after.count, "block"),
        signed_bytes(delta),
    );
    let (id, title) = ("heap-difference", "Difference");
    if difference.changes.is_empty() {
        let body = Body::Lines(vec!["No call path differs.".to_owned()]);
        return Section::new(id, title, body).with_intro(intro);
    }
    let columns = vec![
        Column::new("difference", 0, "bytes more than before"),
        Column::new("blocks", 1, "blocks more than before"),
        Column::new("before", 1, "bytes before"),
        Column::new("after", 0, "bytes after"),
        Column::words("change", 0, "what became of the path"),
    ];
    let row = |change: &HeapChange| {
        let profile = if change.moved == HeapMove::Gone { before } else { after };
        let blocks = i128::from(change.after.count) - i128::from(change.before.count);
        let cells = vec![
            Cell::new(signed_bytes(change.delta_bytes()), change.delta_bytes() as f64),
            Cell::new(with_sign(blocks), blocks as f64),
            Cell::bytes(Some(change.before.bytes)),
            Cell::bytes(Some(change.after.bytes)),
            Cell::words(word(change.moved)),
        ];
        Row::new(path_name(profile, change.stack), cells)
    };
    let table = Table {
        subject: "allocated in",
        columns,
        rows: difference.changes.iter().take(rows).map(row).collect(),
    };
    let cut = match difference.changes.len() {
        n if n > rows => format!(" The first {rows} of {n} paths; `--top` shows more."),
        _ => String::new(),
    };
    Section::new(id, title, Body::Table(table)).with_intro(format!("{intro}{cut}"))
}

fn with_sign(number: i128) -> String {
    let text = signed_count(i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX }));
    if number > 0 { format!("+{text}") } else { text }
}

/// The word for a change, on pages and in JSON.
pub(crate) fn word(moved: HeapMove) -> &'static str {
    match moved {
        HeapMove::New => "new",
        HeapMove::Grown => "grown",
        HeapMove::Shrunk => "shrunk",
        HeapMove::Gone => "gone",
    }
}
