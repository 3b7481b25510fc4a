//! What scopes allocated and freed.

use calor_analysis::ScopeMemoryRow;

use super::path_name;
use crate::document::{Body, Cell, Column, Row, Section, Table};
use crate::facts::Report;
use crate::quantity::signed_bytes;

/// `None` when no allocator was watched that knows of scopes.
pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    if report.scope_memory.is_empty() {
        return None;
    }
    let columns = vec![
        Column::new("allocated", 0, "bytes allocated inside, children included"),
        Column::new("count", 0, "number of allocations"),
        Column::new("a call", 2, "bytes allocated in one call"),
        Column::new("freed", 1, "bytes freed inside, whoever allocated them"),
        Column::new("kept", 0, "bytes allocated less bytes freed"),
        Column::new("peak", 0, "the most that one call held above what was there when it began"),
    ];
    let row = |entry: &ScopeMemoryRow| {
        let memory = &entry.memory;
        let cells = vec![
            Cell::bytes(Some(memory.allocated_bytes)),
            Cell::count(Some(memory.allocated_count)),
            Cell::bytes(memory.allocated_bytes.checked_div(entry.calls)),
            Cell::bytes(Some(memory.freed_bytes)),
            Cell::new(signed_bytes(entry.kept_bytes()), entry.kept_bytes() as f64),
            Cell::bytes(Some(memory.peak_bytes)),
        ];
        Row::new(path_name(report.profile, entry.stack), cells)
    };
    let rows = report.scope_memory.iter().map(row).collect();
    let table = Table { subject: "scope", columns, rows };
    Some(Section::new("scope-memory", "Memory of scopes", Body::Table(table)))
}
