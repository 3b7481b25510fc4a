//! `calor findings --format json`. Shares and ratios are fractions, a gain is a whole-program speed-up (1.0 is none), and
//! what is not known is absent.

use calor_analysis::findings::{Evidence, Finding, Severity, Suppressed, SuppressedBy};
use calor_wire::Warning;
use serde::Serialize;

use super::{FindingsOptions, FoundIn};
use crate::Error;

#[derive(Serialize)]
struct Page<'f> {
    schema: &'static str,
    calor: &'static str,
    warnings: Vec<Warning<'f>>,
    findings: Vec<Row<'f>>,
    /// How many there are besides those.
    more: usize,
    fine: &'f [String],
    not_enough_data: Vec<NotEnough<'f>>,
    suppressed: Vec<NotTold<'f>>,
}

#[derive(Serialize)]
struct Row<'f> {
    rule: &'f str,
    version: u32,
    severity: Option<&'static str>,
    title: &'f str,
    description: &'f str,
    #[serde(rename = "where")]
    place: Place<'f>,
    evidence: Vec<Figure<'f>>,
    gain: Gain<'f>,
    fix: Fix<'f>,
    doc: &'f str,
}

#[derive(Serialize)]
struct Place<'f> {
    function: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    path: &'f [String],
}

#[derive(Serialize)]
pub(super) struct Figure<'f> {
    metric: &'f str,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[f64; 2]>,
}

#[derive(Serialize)]
struct Gain<'f> {
    low: f64,
    high: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    local_low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    local_high: Option<f64>,
    /// How many times less memory, of findings that are about memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_high: Option<f64>,
    share: f64,
    reason: &'f str,
}

#[derive(Serialize)]
struct Fix<'f> {
    text: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'f str>,
}

#[derive(Serialize)]
struct NotEnough<'f> {
    rule: &'f str,
    missing: &'f str,
    how_to_record: &'f str,
}

#[derive(Serialize)]
struct NotTold<'f> {
    rule: &'f str,
    /// The rule of the cause, or `user`.
    by: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'f str>,
    title: &'f str,
    #[serde(rename = "where")]
    place: Place<'f>,
}

pub(super) fn page(found: FoundIn<'_>, options: &FindingsOptions) -> Result<String, Error> {
    let (shown, more) = found.shown(options);
    let page = Page {
        schema: "calor/findings/1",
        calor: env!("CARGO_PKG_VERSION"),
        warnings: found
            .warnings
            .iter()
            .map(Warning::from)
            .chain(found.note().map(|note| Warning::of("waits_unknown", note)))
            .collect(),
        findings: shown.iter().map(Row::new).collect(),
        more,
        fine: &found.findings.fine,
        not_enough_data: found
            .findings
            .not_enough
            .iter()
            .map(|one| NotEnough { rule: &one.rule, missing: &one.missing, how_to_record: &one.how })
            .collect(),
        suppressed: found.findings.suppressed.iter().map(NotTold::new).collect(),
    };
    Ok(serde_json::to_string_pretty(&page).map_err(std::io::Error::from)? + "\n")
}

impl<'f> Row<'f> {
    fn new(finding: &'f Finding) -> Self {
        let gain = &finding.gain;
        Self {
            rule: &finding.rule,
            version: finding.version,
            severity: finding.severity().map(Severity::word),
            title: &finding.title,
            description: &finding.description,
            place: Place::new(finding),
            evidence: finding.evidence.iter().map(Figure::new).collect(),
            gain: Gain {
                low: gain.low,
                high: gain.high,
                local_low: gain.local_low,
                local_high: gain.local_high,
                memory_low: gain.memory.map(|(low, _)| low),
                memory_high: gain.memory.map(|(_, high)| high),
                share: gain.share.estimate,
                reason: &gain.reason,
            },
            fix: Fix {
                text: &finding.fix.text,
                before: finding.fix.before.as_deref(),
                after: finding.fix.after.as_deref(),
            },
            doc: &finding.doc,
        }
    }
}

impl<'f> Place<'f> {
    fn new(finding: &'f Finding) -> Self {
        let place = &finding.place;
        Self { function: &place.function, file: place.file.as_deref(), line: place.line, path: &place.path }
    }
}

impl<'f> Figure<'f> {
    pub(super) fn new(evidence: &'f Evidence) -> Self {
        Self {
            metric: &evidence.metric,
            value: evidence.value,
            threshold: evidence.threshold,
            unit: Some(evidence.unit.word()).filter(|word| !word.is_empty()),
            interval: evidence.interval.map(|(low, high)| [low, high]),
        }
    }
}

impl<'f> NotTold<'f> {
    fn new(one: &'f Suppressed) -> Self {
        let (by, reason) = match &one.by {
            SuppressedBy::Rule(rule) => (rule.as_str(), None),
            SuppressedBy::User(reason) => ("user", Some(reason.as_str())),
        };
        let finding = &one.finding;
        Self { rule: &finding.rule, by, reason, title: &finding.title, place: Place::new(finding) }
    }
}
