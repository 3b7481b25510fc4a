//! Operations on arrays, where a profile has some.

use crate::document::Section;
use crate::operations;
use crate::report::Report;

pub(super) fn section(report: &Report<'_>) -> Option<Section> {
    if !report.answer.question.lists_scopes() {
        return None;
    }
    let recorded = report.answer.tree.recorded_nanos();
    operations::section::operations(&report.answer.operations, report.options.top, recorded)
}
