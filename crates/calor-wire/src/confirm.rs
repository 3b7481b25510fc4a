//! What a program would gain, by experiment: `confirm/1`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::Schema;
#[cfg(feature = "schema")]
use crate::words;

/// What a program would gain if scopes were faster, found by experiments in which others are slowed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Confirmation<'w> {
    /// The program that was run.
    pub command: String,
    /// How often it was run.
    pub runs: usize,
    /// What would be faster: the whole run, or a step of the progress point.
    #[cfg_attr(feature = "schema", schemars(with = "words::ExperimentUnit"))]
    pub unit: &'static str,
    /// What was tried.
    pub scopes: Vec<Scope<'w>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Scope<'w> {
    pub name: &'w str,
    /// How many times as fast; null for no time at all.
    pub factor: Option<f64>,
    /// How many times as fast the run would be by the recording; null without one.
    pub predicted: Option<f64>,
    /// The same by experiment; null where too few were completed.
    pub tried: Option<f64>,
    /// The lower end of the 95 % interval of that.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// How many experiments with it were compared with some without.
    pub pairs: usize,
    /// What the experiments say to the prediction.
    #[cfg_attr(feature = "schema", schemars(with = "words::Agreement"))]
    pub agreement: &'static str,
}

impl Schema for Confirmation<'_> {
    const NAME: &'static str = "calor/confirm/1";
}
