//! Contexts and scopes by name, on pages that a process writes about itself: the same table as in their text. Call paths tell
//! neither what a name took in all nor what labels keep apart.

use calor_analysis::ScopeSumKind;

use crate::document::Section;
use crate::operations;
use crate::report::Report;

pub(super) fn section(report: &Report<'_>) -> Option<Section> {
    if !report.answer.question.lists_scopes() || !report.options.is_of_itself {
        return None;
    }
    let mut scopes = report.answer.scope_sums();
    scopes.retain(|sum| sum.kind != ScopeSumKind::Function);
    operations::section::scopes(&scopes, report.options.top, report.options.context.is_some())
}
