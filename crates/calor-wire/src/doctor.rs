//! What works on a machine: `doctor/1`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::Schema;

/// What works on a machine and what does not.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Doctor<'w> {
    pub checks: Vec<Check<'w>>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Check<'w> {
    /// A word that stays the same, such as perf_event_paranoid.
    pub name: &'static str,
    pub ok: bool,
    /// What was found, in words for people.
    pub found: &'w str,
    /// The command that would make it ok.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<&'w str>,
}

impl Schema for Doctor<'_> {
    const NAME: &'static str = "calor/doctor/1";
}
