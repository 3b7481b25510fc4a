//! What scopes allocated and freed.

use calor_analysis::ScopeMemoryRow;
use calor_analysis::quantity::{count, counted, signed_bytes};

use super::path_name;
use crate::document::{Body, Cell, Column, Row, Section, Table};
use crate::report::Report;

/// `None` when no allocator was watched that knows of scopes.
pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    if report.answer.scope_memory.is_empty() {
        return None;
    }
    let columns = vec![
        Column::new("allocated", 0, "bytes allocated inside, children included"),
        Column::new("count", 0, "number of allocations"),
        Column::new("a call", 2, "bytes allocated in one call, of an async scope in one life"),
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
        Row::new(path_name(report.answer.profile, entry.stack), cells)
    };
    let rows = report.answer.scope_memory.iter().map(row).collect();
    let table = Table { subject: "scope", columns, rows };
    let scopes = match (report.answer.scope_memory.len(), report.answer.n_scope_memory) {
        (n_shown, n_all) if n_shown < n_all => {
            format!("{} of {} by bytes allocated", count(n_shown as u64), counted(n_all as u64, "scope"))
        }
        (_, n_all) => format!("{} by bytes allocated", counted(n_all as u64, "scope")),
    };
    let intro = format!(
        "{scopes}. A scope counts what its own thread did while it was open: what it had others do counts in the scopes \
         of their threads."
    );
    Some(Section::new("scope-memory", "Memory of scopes", Body::Table(table)).with_intro(intro))
}
