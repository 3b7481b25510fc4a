//! Operations on arrays, where a profile has some.

use crate::document::Section;
use crate::facts::Report;
use crate::operations;

pub(super) fn section(report: &Report<'_>) -> Option<Section> {
    if !report.shows_scopes() {
        return None;
    }
    let recorded = report.tree.recorded_nanos();
    operations::section::operations(&report.operations, report.options.top, recorded)
}
