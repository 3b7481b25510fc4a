//! A warning, the same in every page.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// What was not seen, not measured, or has to be known beside the figures.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Warning<'w> {
    /// A word that stays the same, such as `samples_lost`.
    pub code: &'w str,
    /// The same for people.
    pub message: &'w str,
    /// How often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

impl<'w> Warning<'w> {
    /// One without a count.
    #[must_use]
    pub const fn of(code: &'w str, message: &'w str) -> Self {
        Self { code, message, count: None }
    }
}

impl<'w> From<&'w calor_model::Warning> for Warning<'w> {
    fn from(warning: &'w calor_model::Warning) -> Self {
        Self { code: &warning.code, message: &warning.message, count: warning.count }
    }
}
