//! Named sets of saved runs: `baseline/1`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::Schema;
use crate::store::{Revision, SavedRun};

/// Named sets of saved runs, by name; calor baseline show prints one.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Baselines<'w> {
    /// The folder of the store.
    pub store: String,
    pub baselines: Vec<Baseline<'w>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Baseline<'w> {
    pub name: &'w str,
    /// RFC 3339, UTC.
    pub set_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_by: Option<&'w str>,
    #[serde(flatten)]
    pub source: Revision<'w>,
    pub runs: Vec<SavedRun<'w>>,
}

impl Schema for Baselines<'_> {
    const NAME: &'static str = "calor/baseline/1";
}
