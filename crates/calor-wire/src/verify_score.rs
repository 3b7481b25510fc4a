//! How often predictions were right: `verify_score/1`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::Schema;
use crate::verify::{GainInterval, MeasuredGain};
#[cfg(feature = "schema")]
use crate::words;

/// How often the real gain lay in the predicted interval.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Score<'w> {
    /// The share that predictions are meant to reach.
    pub goal: f64,
    pub all: Tally,
    pub rules: Vec<RuleTally<'w>>,
    /// The oldest first.
    pub verifications: Vec<KeptVerification<'w>>,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Tally {
    pub verified: u64,
    pub delivered: u64,
    pub less: u64,
    pub more: u64,
    pub undecided: u64,
    /// Delivered, as a part of those that were decided; null where none was.
    pub share: Option<f64>,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RuleTally<'w> {
    pub rule: &'w str,
    #[serde(flatten)]
    pub tally: Tally,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct KeptVerification<'w> {
    /// Since 1970.
    pub at_ns: u64,
    pub rule: &'w str,
    pub version: u32,
    /// The place of the finding.
    pub r#where: &'w str,
    /// What was measured: cpu, wall or rss.
    pub metric: &'w str,
    pub predicted: GainInterval,
    pub measured: MeasuredGain,
    #[cfg_attr(feature = "schema", schemars(with = "words::Kept"))]
    pub outcome: &'w str,
}

impl Schema for Score<'_> {
    const NAME: &'static str = "calor/verify_score/1";
}
