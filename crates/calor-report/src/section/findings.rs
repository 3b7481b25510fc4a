//! What to change first: the findings with the most sure gain, one line each, or a card each
//! where cards can be opened. All of them are on a page of its own.

use calor_analysis::findings::rules::RULES;
use calor_analysis::findings::{Facts, Finding, MOST_SHOWN, Severity, findings};

use crate::document::{Body, Section, Told};
use crate::facts::Report;
use crate::findings::gain_in_short;

/// Of profiles with more call paths only the page of its own tells: looking at all of them takes longer than the report.
const MOST_PATHS: usize = 200_000;

pub(super) fn section(report: &Report<'_>) -> Option<Section> {
    if report.profile.stacks.len() > MOST_PATHS {
        return None;
    }
    let mut found = findings(&Facts::new(report.profile, None), RULES, &report.options.suppressions).found;
    found.truncate(MOST_SHOWN);
    if found.is_empty() {
        return None;
    }
    let mut lines: Vec<String> = found.iter().map(line).collect();
    lines.push("`calor findings FILE` tells evidence, reasons and fixes".to_owned());
    Some(Section::new("findings", "Findings", Body::Findings(Told { lines, found })))
}

fn line(finding: &Finding) -> String {
    let severity = finding.severity().map_or("", Severity::word);
    let gain = gain_in_short(&finding.gain);
    let place = finding.place.source().map_or_else(String::new, |source| format!(", {source}"));
    format!("{severity}: {} ({gain}{place})", finding.title)
}
