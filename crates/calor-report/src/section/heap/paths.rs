//! Call paths by one figure of the heap.

use calor_analysis::quantity::{bytes, count, counted, uncertainty};
use calor_analysis::{HeapGroup, HeapOrder, HeapPath, HeapPlaces};
use calor_model::{HeapBlocks, Profile};

use super::place::place_name;
use crate::document::{Body, Cell, Column, Row, Section, Table};

/// The column of how many call paths a row adds up.
const PATHS: &str = "paths";
/// What is meant by temporary.
const TEMPORARY: &str = "Allocations that the next event of their thread on the heap freed, however much later that was; a \
                         `realloc` frees its old block.";

/// The first `rows` of paths that are listed by that figure.
pub(crate) fn section(
    profile: &Profile,
    places: &HeapPlaces,
    order: HeapOrder,
    paths: &[HeapPath],
    rows: usize,
) -> Section {
    let (id, title) = title(order);
    if paths.is_empty() {
        return Section::new(id, title, Body::Lines(vec!["Nothing.".to_owned()]));
    }
    let section = Section::new(id, title, Body::Table(table(profile, places, order, paths, rows)));
    match order {
        HeapOrder::Temporary => section.with_intro(format!("{TEMPORARY}{}", cut(places, paths, rows))),
        _ if paths.len() > rows => section.with_intro(cut(places, paths, rows).trim_start().to_owned()),
        _ => section,
    }
}

/// The first `rows` with the figures that matter most.
pub(crate) fn short(
    profile: &Profile,
    places: &HeapPlaces,
    order: HeapOrder,
    paths: &[HeapPath],
    rows: usize,
) -> Section {
    let (id, title) = title(order);
    let title = match paths.len() {
        n if n > rows => format!("{title} (first {rows} of {})", count(n as u64)),
        _ => title.to_owned(),
    };
    let mut table = table(profile, places, order, paths, rows);
    let is_kept = |column: &Column| column.dispensable == 0 || column.title == PATHS;
    let is_kept: Vec<bool> = table.columns.iter().map(is_kept).collect();
    table.only(&is_kept);
    Section::new(id, title, Body::Table(table))
}

/// What is said where a figure was not recorded.
pub(crate) fn unknown(order: HeapOrder) -> Section {
    let (id, title) = title(order);
    let line = "Samples do not tell: watch every allocation (`calor record --heap=exact -- CMD`).".to_owned();
    Section::new(id, title, Body::Lines(vec![line]))
}

/// The anchor and the title of what is listed by a figure.
pub(super) fn title(order: HeapOrder) -> (&'static str, &'static str) {
    match order {
        HeapOrder::Allocated => ("heap-allocated", "Top allocators"),
        HeapOrder::Live => ("heap-live", "Not freed"),
        HeapOrder::Peak => ("heap-peak", "Held when the heap was largest"),
        HeapOrder::Temporary => ("heap-temporary", "Temporary"),
    }
}

/// How many are not shown, where any is not.
fn cut(places: &HeapPlaces, paths: &[HeapPath], rows: usize) -> String {
    match paths.len() {
        n if n > rows => {
            format!(" The first {rows} of {}; `--top` shows more.", counted(n as u64, word(places.group())))
        }
        _ => String::new(),
    }
}

/// The word for what a row is.
pub(super) fn word(group: HeapGroup) -> &'static str {
    match group {
        HeapGroup::Line => "place",
        HeapGroup::Function => "function",
        HeapGroup::Path | HeapGroup::WholePath => "path",
    }
}

pub(crate) fn table(
    profile: &Profile,
    places: &HeapPlaces,
    order: HeapOrder,
    paths: &[HeapPath],
    rows: usize,
) -> Table {
    let mut all = HeapBlocks::default();
    paths.iter().for_each(|path| all.add(order.blocks(&path.site)));
    let is_estimated = paths.iter().any(|path| path.site.samples > 0);
    let mut columns = vec![
        Column::new("bytes", 0, "bytes that were allocated here, callees not included"),
        Column::new("±", 0, "how far that may be off, with 95 % certainty"),
        Column::new("% of bytes", 0, "share of what all have of this").shortened("%"),
        Column::new("blocks", 0, "number of blocks"),
        Column::new(
            PATHS,
            1,
            "call paths to this place; `--group path` lists each, `--tree` with its callers",
        ),
        Column::new("mean size", 3, "bytes a block"),
    ];
    let shown = &paths[..paths.len().min(rows)];
    let has_several = shown.iter().any(|path| path.n_paths > 1);
    if order != HeapOrder::Allocated {
        columns.push(Column::new("of allocated", 2, "that as a share of the bytes that were allocated here"));
    }
    let row = |path: &HeapPath| {
        let blocks = order.blocks(&path.site);
        let mut cells = vec![
            Cell::bytes(Some(blocks.bytes)).estimated(is_estimated),
            match uncertainty(blocks.bytes, order.interval(&path.site)) {
                Some(text) => Cell::words(text.trim_start_matches("± ")),
                None => Cell::missing(),
            },
            Cell::share(Some(blocks.bytes as f64 / all.bytes.max(1) as f64)),
            Cell::count(Some(blocks.count)).estimated(is_estimated),
            Cell::count(has_several.then_some(path.n_paths as u64)),
            Cell::of(blocks.bytes.checked_div(blocks.count), bytes, |size| size as f64)
                .estimated(is_estimated),
        ];
        if order != HeapOrder::Allocated {
            let share = blocks.bytes as f64 / path.site.allocated_bytes.max(1) as f64;
            cells.push(Cell { share: None, ..Cell::share(Some(share)) });
        }
        Row::new(place_name(profile, places, path.stack), cells)
    };
    let rows = shown.iter().map(row).collect();
    Table { subject: "allocated in", columns, rows }.without_empty_columns()
}
