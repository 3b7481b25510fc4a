//! What to change first: the findings with the most sure gain, one line each, or a card each
//! where cards can be opened. All of them are on a page of its own.

use std::borrow::Cow;

use calor_analysis::findings::rules::RULES;
use calor_analysis::findings::{
    Facts, Finding, MOST_SHOWN, MachineFigures, Severity, findings, with_calling_lines,
};
use calor_model::{Frame, FrameKind, Profile, simplify};

use crate::document::{Body, Section, Told};
use crate::findings::gain_in_short;
use crate::operations::without_idle_time;
use crate::report::Report;

/// Of profiles with more call paths only the page of its own tells: looking at all of them takes longer than the report.
const MOST_PATHS: usize = 200_000;

pub(super) fn section(report: &Report<'_>) -> Option<Section> {
    if report.answer.profile.stacks.len() > MOST_PATHS {
        return None;
    }
    let profile = simply_named(report.answer.profile);
    let profile = if report.options.is_of_itself { without_idle_time(&profile) } else { profile };
    let profile = with_calling_lines(&profile);
    let machine = report.options.roof.as_ref().map(MachineFigures::from);
    let mut found =
        findings(&Facts::new(&profile, machine.as_ref()), RULES, &report.options.suppressions).found;
    found.truncate(MOST_SHOWN);
    if found.is_empty() {
        return None;
    }
    let mut lines: Vec<String> = found.iter().map(line).collect();
    lines.push("`calor findings FILE` tells evidence, reasons and fixes".to_owned());
    Some(Section::new("findings", "Findings", Body::Findings(Told { lines, found })))
}

/// The profile with the names that the page of findings has, by which they are also suppressed.
fn simply_named(profile: &Profile) -> Cow<'_, Profile> {
    let is_simple = |frame: Frame| {
        let name = profile.strings.get(frame.name);
        !matches!(frame.kind, FrameKind::Native | FrameKind::Gpu) || simplify(name) == name
    };
    let is_named_so = profile.frames.iter().all(|(_, frame)| is_simple(frame));
    if is_named_so { Cow::Borrowed(profile) } else { Cow::Owned(profile.simplify_names()) }
}

/// A finding in one line.
pub(crate) fn line(finding: &Finding) -> String {
    let severity = finding.severity().map_or("", Severity::word);
    let gain = gain_in_short(&finding.gain);
    let place = finding.place.source().map_or_else(String::new, |source| format!(", {source}"));
    format!("{severity}: {} ({gain}{place})", finding.title)
}
