//! Saved runs: `store/1`.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::Schema;

/// Saved runs, the last one first; calor store show prints one. What was not recorded is absent.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Store<'w> {
    /// The folder of the store.
    pub store: String,
    pub runs: Vec<SavedRun<'w>>,
}

/// A saved run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SavedRun<'w> {
    /// What the run is called; the same profile has the same id in every store.
    pub id: &'w str,
    /// RFC 3339, UTC.
    pub saved_at: Option<String>,
    /// RFC 3339, UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// The program, or the script that an interpreter ran.
    pub name: &'w str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<&'w str>,
    /// As in report/1.
    pub recorders: &'w [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// Calls of scopes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocated_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
    /// How many warnings the profile has.
    pub not_seen: u64,
    #[serde(flatten)]
    pub source: Revision<'w>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Host<'w>>,
    pub labels: &'w BTreeMap<String, String>,
    /// How it was recorded.
    pub settings: &'w BTreeMap<String, String>,
    pub baselines: &'w [String],
    /// The size of the profile.
    pub bytes: u64,
}

/// The state of the sources.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Revision<'w> {
    /// What was checked out when it was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dirty: Option<bool>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Host<'w> {
    /// Equal where times may be held against each other.
    pub fingerprint: String,
    pub name: &'w str,
    pub os: &'w str,
    pub kernel: &'w str,
    pub arch: &'w str,
    pub cpu: &'w str,
    pub cores: Option<u32>,
    pub memory_bytes: Option<u64>,
}

impl Schema for Store<'_> {
    const NAME: &'static str = "calor/store/1";
}
