//! Contexts and scopes by name, on pages that a process writes about itself: the same table as in their text. Call paths tell
//! neither what a name took in all nor what labels keep apart.

use calor_analysis::{ScopeSumKind, scope_sums};

use crate::document::Section;
use crate::facts::Report;
use crate::operations;

pub(super) fn section(report: &Report<'_>) -> Option<Section> {
    if !report.shows_scopes() || !report.options.is_of_itself {
        return None;
    }
    let mut scopes = scope_sums(&report.tree);
    scopes.retain(|sum| sum.kind != ScopeSumKind::Function);
    operations::section::scopes(&scopes, report.options.top, report.options.context.is_some())
}
