//! Scopes by their labels, on pages that a process writes about itself. Call paths add up what labels keep apart.

use calor_analysis::scope_sums;

use crate::document::Section;
use crate::facts::Report;
use crate::operations;

pub(super) fn section(report: &Report<'_>) -> Option<Section> {
    if !report.shows_scopes() || !report.options.is_of_itself {
        return None;
    }
    let mut labelled = scope_sums(&report.tree);
    labelled.retain(|sum| !sum.by_labels.is_empty());
    operations::section::labelled_scopes(&labelled, report.options.top)
}
