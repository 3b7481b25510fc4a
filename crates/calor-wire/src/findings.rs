//! Why a program is slow, and what to change: `findings/1`, and the flat recommendations of the Python package.

use calor_analysis::findings as judged;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::Schema;
#[cfg(feature = "schema")]
use crate::words;

/// Why a program is slow, what to change and what that gives. Shares and ratios are fractions. More fields may be
/// added; these stay.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Findings<'w> {
    /// What was found, the most sure gain first; five unless --all asks for more.
    pub findings: Vec<Finding<'w>>,
    /// How many findings there are besides those.
    pub more: usize,
    /// Rules that looked and found nothing worth a change.
    pub fine: &'w [String],
    /// Rules that could not look: not the same as fine.
    pub not_enough_data: Vec<NotEnoughData<'w>>,
    /// What was found and is not told.
    pub suppressed: Vec<Suppressed<'w>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Finding<'w> {
    pub rule: &'w str,
    pub version: u32,
    #[cfg_attr(feature = "schema", schemars(with = "Option<words::Severity>"))]
    pub severity: Option<&'static str>,
    pub title: &'w str,
    pub description: &'w str,
    #[serde(rename = "where")]
    pub place: Where<'w>,
    pub evidence: Vec<Evidence<'w>>,
    pub gain: Gain<'w>,
    pub fix: Fix<'w>,
    /// Where more is written about the rule; empty of a rule of one's own without a page.
    pub doc: &'w str,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Where<'w> {
    /// (whole program) where it is about all of it.
    pub function: &'w str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The functions that lead there, outermost first.
    pub path: &'w [String],
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Evidence<'w> {
    pub metric: &'w str,
    pub value: f64,
    /// From where on it is too much, or too little.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// share, ratio, ns, bytes, bytes/s, flop/s, 1/s, bits; absent of a bare number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'static str>,
    /// Where the value lies with 95 % certainty: low, high.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

/// Speed-up of the whole program: 1.0 is none.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Gain<'w> {
    pub low: f64,
    pub high: f64,
    /// Speed-up at the place itself; absent where it would be gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_high: Option<f64>,
    /// How many times less memory where the heap is largest, of findings about memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_high: Option<f64>,
    /// The part of the whole that the place takes.
    pub share: f64,
    pub reason: &'w str,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Fix<'w> {
    pub text: &'w str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<&'w str>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NotEnoughData<'w> {
    pub rule: &'w str,
    pub missing: &'w str,
    pub how_to_record: &'w str,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Suppressed<'w> {
    pub rule: &'w str,
    /// The rule of the cause, or user.
    pub by: &'w str,
    /// The user's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'w str>,
    pub title: &'w str,
    #[serde(rename = "where")]
    pub place: Where<'w>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Recommendation<'w> {
    pub priority: &'static str,
    pub title: &'w str,
    pub estimated_speedup: String,
    pub description: String,
    pub code_example: String,
    pub rule: &'w str,
    pub severity: Option<&'static str>,
    pub evidence: Vec<Evidence<'w>>,
    pub location: Location<'w>,
    pub gain: [f64; 2],
    /// How many times less memory, of findings that are about memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_gain: Option<[f64; 2]>,
    pub reason: &'w str,
    pub doc: &'w str,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Location<'w> {
    pub file: Option<&'w str>,
    pub line: Option<u32>,
    pub function: &'w str,
}

impl Schema for Findings<'_> {
    const NAME: &'static str = "calor/findings/1";
}

impl<'w> Finding<'w> {
    /// Of one that was judged.
    #[must_use]
    pub fn new(finding: &'w judged::Finding) -> Self {
        let gain = &finding.gain;
        Self {
            rule: &finding.rule,
            version: finding.version,
            severity: finding.severity().map(judged::Severity::word),
            title: &finding.title,
            description: &finding.description,
            place: Where::new(finding),
            evidence: finding.evidence.iter().map(Evidence::new).collect(),
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

impl<'w> Where<'w> {
    /// Of one that was judged.
    #[must_use]
    pub fn new(finding: &'w judged::Finding) -> Self {
        let place = &finding.place;
        Self { function: &place.function, file: place.file.as_deref(), line: place.line, path: &place.path }
    }
}

impl<'w> Evidence<'w> {
    /// Of one that was judged.
    #[must_use]
    pub fn new(evidence: &'w judged::Evidence) -> Self {
        Self {
            metric: &evidence.metric,
            value: evidence.value,
            threshold: evidence.threshold,
            unit: Some(evidence.unit.word()).filter(|word| !word.is_empty()),
            interval: evidence.interval.map(|(low, high)| [low, high]),
        }
    }
}

impl<'w> Suppressed<'w> {
    /// Of one that was judged.
    #[must_use]
    pub fn new(one: &'w judged::Suppressed) -> Self {
        let (by, reason) = match &one.by {
            judged::SuppressedBy::Rule(rule) => (rule.as_str(), None),
            judged::SuppressedBy::User(reason) => ("user", Some(reason.as_str())),
        };
        let finding = &one.finding;
        Self { rule: &finding.rule, by, reason, title: &finding.title, place: Where::new(finding) }
    }
}
