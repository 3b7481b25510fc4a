//! A finding: what is slow, where, by which figures, what to change, and what that would give.

use super::{About, Gain, Place};

/// How much a finding matters, by the least that its fix gives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// From 1.01 times on.
    Low,
    /// From 1.03 times on.
    Medium,
    /// From 1.1 times on.
    High,
    /// From 1.3 times on.
    Critical,
}

impl Severity {
    /// All of them, the least first.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    /// The severity of a gain; `None` for one that is not worth a finding.
    #[must_use]
    pub fn of(gain: &Gain) -> Option<Self> {
        match gain.least() {
            least if least >= 1.30 => Some(Self::Critical),
            least if least >= 1.10 => Some(Self::High),
            least if least >= 1.03 => Some(Self::Medium),
            least if least >= 1.01 => Some(Self::Low),
            _ => None,
        }
    }

    /// The word used in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// What a figure counts in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Unit {
    /// A part of a whole, from 0 to 1.
    Share,
    /// A ratio of two figures.
    Ratio,
    /// A bare number.
    Count,
    /// Nanoseconds.
    Nanos,
    /// Bytes.
    Bytes,
    /// Bytes a second.
    BytesPerSecond,
    /// Floating-point operations a second.
    FlopsPerSecond,
    /// Number a second.
    PerSecond,
    /// Bits.
    Bits,
}

impl Unit {
    /// The word used in files; empty for a bare number.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Ratio => "ratio",
            Self::Count => "",
            Self::Nanos => "ns",
            Self::Bytes => "bytes",
            Self::BytesPerSecond => "bytes/s",
            Self::FlopsPerSecond => "flop/s",
            Self::PerSecond => "1/s",
            Self::Bits => "bits",
        }
    }
}

/// One figure that a finding rests on.
#[derive(Clone, PartialEq, Debug)]
pub struct Evidence {
    /// What it is, in a few plain words: "share of the time in copies".
    pub metric: String,
    /// How much.
    pub value: f64,
    /// In what.
    pub unit: Unit,
    /// From where on it counts as too much, or too little.
    pub threshold: Option<f64>,
    /// Where the value lies with 95 % certainty, where it was not counted exactly.
    pub interval: Option<(f64, f64)>,
}

impl Evidence {
    /// A figure without threshold and interval.
    #[must_use]
    pub fn new(metric: &str, value: f64, unit: Unit) -> Self {
        Self { metric: metric.to_owned(), value, unit, threshold: None, interval: None }
    }

    /// A share of the time with its interval.
    #[must_use]
    pub fn share(metric: &str, share: super::Share) -> Self {
        let interval = (share.high > share.low).then_some((share.low, share.high));
        Self { interval, ..Self::new(metric, share.estimate, Unit::Share) }
    }

    /// The same with the threshold that the rule holds it against.
    #[must_use]
    pub fn against(self, threshold: f64) -> Self {
        Self { threshold: Some(threshold), ..self }
    }
}

/// What to change.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fix {
    /// In a sentence or two.
    pub text: String,
    /// Code as it may look now; `None` where no code shows it.
    pub before: Option<String>,
    /// The same after the change.
    pub after: Option<String>,
}

impl Fix {
    /// A change that is told in words alone.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), before: None, after: None }
    }

    /// The same with code before and after.
    #[must_use]
    pub fn with_code(self, before: &str, after: &str) -> Self {
        Self { before: Some(before.to_owned()), after: Some(after.to_owned()), ..self }
    }
}

/// What a rule found at one place.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The rule's id.
    pub rule: String,
    /// The rule's version.
    pub version: u32,
    /// What is the matter, in one line with its number.
    pub title: String,
    /// Why that is slow, in a few sentences.
    pub description: String,
    /// Where.
    pub place: Place,
    /// The figures it rests on, the most telling first.
    pub evidence: Vec<Evidence>,
    /// What the fix gives.
    pub gain: Gain,
    /// What to change.
    pub fix: Fix,
    /// Where more is written about the rule; empty where nothing is.
    pub doc: String,
    /// Whether a setting changes it, wherever the place is: a number of threads, a flag of the compiler.
    pub is_knob: bool,
    /// Whether it says that the place cannot become faster: then it is not told, and keeps others from being told.
    pub is_limit: bool,
}

impl Finding {
    /// A finding of a rule, to which description, evidence and fix are added.
    #[must_use]
    pub fn new(about: &About<'_>, title: impl Into<String>, place: Place, gain: Gain) -> Self {
        Self {
            rule: about.id.to_owned(),
            version: about.version,
            title: title.into(),
            description: String::new(),
            place,
            evidence: Vec::new(),
            gain,
            fix: Fix::default(),
            doc: about.doc_page(),
            is_knob: false,
            is_limit: false,
        }
    }

    /// Says why it is slow.
    #[must_use]
    pub fn because(self, description: impl Into<String>) -> Self {
        Self { description: description.into(), ..self }
    }

    /// Adds a figure.
    #[must_use]
    pub fn with(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
    }

    /// Says what to change.
    #[must_use]
    pub fn fixed_by(self, fix: Fix) -> Self {
        Self { fix, ..self }
    }

    /// Says that a setting changes it, so that it is told wherever its place is.
    #[must_use]
    pub fn by_setting(self) -> Self {
        Self { is_knob: true, ..self }
    }

    /// Says that the place is as fast as the machine lets it be: what the rule suppresses there is not told, nor is this.
    #[must_use]
    pub fn as_limit(self) -> Self {
        Self { is_limit: true, ..self }
    }

    /// How much it matters; `None` for one that is not worth showing.
    #[must_use]
    pub fn severity(&self) -> Option<Severity> {
        Severity::of(&self.gain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Share;

    #[test]
    fn severity_follows_from_the_least_gain() {
        let severity = |share| Severity::of(&Gain::removed(Share::exact(share), (1.0, 1.0), ""));
        assert_eq!(severity(0.009), None);
        assert_eq!(severity(0.011), Some(Severity::Low));
        assert_eq!(severity(0.03), Some(Severity::Medium));
        assert_eq!(severity(0.10), Some(Severity::High));
        assert_eq!(severity(0.24), Some(Severity::Critical));
        let memory = Gain::memory(Share::exact(0.5), (1.0, 1.0), "");
        assert_eq!(Severity::of(&memory), Some(Severity::Critical));
    }

    #[test]
    fn severities_are_in_order_of_their_words() {
        assert!(Severity::ALL.is_sorted());
        assert_eq!(Severity::ALL.map(Severity::word), ["low", "medium", "high", "critical"]);
    }
}
