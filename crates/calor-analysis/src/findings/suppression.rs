//! What users do not want to be told, with the reason that they give: a finding that was looked at and is meant to stay.

use super::Finding;

/// One rule that is not to be told of, everywhere or in one function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suppression {
    /// The rule's id.
    pub rule: String,
    /// The function; `None` for everywhere.
    pub function: Option<String>,
    /// Why.
    pub reason: String,
}

impl Suppression {
    /// Whether it is about a finding.
    #[must_use]
    pub fn covers(&self, finding: &Finding) -> bool {
        self.rule.eq_ignore_ascii_case(&finding.rule)
            && self.function.as_ref().is_none_or(|function| *function == finding.place.function)
    }
}

/// Who keeps a finding from being told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SuppressedBy {
    /// The finding of another rule, of which this is a symptom.
    Rule(String),
    /// The user, for this reason.
    User(String),
}

/// A finding that is counted and not shown.
#[derive(Clone, PartialEq, Debug)]
pub struct Suppressed {
    /// The finding.
    pub finding: Finding,
    /// By whom.
    pub by: SuppressedBy,
}
