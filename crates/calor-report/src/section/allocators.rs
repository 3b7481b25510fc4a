//! Who allocates most, or one line that nobody watched.

use calor_analysis::Allocator;
use calor_analysis::quantity::uncertainty;

use super::heap::OF_ALL_THREADS;
use super::heap::place::place_name;
use crate::document::{Body, Cell, Column, Row, Section, Table};
use crate::report::Report;

pub(crate) fn section(report: &Report<'_>) -> Section {
    let said = |code: &str| report.answer.warnings.iter().find(|warning| warning.code == code);
    if report.answer.allocators.is_empty() {
        let warning = ["heap_not_recorded", "heap_empty", "heap_not_sampled"].into_iter().find_map(said);
        let sentence = warning
            .map_or("Nothing was seen to allocate.".to_owned(), |warning| capitalised(&warning.message));
        return Section::new("allocators", "Top allocators", Body::Lines(vec![sentence]));
    }
    let mut columns = vec![
        Column::new("allocated", 0, "bytes allocated here, callees not included"),
        Column::new("±", 2, "how far that may be off, with 95 % certainty"),
        Column::new("% of bytes", 0, "share of all allocated bytes"),
        Column::new("count", 0, "number of allocations"),
        Column::new("mean size", 2, "bytes an allocation"),
    ];
    let is_followed = report.answer.allocators.iter().any(|entry| entry.live_bytes.is_some());
    if is_followed {
        columns.extend([
            Column::new("live", 1, "bytes allocated here and not freed"),
            Column::new("at peak", 1, "bytes of this path when the whole heap was largest"),
            Column::new("temporary", 3, "allocations that the next event of their thread freed"),
        ]);
    }
    let row = |entry: &Allocator| {
        let mut cells = vec![
            Cell::bytes(Some(entry.allocated_bytes)).estimated(entry.is_estimated),
            match uncertainty(entry.allocated_bytes, entry.site.and_then(|site| site.allocated_interval())) {
                Some(text) => Cell::words(text.trim_start_matches("± ")),
                None => Cell::missing(),
            },
            Cell::share(Some(entry.share)),
            Cell::count(Some(entry.allocated_count)).estimated(entry.is_estimated),
            Cell::bytes(entry.allocated_bytes.checked_div(entry.allocated_count)),
        ];
        if is_followed {
            cells.push(Cell::bytes(entry.live_bytes).estimated(entry.is_estimated));
            cells.push(Cell::bytes(entry.peak_bytes).estimated(entry.is_estimated));
            cells.push(Cell::count(entry.temporary_count).estimated(entry.is_estimated));
        }
        Row::new(place_name(report.answer.profile, &report.answer.places, entry.stack), cells)
    };
    let rows = report.answer.allocators.iter().map(row).collect();
    let section = Section::new(
        "allocators",
        "Top allocators",
        Body::Table(Table { subject: "allocated in", columns, rows }.without_empty_columns()),
    );
    match said("blocks_not_followed") {
        Some(warning) => section.with_intro(capitalised(&warning.message)),
        None if report.answer.has_heap_of_all_threads() => section.with_intro(OF_ALL_THREADS),
        None => section,
    }
}

fn capitalised(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
