//! What users do not want to be told, with the reason that they give: a finding that was looked at and is meant to stay.

use super::{Finding, Severity};

/// One rule that is not to be told of, everywhere or in one function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suppression {
    /// The rule's id.
    pub rule: String,
    /// The function; `None` for everywhere.
    pub function: Option<String>,
    /// What is more severe than this is told all the same; `None` for whatever it is.
    pub up_to: Option<Severity>,
    /// Why.
    pub reason: String,
}

impl Suppression {
    /// One of a rule, everywhere, without a reason yet.
    #[must_use]
    pub fn of(rule: impl Into<String>) -> Self {
        Self { rule: rule.into(), function: None, up_to: None, reason: String::new() }
    }

    /// Whether it is about a finding.
    #[must_use]
    pub fn covers(&self, finding: &Finding) -> bool {
        self.rule.eq_ignore_ascii_case(&finding.rule)
            && self.function.as_ref().is_none_or(|function| *function == finding.place.function)
            && self.up_to.is_none_or(|most| finding.severity() <= Some(most))
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
