//! Scopes under the roofs of a machine: `roofline/1`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

#[cfg(feature = "schema")]
use crate::words;
use crate::{CallPath, Schema};

/// Scopes under the roofs of a machine.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Roofline<'w> {
    /// What was run.
    pub command: Option<&'w str>,
    pub machine: Machine<'w>,
    /// The numbers that roofs are of where a scope does not say.
    #[cfg_attr(feature = "schema", schemars(with = "words::Dtype"))]
    pub dtype: &'static str,
    /// Those that say how much they work, the longest first.
    pub scopes: Vec<Scope<'w>>,
    /// The longest of those that did not.
    pub untold: Vec<Unmeasured<'w>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Machine<'w> {
    /// Empty where no roof fits the profile.
    pub cpu: &'w str,
    pub cores: Option<u32>,
    pub peaks: Vec<Peak<'w>>,
    pub tiers: Vec<Tier<'w>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Peak<'w> {
    #[cfg_attr(feature = "schema", schemars(with = "words::Dtype"))]
    pub dtype: &'static str,
    #[cfg_attr(feature = "schema", schemars(with = "words::Width"))]
    pub width: &'w str,
    pub flops_per_s: f64,
    pub all_cores_flops_per_s: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Tier<'w> {
    #[cfg_attr(feature = "schema", schemars(with = "words::Tier"))]
    pub tier: &'w str,
    pub bytes: Option<u64>,
    pub bytes_per_s: f64,
    pub all_cores_bytes_per_s: Option<f64>,
    /// Operations for each byte from which on arithmetic limits.
    pub ridge: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Scope<'w> {
    #[serde(flatten)]
    pub at: CallPath<'w>,
    pub calls: u64,
    /// With what it calls.
    pub total_ns: u64,
    /// Its CPU time, which rates are then of; absent where they are of total_ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// Of all recorded time.
    pub share: f64,
    /// As the scope says; 0 where it says nothing.
    pub flops: u64,
    /// As the scope says; 0 where it says nothing.
    pub bytes: u64,
    /// Operations for each byte; null where one of the two is not known.
    pub intensity: Option<f64>,
    pub flops_per_s: Option<f64>,
    pub bytes_per_s: Option<f64>,
    /// Where its bytes came from, by how many a call has and how fast they came.
    #[cfg_attr(feature = "schema", schemars(with = "Option<words::Tier>"))]
    pub tier: Option<&'w str>,
    /// The numbers that its roof is of: as its label dtype says, otherwise as asked for.
    #[cfg_attr(feature = "schema", schemars(with = "words::Dtype"))]
    pub dtype: &'static str,
    /// Which cores the roof is of: all where it was faster than one core can be.
    #[cfg_attr(feature = "schema", schemars(with = "words::Cores"))]
    pub cores: &'static str,
    pub attainable_flops_per_s: Option<f64>,
    pub attainable_bytes_per_s: Option<f64>,
    /// How much of what is attainable was attained.
    pub roof_share: Option<f64>,
    #[cfg_attr(feature = "schema", schemars(with = "Option<words::Bound>"))]
    pub bound: Option<&'static str>,
    /// Whether its time is an estimate; absent where not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_estimated: bool,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Unmeasured<'w> {
    #[serde(flatten)]
    pub at: CallPath<'w>,
    pub self_ns: u64,
}

impl Schema for Roofline<'_> {
    const NAME: &'static str = "calor/roofline/1";
}
