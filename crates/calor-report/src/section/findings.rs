//! What to change first: the findings with the most sure gain, one line each, or a card each
//! where cards can be opened. All of them are on a page of its own.

use calor_analysis::findings::{Finding, MOST_SHOWN, Severity};

use crate::document::{Body, Section, Told};
use crate::findings::gain_in_short;
use crate::report::Report;

pub(super) fn section(report: &Report<'_>) -> Option<Section> {
    let found: Vec<Finding> = report.options.findings.found.iter().take(MOST_SHOWN).cloned().collect();
    if found.is_empty() {
        return None;
    }
    let mut lines: Vec<String> = found.iter().map(line).collect();
    lines.push("`calor findings FILE` tells evidence, reasons and fixes".to_owned());
    Some(Section::new("findings", "Findings", Body::Findings(Told { lines, found })))
}

/// A finding in one line.
pub(crate) fn line(finding: &Finding) -> String {
    let severity = finding.severity().map_or("", Severity::word);
    let gain = gain_in_short(&finding.gain);
    let place = finding.place.source().map_or_else(String::new, |source| format!(", {source}"));
    format!("{severity}: {} ({gain}{place})", finding.title)
}
