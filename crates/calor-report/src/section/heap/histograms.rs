//! How large blocks are and how long they live.

use calor_analysis::quantity::{bytes, duration};
use calor_model::{HeapBlocks, HeapHistogram, Profile};

use super::is_sampled;
use crate::document::{Body, Cell, Column, Name, Row, Section, Table};

/// The sizes and the lifetimes, as far as they were recorded.
pub(crate) fn sections(profile: &Profile) -> Vec<Section> {
    let histograms = &profile.heap.histograms;
    let mut sections = Vec::new();
    if histograms.sizes.is_empty() && !histograms.lifetimes.is_empty() {
        sections.push(sizes_unknown(profile));
    }
    if !histograms.sizes.is_empty() {
        let body = Body::Table(table(&histograms.sizes, "size", is_sampled(profile), bytes));
        sections.push(Section::new("heap-sizes", "Sizes of allocations", body));
    }
    if !histograms.lifetimes.is_empty() {
        let is_estimated = histograms.are_lifetimes_sampled;
        let words = |nanos| duration(nanos as f64);
        let body = Body::Table(table(&histograms.lifetimes, "lived", is_estimated, words));
        let of = match (is_estimated, is_sampled(profile)) {
            (true, false) => {
                "Of sampled blocks alone, which stand for the others: these are estimates, although the rest is exact. "
            }
            (true, true) => "Estimates, as all figures. ",
            _ => "",
        };
        let intro = format!("{of}Blocks that are still held are not here.");
        sections.push(Section::new("heap-lifetimes", "Lifetimes of freed blocks", body).with_intro(intro));
    }
    sections
}

/// What is said where the sizes of blocks were not recorded.
pub(crate) fn sizes_unknown(profile: &Profile) -> Section {
    let line = match is_sampled(profile) {
        true => "Samples do not tell: watch every allocation (`calor record --heap=exact -- CMD`).",
        false => "Sizes and lifetimes were not recorded.",
    };
    Section::new("heap-sizes", "Sizes of allocations", Body::Lines(vec![line.to_owned()]))
}

fn table(
    histogram: &HeapHistogram,
    subject: &'static str,
    is_estimated: bool,
    words: impl Fn(u64) -> String,
) -> Table {
    let columns = vec![
        Column::new("blocks", 0, "number of blocks"),
        Column::new("% of blocks", 0, "share of all blocks"),
        Column::new("bytes", 0, "bytes of these blocks"),
        Column::new("% of bytes", 0, "share of all bytes"),
    ];
    let all = histogram.total();
    let share = |part: u64, whole: u64| Cell::share(Some(part as f64 / whole.max(1) as f64));
    let row = |(bucket, blocks): (u8, HeapBlocks)| {
        let cells = vec![
            Cell::count(Some(blocks.count)).estimated(is_estimated),
            share(blocks.count, all.count),
            Cell::bytes(Some(blocks.bytes)).estimated(is_estimated),
            share(blocks.bytes, all.bytes),
        ];
        let name = match HeapHistogram::bounds(bucket) {
            (low, high) if low == high => words(low),
            (low, high) => format!("{} to {}", words(low), words(high.saturating_add(1))),
        };
        Row::new(Name::plain(name), cells)
    };
    Table { subject, columns, rows: histogram.iter().map(row).collect() }
}
