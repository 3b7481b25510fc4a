//! What a finding promised and what a change gave: `verify/1`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::Schema;
#[cfg(feature = "schema")]
use crate::words;

/// What a finding promised and what a change gave. A gain is a ratio: 1.2 is 1.2 times faster, or 1.2 times less memory.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Verification<'w> {
    #[cfg_attr(feature = "schema", schemars(with = "words::Kept"))]
    pub outcome: &'static str,
    /// The outcome for people.
    pub sentence: String,
    pub rule: &'w str,
    pub version: u32,
    pub r#where: Where<'w>,
    /// What was measured: cpu, wall or rss.
    pub metric: &'static str,
    pub predicted: GainInterval,
    /// null where too few pairs were measured.
    pub measured: Option<MeasuredGain>,
    /// Of the commands, as calor ab has it.
    #[cfg_attr(feature = "schema", schemars(with = "words::Verdict"))]
    pub verdict: &'static str,
    pub pairs: usize,
    /// Before and after the change.
    pub commands: [String; 2],
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Where<'w> {
    pub function: &'w str,
    pub file: Option<&'w str>,
    pub line: Option<u32>,
}

/// Where a gain lies.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GainInterval {
    pub low: f64,
    pub high: f64,
}

/// A gain that was measured, and where it lies with 95 % certainty.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct MeasuredGain {
    pub gain: f64,
    pub low: f64,
    pub high: f64,
}

impl Schema for Verification<'_> {
    const NAME: &'static str = "calor/verify/1";
}

impl From<[f64; 2]> for GainInterval {
    fn from([low, high]: [f64; 2]) -> Self {
        Self { low, high }
    }
}

impl MeasuredGain {
    /// A gain and its interval.
    #[must_use]
    pub const fn new(gain: f64, [low, high]: [f64; 2]) -> Self {
        Self { gain, low, high }
    }
}
