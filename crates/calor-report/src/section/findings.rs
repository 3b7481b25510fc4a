//! What to change first: the findings with the most sure gain, one line each. The whole of them is on a page of its own.

use calor_analysis::findings::rules::RULES;
use calor_analysis::findings::{Facts, Finding, MOST_SHOWN, Severity, findings};

use crate::document::{Body, Section};
use crate::facts::Report;
use crate::findings::times;

/// Of profiles with more call paths only the page of its own tells: looking at all of them takes longer than the report.
const MOST_PATHS: usize = 200_000;

pub(super) fn section(report: &Report<'_>) -> Option<Section> {
    if report.profile.stacks.len() > MOST_PATHS {
        return None;
    }
    let found = findings(&Facts::new(report.profile, None), RULES, &[]).found;
    let mut lines: Vec<String> = found.iter().take(MOST_SHOWN).map(line).collect();
    if lines.is_empty() {
        return None;
    }
    lines.push("`calor findings FILE` tells evidence, reasons and fixes".to_owned());
    Some(Section::new("findings", "Findings", Body::Lines(lines)))
}

fn line(finding: &Finding) -> String {
    let severity = finding.severity().map_or("", Severity::word);
    let gain = match finding.gain.memory {
        Some((low, high)) => format!("{} less memory", times(low, high)),
        None => format!("{} faster", times(finding.gain.low, finding.gain.high)),
    };
    let place = finding.place.source().map_or_else(String::new, |source| format!(", {source}"));
    format!("{severity}: {} ({gain}{place})", finding.title)
}
