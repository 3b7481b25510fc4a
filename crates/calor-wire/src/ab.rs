//! Commands that took turns, and whether they differ: `ab/1`.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;

use crate::Schema;
use crate::why::Why;
#[cfg(feature = "schema")]
use crate::words;

/// Commands that took turns, and whether they differ. The fields of a verdict at the top are those of B against
/// A; `comparisons` has all. A value that could not be measured is null,
/// and a warning says why.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Ab<'w> {
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(with = "Comparison"))]
    pub first: Option<&'w Comparison>,
    /// What decided.
    #[cfg_attr(feature = "schema", schemars(with = "words::AbMetric"))]
    pub metric: &'static str,
    /// Differences up to this fraction count as none.
    pub margin: f64,
    /// A, B and so on, as they were typed.
    pub commands: Vec<&'w str>,
    /// Each command but the first with the first.
    pub comparisons: &'w [Comparison],
    /// All that was measured; null where no run could be. `instructions` is there where the processor counts
    /// them.
    pub metrics: BTreeMap<&'static str, Option<Metric>>,
    /// Runs of each command before, which do not count.
    pub warmup: usize,
    /// How often every command was run; a comparison that was decided before has fewer pairs.
    pub rounds: usize,
    /// What the order of the runs followed from.
    pub seed: u64,
    pub duration_ns: u64,
    /// What to do next where something is undecided: one of these will do, the most helpful is the first.
    pub advice: &'w [String],
    /// With --why: the causes of the gap, the largest part first. All times are of one call then.
    #[serde(flatten)]
    pub why: Option<Why>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Comparison {
    /// Which command is compared with A.
    pub variant: String,
    #[cfg_attr(feature = "schema", schemars(with = "words::Verdict"))]
    pub verdict: &'static str,
    /// The verdict for people.
    pub sentence: String,
    /// The relative change: 0.05 is 5 % more than A. Null of a single pair.
    pub effect: Option<f64>,
    /// 95 % interval of the effect, low and high, valid although the experiment stopped when it had seen enough.
    pub interval: Option<[f64; 2]>,
    pub pairs: usize,
    /// Whether A's own runs differ from each other by more than chance; null for fewer than eight.
    #[cfg_attr(feature = "schema", schemars(with = "Option<words::NullControl>"))]
    pub null_control: Option<&'static str>,
    /// The least change that so many pairs find four times in five.
    pub smallest_detectable: Option<f64>,
    /// About how many more pairs would decide, where it is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_pairs: Option<usize>,
    /// Why it is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<words::Doubt>"))]
    pub doubt: Option<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Metric {
    #[cfg_attr(feature = "schema", schemars(with = "words::Unit"))]
    pub unit: &'static str,
    /// B against A; of the metric that decided, that of the verdict.
    pub effect: Option<f64>,
    pub interval: Option<[f64; 2]>,
    pub variants: Vec<Variant>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Variant {
    pub name: String,
    pub runs: usize,
    pub median: Option<Number>,
    /// A quarter of the runs lies below.
    pub low: Option<Number>,
    /// A quarter of the runs lies above.
    pub high: Option<Number>,
    pub min: Option<Number>,
    pub max: Option<Number>,
    /// Against A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

impl Schema for Ab<'_> {
    const NAME: &'static str = "calor/ab/1";
}
